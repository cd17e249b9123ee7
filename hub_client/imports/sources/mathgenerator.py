"""mathgenerator: school problems generated without end, compared as text."""

import ast
import functools
import re
from collections.abc import Mapping

from hub_client.imports.draft import Draft
from hub_client.imports.games import bare_packages
from hub_client.imports.source import LibrarySource, code_of

_MODULE = re.compile(r"mathgenerator\.funcs\.(\w+)\.(\w+)")
_NOTES = (
    "The library has no scorer: an answer is right when it is the library's text, without spaces and dollar signs.",
    "Its random numbers are from small ranges, so some prompts of test are in train too.",
)


class MathGenerator(LibrarySource):
    """The generators of the newest ``mathgenerator``, one in each of its modules."""

    name = "mathgenerator"
    distribution = "mathgenerator"

    @functools.cached_property
    def _found(self) -> dict[str, tuple[str, str]]:
        """Item -> its module, and its title."""
        found = {}
        for name in self.library.modules:
            titled = _MODULE.fullmatch(name) and _title(self.library.modules[name])
            if titled:
                found[name.rpartition(".")[2]] = (name, titled)
        return dict(sorted(found.items()))

    def offers(self) -> Mapping[str, str]:
        return {item: title for item, (_, title) in self._found.items()}

    def make(self, item: str) -> Draft:
        module, title = self._found[item]
        area = module.split(".")[2]
        bare = bare_packages(self.library, module)
        return Draft(
            self.provenance(item),
            summary=f"{title}, generated without end",
            code=code_of("mathgenerator", {"MODULE": module, "ITEM": item, "BARE": repr(bare)}),
            rewards={"same": {"description": "the answer is the library's, as text", "threshold": 1.0}},
            needs=self.library.needs(self.library.imports(module, frozenset(bare))),
            generates=True,
            response="<answer>{answer}</answer>",
            one_right_answer=True,
            tags=["math", area.replace("_", "-"), "procedural", "single-turn"],
            notes=_NOTES,
        )


def _title(tree: ast.Module) -> str:
    """The first argument of the call that registers the module's generator; empty without one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Generator" and node.args:
            return str(ast.literal_eval(node.args[0]))
    return ""

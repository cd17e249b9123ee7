"""engram-generator: problems of the sciences generated without end, those that the library itself checks."""

import ast
import functools
import re
from collections.abc import Mapping

from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.games import bare_packages
from hub_client.imports.source import LibrarySource, code_of

_VALIDATION = "engram_generator/validation/"
_CHECKED = re.compile(r'\b_r\(\s*"(\w+)",\s*"library"')
_QUOTED = re.compile(r'"(\w+)"')
_NOTES = (
    "The library's own comparison judges: the same text or number, whatever its case, spaces and commas.",
    "Its prompts do not say in which form an answer is written, so a right answer in other words counts as wrong.",
)


class Engram(LibrarySource):
    """The generators of the newest ``engram-generator``. The library advises against those that it does not check."""

    name = "engram"
    distribution = "engram-generator"

    @functools.cached_property
    def _found(self) -> dict[str, tuple[str, str]]:
        """Item -> its module, and the first line that is said of its class."""
        found = {}
        for name in self.library.modules:
            if name.startswith("engram_generator.generators."):
                for node in self.library.modules[name].body:
                    if isinstance(node, ast.ClassDef) and (task := _task(node)):
                        found[task] = (name, (ast.get_docstring(node) or task).splitlines()[0])
        return dict(sorted(found.items()))

    @functools.cached_property
    def _checked(self) -> set[str]:
        """Items whose answers the library computes a second time with another library."""
        files = {path.removeprefix(_VALIDATION): text for path, text in self.library.files.items()}
        again = [text.decode() for path, text in files.items() if path.startswith(("handlers_", "library_verifier"))]
        handled = {name for text in again for name in _QUOTED.findall(text)}
        return handled & set(_CHECKED.findall(files["registry.py"].decode()))

    def offers(self) -> Mapping[str, str]:
        return {item: line for item, (_, line) in self._found.items()}

    def _refusal(self, item: str) -> str:
        if item in self._checked:
            return ""
        return "the library does not check its answers with another one, and advises against those"

    def make(self, item: str) -> Draft:
        if refusal := self._refusal(item):
            raise ImportRefusedError(refusal)
        module, line = self._found[item]
        bare = tuple(name for name in bare_packages(self.library, module) if name.endswith(".generators"))
        return Draft(
            self.provenance(item),
            summary=f"{line.rstrip('.')}, generated without end",
            code=code_of("engram", {"MODULE": module, "ITEM": item, "BARE": repr(bare)}),
            rewards={"same": {"description": "the answer is the library's, as it compares them", "threshold": 1.0}},
            needs=self.library.needs_nothing_else(),
            generates=True,
            response="<answer>{answer}</answer>",
            one_right_answer=True,
            tags=["science", module.rpartition(".")[2].replace("_", "-"), "procedural", "single-turn"],
            notes=_NOTES,
        )


def _task(node: ast.ClassDef) -> str:
    """What the property ``task_name`` of a generator's class returns; empty for another class."""
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name == "task_name":
            for said in ast.walk(method):
                if isinstance(said, ast.Return) and isinstance(said.value, ast.Constant):
                    return str(said.value.value)
    return ""

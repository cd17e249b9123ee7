"""mathematics_dataset of DeepMind: school mathematics generated without end, compared letter by letter."""

import ast
import functools
from collections.abc import Mapping
from typing import ClassVar

from hub_client.imports.draft import Draft, Needs
from hub_client.imports.source import LibrarySource, code_of

_MODULES = "mathematics_dataset.modules"
_OLD = ("sympy<1.6", "numpy<1.24")
"""The library is of 2019: it imports names that newer ones have moved."""
_NOTES = (
    "The library has no scorer. As in its paper, only an answer that is the same text counts: other forms are wrong.",
    "Train is the library's `train` of all difficulties, test its `test` (interpolation).",
)
_AREAS = ["algebra", "arithmetic", "calculus", "comparison", "measurement", "numbers", "polynomials", "probability"]


class MathematicsDataset(LibrarySource):
    """The modules of the newest ``mathematics-dataset``, named as in its files: ``algebra__linear_1d``."""

    name = "mathematics-dataset"
    distribution = "mathematics-dataset"
    refusals: ClassVar[Mapping[str, str]] = {}

    @functools.cached_property
    def _found(self) -> dict[str, str]:
        """Item -> its area."""
        named = ((area, _keys(self.library.modules[f"{_MODULES}.{area}"])) for area in _AREAS)
        return {f"{area}__{key}": area for area, keys in named for key in keys}

    @functools.cached_property
    def _needs(self) -> Needs:
        return self.library.needs_without((), also=_OLD)

    def offers(self) -> Mapping[str, str]:
        return {item: f"{item.split('__')[1].replace('_', ' ')}, {area}" for item, area in self._found.items()}

    def make(self, item: str) -> Draft:
        area, _, key = item.partition("__")
        return Draft(
            self.provenance(item),
            summary=f"School mathematics generated without end: {key.replace('_', ' ')} ({area})",
            code=code_of("mathematics_dataset", {"AREA": area, "KEY": key}),
            rewards={"same": {"description": "the answer is the library's, letter by letter", "threshold": 1.0}},
            needs=self._needs,
            generates=True,
            response="<answer>{answer}</answer>",
            one_right_answer=True,
            tags=["math", area, "procedural", "single-turn"],
            timeout_seconds=60.0,  # for 200 tasks in one call, some of which take a second on a busy machine
            notes=_NOTES,
        )


def _keys(tree: ast.Module) -> list[str]:
    """Names in the dictionaries that ``_make_modules`` writes down; what it does to each of ``fns`` has two names."""
    (made,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "_make_modules"]
    found: list[str] = []
    for node in ast.walk(made):
        if isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.Dict):
            keys = [str(key.value) for key in node.value.keys if isinstance(key, ast.Constant)]
            both = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "fns"
            found += [name for key in keys for name in ((key, f"{key}_composed") if both else (key,))]
    return found

"""reasoning-gym: puzzles generated without end, each with the library's own scorer."""

import ast
import functools
import re
from collections.abc import Mapping

from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.source import LibrarySource, code_of

_TOP = "reasoning_gym"
_ENTRY = "reasoning_gym.coaching"  # imported by the template in any case
_REFUSED = {"composite": "it mixes other data sets, which are packages of their own: mix those in training"}

_REGISTERS = re.compile(rb"register_dataset\(")
_ALSO_CALLED = {"needle_haystack": ("long-context", "retrieval"), "gsm_symbolic": ("math",)}
"""Data set -> tags by which people look for it, where its name and category have none of them."""


class ReasoningGym(LibrarySource):
    """The data sets of the newest ``reasoning-gym``, found by their calls of ``register_dataset``."""

    name = "reasoning-gym"
    distribution = "reasoning-gym"

    @functools.cached_property
    def _registered(self) -> dict[str, str]:
        """Data set -> the module that registers it."""
        found = {_dataset_of(tree): name for name, tree in self.library.modules.matching(_REGISTERS)}
        return {dataset: module for dataset, module in sorted(found.items()) if dataset}

    def offers(self) -> Mapping[str, str]:
        return {name: self._line(name) for name in self._registered}

    def make(self, item: str) -> Draft:
        if item in _REFUSED:
            raise ImportRefusedError(_REFUSED[item])
        module = self._registered[item]
        bare = self._bare(module)
        imported = set[str]().union(*(self.library.imports(name, frozenset(bare)) for name in (module, _ENTRY)))
        scores = any(
            isinstance(node, ast.FunctionDef) and node.name == "score_answer"
            for node in ast.walk(self.library.modules[module])
        )
        return Draft(
            self.provenance(item),
            summary=self._line(item),
            code=code_of("reasoning_gym", {"DATASET": item, "MODULE": module, "BARE": repr(bare)}),
            rewards={"score": {"description": "what the library's score_answer says; 1 is right", "threshold": 1.0}},
            needs=self.library.needs(imported),
            generates=True,
            response="<answer>{answer}</answer>",
            one_right_answer=not scores,
            tags=[module.split(".")[1], "procedural", "single-turn", *_ALSO_CALLED.get(item, ())],
            timeout_seconds=120.0,  # for 200 tasks in one call, some of which take a second each
            notes=["`score` is the library's own, with parts of 1 for some wrong answers; only 1 counts as accepted."],
        )

    def _bare(self, module: str) -> tuple[str, ...]:
        """The library's package and the category's, whose ``__init__`` would import everything."""
        parents = (_TOP, ".".join(module.split(".")[:2]))
        return tuple(name for name in parents if name != module and self.library.is_package(name))

    def _line(self, item: str) -> str:
        words = ast.get_docstring(self.library.modules[self._registered[item]]) or ""
        first = words.strip().partition("\n")[0].rstrip(".")
        return first or f"{item.replace('_', ' ').capitalize()}, a puzzle of reasoning-gym"


def _dataset_of(tree: ast.Module) -> str:
    """The name that a module registers; a constant of the module is followed."""
    constants = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "register_dataset":
            name = node.args[0] if node.args else None
            if isinstance(name, ast.Constant):
                return str(name.value)
            if isinstance(name, ast.Name):
                return str(constants.get(name.id, ""))
    return ""

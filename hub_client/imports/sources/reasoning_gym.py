"""reasoning-gym: puzzles generated without end, each with the library's own scorer."""

import ast
import functools
from importlib.resources import files as resources

from hub_client.errors import NotFoundError
from hub_client.imports.draft import Draft, ImportRefusedError, Item, Provenance
from hub_client.imports.library import Library
from hub_client.imports.registry import Request
from schemas.wording import nearest

_TOP = "reasoning_gym"
_ENTRY = "reasoning_gym.coaching"  # imported by the template in any case
_REFUSED = {"composite": "it mixes other data sets, which are packages of their own: mix those in training"}


class ReasoningGym:
    """The data sets of the newest ``reasoning-gym``, found by their calls of ``register_dataset``."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @functools.cached_property
    def _library(self) -> Library:
        return Library("reasoning-gym", self._request.cache, self._request.version and f"=={self._request.version}")

    @functools.cached_property
    def _registered(self) -> dict[str, str]:
        """Data set -> the module that registers it."""
        found = {_dataset_of(tree): name for name, tree in self._library.modules.items()}
        return {dataset: module for dataset, module in sorted(found.items()) if dataset}

    def items(self) -> list[Item]:
        return [Item(name, self._line(name), self._refused(name)) for name in self._registered]

    def draft(self, item: str) -> Draft:
        if item not in self._registered:
            raise NotFoundError(
                f"reasoning-gym has no {item}; {nearest(item, list(self._registered), what='there are')}"
            )
        if item in _REFUSED:
            raise ImportRefusedError(_REFUSED[item])
        module = self._registered[item]
        bare = self._bare(module)
        code = (resources("hub_client.imports") / "code" / "reasoning_gym.py.template").read_text(encoding="utf-8")
        for word, value in {"@DATASET@": item, "@MODULE@": module, "@BARE@": repr(bare)}.items():
            code = code.replace(word, value)
        imported = set[str]().union(*(self._library.imports(name, frozenset(bare)) for name in (module, _ENTRY)))
        scores = any(
            isinstance(node, ast.FunctionDef) and node.name == "score_answer"
            for node in ast.walk(self._library.modules[module])
        )
        return Draft(
            Provenance(f"reasoning-gym:{item}", self._library.version, self._library.licence, self._library.home),
            summary=self._line(item),
            code=code,
            rewards={"score": {"description": "what the library's score_answer says; 1 is right", "threshold": 1.0}},
            needs=self._library.needs(imported),
            generates=True,
            response="<answer>{answer}</answer>",
            one_right_answer=not scores,
            tags=[module.split(".")[1], "procedural", "single-turn"],
            timeout_seconds=120.0,  # for 200 tasks in one call, some of which take a second each
            notes=["`score` is the library's own, with parts of 1 for some wrong answers; only 1 counts as accepted."],
        )

    def _bare(self, module: str) -> tuple[str, ...]:
        """The library's package and the category's, whose ``__init__`` would import everything."""
        parents = (_TOP, ".".join(module.split(".")[:2]))
        return tuple(name for name in parents if name != module and self._library.is_package(name))

    def _line(self, item: str) -> str:
        words = ast.get_docstring(self._library.modules[self._registered[item]]) or ""
        first = words.strip().partition("\n")[0].rstrip(".")
        return first or f"{item.replace('_', ' ').capitalize()}, a puzzle of reasoning-gym"

    def _refused(self, item: str) -> str:
        try:
            self.draft(item)
        except ImportRefusedError as error:
            return str(error)
        return ""


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

"""jupyddl: classical planning problems generated without end, judged by replaying the plan."""

import ast
import functools
from collections.abc import Mapping

from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.source import LibrarySource, code_of

_GENERATOR = "jupyddl.generator"
_SIZES = {"easy": (3, 4), "medium": (5, 6), "hard": (7, 8)}
_ONE_DEAL = frozenset({"gripper", "numeric-transport", "workshop"})
_ALSO_CALLED = {"blocksworld": ("blocks-world",)}


class Jupyddl(LibrarySource):
    """The generators of the newest ``jupyddl``, each in three sizes."""

    name = "jupyddl"
    distribution = "jupyddl"

    @functools.cached_property
    def _notes(self) -> dict[str, str]:
        """Generator -> the library's own line about it."""
        for node in self.library.modules[_GENERATOR].body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GENERATOR_NOTES":
                return dict(ast.literal_eval(node.value))
        return {}

    def offers(self) -> Mapping[str, str]:
        return {f"{kind}-{level}": self._line(kind, level) for kind in self._notes for level in _SIZES}

    def make(self, item: str) -> Draft:
        kind, _, level = item.rpartition("-")
        if kind in _ONE_DEAL:
            raise ImportRefusedError("its seed changes nothing but the problem's name, so a size has one problem")
        return Draft(
            self.provenance(item),
            summary=self._line(kind, level),
            code=code_of("jupyddl", {"ITEM": item, "KIND": kind, "SIZES": repr(_SIZES[level])}),
            rewards={
                "solved": {"description": "every action can be done, and the goal holds at the end", "threshold": 1.0},
                "short": {"description": "length of the library's plan by that of yours", "role": "metric"},
            },
            needs=self.library.needs_nothing_else(),
            generates=True,
            response="<plan>\n{answer}\n</plan>",
            tags=["planning", "pddl", level, "procedural", "single-turn", *_ALSO_CALLED.get(kind, ())],
            timeout_seconds=120.0,  # for 200 problems in one call, each with a search
            notes=["Any plan that works is right; the answer is one that the library's greedy search finds."],
        )

    def _line(self, kind: str, level: str) -> str:
        return f"{kind.capitalize()} planning in PDDL ({level}). {self._notes[kind]}"

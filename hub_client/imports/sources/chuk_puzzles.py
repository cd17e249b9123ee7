"""chuk-puzzles-gym: thirty logic puzzles, played move by move."""

import ast
import functools
from collections.abc import Mapping

from hub_client.imports.draft import Draft
from hub_client.imports.games import Glue, Registration, game_draft
from hub_client.imports.source import LibrarySource

_ENVIRONMENT = "chuk_puzzles_gym.gym_env"
_LEVELS = ("easy", "medium", "hard")


class ChukPuzzles(LibrarySource):
    """Each puzzle of the newest ``chuk-puzzles-gym``, in three levels."""

    name = "chuk-puzzles"
    distribution = "chuk-puzzles-gym"

    @functools.cached_property
    def _puzzles(self) -> list[str]:
        """The keys of the library's own table of puzzles."""
        for node in self.library.modules["chuk_puzzles_gym.games"].body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                keys = node.value.keys
                if ast.unparse(node.targets[0]) == "AVAILABLE_GAMES":
                    return sorted(str(key.value) for key in keys if isinstance(key, ast.Constant))
        return []

    def offers(self) -> Mapping[str, str]:
        return {f"{name}-{level}": _line(name, level) for name in self._puzzles for level in _LEVELS}

    def make(self, item: str) -> Draft:
        name, _, level = item.rpartition("-")
        game = Registration(item, _ENVIRONMENT, "PuzzleEnv", {"game_name": name, "difficulty": level})
        glue = Glue("chuk_puzzles", score=(-1000.0, 1000.0), whole=True)
        tags = ["game", "puzzle", "multi-turn", "one-player"]
        return game_draft(self, game, glue, summary=_line(name, level), tags=tags)


def _line(name: str, level: str) -> str:
    return f"{name.replace('_', ' ').capitalize()}, a logic puzzle ({level})"

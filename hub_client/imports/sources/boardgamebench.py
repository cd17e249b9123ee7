"""boardgamebench: board games for two against the library's own search, in two levels."""

import ast
import functools
from collections.abc import Mapping

from hub_client.imports.draft import Draft
from hub_client.imports.games import Glue, Registration, game_draft
from hub_client.imports.source import LibrarySource

_MODULE = "boardgamebench.games"
_LEVELS = {"easy": 1, "hard": 2}
"""How many moves the other player looks ahead. The library's own numbers, up to six, take seconds a move."""


class BoardGameBench(LibrarySource):
    """The games of the newest ``boardgamebench``."""

    name = "boardgamebench"
    distribution = "boardgamebench"

    @functools.cached_property
    def _games(self) -> list[str]:
        """The keys of the library's own table of games."""
        for node in self.library.modules[_MODULE].body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GAME_FACTORIES":
                table = node.value
                return [str(ast.literal_eval(key)) for key in table.keys if key] if isinstance(table, ast.Dict) else []
        return []

    def offers(self) -> Mapping[str, str]:
        return {f"{name}-{level}": _line(name, level) for name in self._games for level in _LEVELS}

    def make(self, item: str) -> Draft:
        name, _, level = item.rpartition("-")
        game = Registration(item, _MODULE, "", {"name": name, "ahead": _LEVELS[level]})
        return game_draft(
            self,
            game,
            Glue("boardgamebench", score=(-1.0, 1.0), whole=True, distributions=frozenset()),
            summary=_line(name, level),
            one_right_answer=False,
            tags=["game", "board-game", "multi-turn", "two-player", level],
            notes=[
                "Six moves drawn at random come before the first; they and the sides are seeded by the task.",
                "`score` is 1, 0 or -1; the library's own points also count how long a game took.",
                "The library's prompt shows a model the move that its search would make. Here it is not shown.",
                "Four illegal moves in a row lose, as there.",
            ],
        )


def _line(name: str, level: str) -> str:
    title = name.replace("_", " ").capitalize()
    return f"{title}, a board game against a player who looks {_LEVELS[level]} ahead ({level})"

"""MiniGrid and BabyAI: grid worlds with a mission, told in words as the agent sees them."""

import functools
import re
from collections.abc import Mapping

from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.games import Glue, Registration, game_draft, registrations
from hub_client.imports.source import LibrarySource

_RUNS = frozenset({"numpy", "gymnasium"})
"""Dependencies that run in a box. The graphics library is replaced, and levels that need networkx are refused."""
_NOTES = (
    "The view is the library's own partial one, told as a list. Several actions in a message are one move.",
    "Of BabyAI's levels the right cases are what the library's bot does; of the others the shortest way to the goal.",
)


class MiniGrid(LibrarySource):
    """What the newest ``minigrid`` registers."""

    name = "minigrid"
    distribution = "minigrid"

    @functools.cached_property
    def _games(self) -> dict[str, Registration]:
        found = registrations(self.library, "minigrid", frozenset({"register"}), "kwargs")
        return {game.name: game for game in found}

    def offers(self) -> Mapping[str, str]:
        return {name: _line(name) for name in self._games}

    def make(self, item: str) -> Draft:
        game = self._games[item]
        if game.module.startswith("minigrid.envs.wfc"):
            raise ImportRefusedError("its levels are made with networkx and imageio, which the library does not bring")
        family = "babyai" if item.startswith("BabyAI") else "minigrid"
        return game_draft(
            self,
            game,
            Glue("minigrid", whole=True, distributions=_RUNS),
            summary=_line(item),
            tags=["game", "grid", "navigation", "multi-turn", "one-player", family],
            notes=_NOTES,
        )


def _line(name: str) -> str:
    family, _, level = name.rpartition("-v")[0].partition("-")
    return f"{re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', level)}, a level of {family}"

"""GEM: its text games over several turns. Its other environments fetch data sets, or are reasoning-gym's."""

import functools
from collections.abc import Mapping

from hub_client.imports import library as libraries
from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.games import Glue, Registration, game_draft, registrations
from hub_client.imports.source import LibrarySource

_ROWS = "its rows are fetched from Hugging Face at run time: `verihub import rows:FILE` takes such rows from a file"
_WHY = dict.fromkeys(("math", "code", "qa", "logic", "eval"), _ROWS)
_WHY["rg"] = "it is reasoning-gym's: `verihub import reasoning-gym:NAME` has it"


class Gem(LibrarySource):
    """The environments that the newest ``gem-llm`` registers."""

    name = "gem"
    distribution = "gem-llm"

    @functools.cached_property
    def _games(self) -> dict[str, Registration]:
        return {game.name: game for game in registrations(self.library, "gem.envs", frozenset({"register"}))}

    def offers(self) -> Mapping[str, str]:
        return {name: _line(game) for name, game in self._games.items()}

    def make(self, item: str) -> Draft:
        game = self._games[item]
        family = item.partition(":")[0]
        if family != "game":
            raise ImportRefusedError(_WHY.get(family, "it needs a machine, a browser or a model of its own"))
        if "nltk" in self.library.imports(_module(self.library, game), frozenset({"gem", "gem.envs"})):
            raise ImportRefusedError("it fetches NLTK's word lists at run time, and a box has no network")
        found = Registration(game.name, _module(self.library, game), game.kind, game.options, game.source)
        tags = ["game", "multi-turn", "one-player", game.kind.removesuffix("Env").lower()]
        glue = Glue("gem", score=(-100.0, 100.0))
        return game_draft(self, found, glue, summary=_line(game), tags=tags)


def _module(library: libraries.Library, game: Registration) -> str:
    """The module that has the class: a folder names it after itself."""
    inner = f"{game.module}.{game.module.rpartition('.')[2]}"
    return inner if library.is_package(game.module) and inner in library.modules else game.module


def _line(game: Registration) -> str:
    level = game.name.rpartition("-v0-")[2].replace("-", " ")
    return f"{game.kind.removesuffix('Env')}, a game of GEM ({level})"

"""GEM: its text games over several turns. Its other environments fetch data sets, or are reasoning-gym's."""

import functools

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.draft import Draft, ImportRefusedError, Item
from hub_client.imports.games import Glue, Registration, game_draft, registrations
from hub_client.imports.registry import Request
from schemas.wording import nearest

_ROWS = "its rows are fetched from Hugging Face at run time: `verihub import rows:FILE` takes such rows from a file"
_WHY = dict.fromkeys(("math", "code", "qa", "logic", "eval"), _ROWS)
_WHY["rg"] = "it is reasoning-gym's: `verihub import reasoning-gym:NAME` has it"


class Gem:
    """The environments that the newest ``gem-llm`` registers."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @functools.cached_property
    def _library(self) -> libraries.Library:
        version = self._request.version
        return libraries.Library("gem-llm", self._request.cache, version and f"=={version}")

    @functools.cached_property
    def _games(self) -> dict[str, Registration]:
        return {game.name: game for game in registrations(self._library, "gem.envs", frozenset({"register"}))}

    def items(self) -> list[Item]:
        return [Item(name, _line(game), self._refused(name)) for name, game in self._games.items()]

    def draft(self, item: str) -> Draft:
        game = self._games.get(item)
        if game is None:
            raise NotFoundError(f"gem has no {item}; {nearest(item, list(self._games), what='there are')}")
        family = item.partition(":")[0]
        if family != "game":
            raise ImportRefusedError(_WHY.get(family, "it needs a machine, a browser or a model of its own"))
        if "nltk" in self._library.imports(_module(self._library, game), frozenset({"gem", "gem.envs"})):
            raise ImportRefusedError("it fetches NLTK's word lists at run time, and a box has no network")
        found = Registration(game.name, _module(self._library, game), game.kind, game.options, game.source)
        tags = ["game", "multi-turn", "one-player", game.kind.removesuffix("Env").lower()]
        glue = Glue("gem", score=(-100.0, 100.0))
        return game_draft("gem", self._library, found, glue, summary=_line(game), tags=tags)

    def _refused(self, item: str) -> str:
        try:
            self.draft(item)
        except ImportRefusedError as error:
            return str(error)
        return ""


def _module(library: libraries.Library, game: Registration) -> str:
    """The module that has the class: a folder names it after itself."""
    inner = f"{game.module}.{game.module.rpartition('.')[2]}"
    return inner if library.is_package(game.module) and inner in library.modules else game.module


def _line(game: Registration) -> str:
    level = game.name.rpartition("-v0-")[2].replace("-", " ")
    return f"{game.kind.removesuffix('Env')}, a game of GEM ({level})"

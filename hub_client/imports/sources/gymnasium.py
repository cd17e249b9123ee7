"""Gymnasium: its environments that can be told in text, with actions called by their names."""

import functools
from collections.abc import Mapping

from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.games import Glue, Registration, game_draft, registrations
from hub_client.imports.source import LibrarySource

_RUNS = frozenset({"numpy", "cloudpickle", "typing-extensions", "farama-notifications"})
"""What ``import gymnasium`` needs. Its modules mention much more: renderers, and frameworks it has wrappers for."""
_TEXT = {
    "BlackjackEnv": (
        "Blackjack: come closer to 21 than the dealer, and not above it.",
        ["stick", "hit"],
        (-1.0, 1.5),
    ),
    "FrozenLakeEnv": (
        "A frozen lake: walk from S to G over frozen tiles F, not into a hole H. A * marks where you are.",
        ["left", "down", "right", "up"],
        (0.0, 1.0),
    ),
    "TaxiEnv": (
        "A taxi in a city of five by five: fetch the passenger. Rows and columns begin with 0; | is a wall, : is none.",
        ["south", "north", "east", "west", "pickup", "dropoff"],
        (-2000.0, 20.0),
    ),
}
"""Class -> what the player is told, the actions' names by their numbers, the lowest and the highest sum of rewards."""
_NOTES = [
    "The text is the library's own rendering; a message may hold several actions, which count as one move.",
    "An episode ends after as many actions as the library's registration allows.",
]
_DRAWN_MAPS = (
    "Not as the library has it: each task has a map of its own, of the same size, drawn by the library's "
    "`generate_random_map`. The library's environment has one map, so that training and test would be the same task. "
    "Compare no number with published ones for the single map."
)
_MOST_ACTIONS = 200
"""Where the registration sets no limit: blackjack, which is over before."""
_SAME = "all its tasks are the same, so training and test tasks would be the same"


class Gymnasium(LibrarySource):
    """What the newest ``gymnasium`` registers."""

    name = "gymnasium"
    distribution = "gymnasium"

    @functools.cached_property
    def _games(self) -> dict[str, Registration]:
        return {
            game.name: game for game in registrations(self.library, "gymnasium.envs", frozenset({"register"}), "kwargs")
        }

    def offers(self) -> Mapping[str, str]:
        return {name: f"{game.kind.removesuffix('Env')} of Gymnasium" for name, game in self._games.items()}

    def make(self, item: str) -> Draft:
        game = self._games[item]
        if game.kind.startswith("CliffWalking"):
            raise ImportRefusedError(_SAME)
        if game.kind not in _TEXT:
            raise ImportRefusedError("its observations are numbers or pictures, not text")
        about, names, score = _TEXT[game.kind]
        limit = game.given.get("max_episode_steps", _MOST_ACTIONS)
        drawn = game.kind == "FrozenLakeEnv"
        words = {"NAMES": repr(names), "LIMIT": repr(limit), "ABOUT": repr(about)}
        glue = Glue("gymnasium", words, score=score, whole=True, distributions=_RUNS)
        title = f"{game.kind.removesuffix('Env')} of Gymnasium"
        return game_draft(
            self,
            game,
            glue,
            summary=f"{title} on drawn maps, told in text" if drawn else f"{title}, told in text",
            tags=["game", "multi-turn", "one-player", game.kind.removesuffix("Env").lower()],
            notes=[*_NOTES, _DRAWN_MAPS] if drawn else _NOTES,
        )

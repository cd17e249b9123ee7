"""kaggle-environments: ConnectX against the library's own players; its other environments are refused by name."""

from collections.abc import Mapping
from typing import ClassVar

from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.games import Glue, Registration, game_draft
from hub_client.imports.source import LibrarySource

_MODULE = "kaggle_environments.envs.connectx.connectx"
_RIVALS = {
    "connectx-random": "against moves drawn at random",
    "connectx-negamax": "against the library's player who looks five moves ahead",
}
_MODELS = "its players talk, so the others would have to be language models"
_MAPS = "a player gives orders for a whole map each turn, which no importer tells in words"
_REFUSED = {
    "rps": "its players keep what they have seen in the module, so games in one process would share it",
    "mab": "it draws from the system's random numbers, so no verdict could be repeated",
    "open_spiel_env": "its games are OpenSpiel's: `verihub import openspiel:NAME` has them",
    "chess": "the wheel has no rules for it: `verihub import openspiel:chess` has a chess",
    **dict.fromkeys(("llm_20_questions", "werewolf", "word_art", "word_association"), _MODELS),
    **dict.fromkeys(("halite", "hungry_geese", "kore_fleets", "lux_ai_2021", "lux_ai_s2", "lux_ai_s3"), _MAPS),
}


class Kaggle(LibrarySource):
    """Games of the newest ``kaggle-environments``."""

    name = "kaggle"
    distribution = "kaggle-environments"
    licence = "Apache-2.0"
    refusals: ClassVar = _REFUSED

    def offers(self) -> Mapping[str, str]:
        played = {name: f"ConnectX, four in a row, {line}" for name, line in _RIVALS.items()}
        return {**played, **dict.fromkeys(_REFUSED, "")}

    def make(self, item: str) -> Draft:
        if item in _REFUSED:
            raise ImportRefusedError(_REFUSED[item])
        rival = item.partition("-")[2]
        easy = "A player who always takes the middle column wins half of these games: it measures rules more than play."
        return game_draft(
            self,
            Registration(item, _MODULE, "", {"rival": rival}),
            Glue("kaggle", score=(-1.0, 1.0), distributions=frozenset()),
            summary=self.offers()[item],
            one_right_answer=False,  # against a poor player many moves win
            tags=["game", "board-game", "multi-turn", "two-player", "connect-four"],
            notes=[
                "The library's rules decide, called as they are; its machinery for timing and drawing is not used.",
                "Who begins, and what the other player draws, is seeded by the task. A full column loses, as there.",
                *([easy] if rival == "random" else []),
            ],
        )

"""TextArena: text games for one player, and games for two against a scripted player."""

import functools
import itertools
import re
from collections.abc import Mapping

from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.games import Glue, Registration, game_draft, registrations
from hub_client.imports.source import LibrarySource

_CALLS = frozenset({"register", "register_with_versions"})


def _numbers(count: int, form: str = "[{}]") -> list[str]:
    return [form.format(number) for number in range(count)]


def _pairs(count: int, form: str = "[{} {}]") -> list[str]:
    return [form.format(*pair) for pair in itertools.product(range(count), repeat=2)]


def _pawn_moves() -> list[str]:
    """From any square to the three before it, in either direction, on boards of up to eight columns."""
    files, ranks = "abcdefgh", range(1, 9)
    return [
        f"[{a}{rank}{b}{rank + step}]"
        for (i, a), (j, b) in itertools.product(enumerate(files), repeat=2)
        if abs(i - j) < 2
        for rank in ranks
        for step in (1, -1)
        if rank + step in ranks
    ]


def _draughts_moves() -> list[str]:
    places = itertools.product(range(8), repeat=2)
    steps = [(a * far, b * far) for a in (1, -1) for b in (1, -1) for far in (1, 2)]
    return [f"[{r} {c} {r + a} {c + b}]" for r, c in places for a, b in steps if 0 <= r + a < 8 and 0 <= c + b < 8]


_RIVALS = {
    "Breakthrough": _pawn_moves(),
    "Battleship": [f"[{row}{column}]" for row in "ABCDEFGHIJKLMN" for column in range(14)],
    "Checkers": _draughts_moves(),
    "Chopsticks": [*_pairs(2, "[attack {} {}]"), *_pairs(5, "[split {} {}]")],
    "ConnectFour": _numbers(12, "[col {}]"),
    "GameOfPureStrategy": [f"[{card}]" for card in ["a", "k", "q", "j", *range(2, 11)]],
    "GermanWhist": _numbers(14, "[play {}]"),
    "HighSociety": _numbers(12),
    "IndianPoker": ["[check]", "[call]", "[bet 1]", "[bet 5]", "[raise 2]", "[fold]"],
    "IteratedMatchingPennies": ["[heads]", "[tails]"],
    "IteratedPrisonersDilemma": ["[Cooperate]", "[Defect]"],
    "IteratedRockPaperScissors": ["[rock]", "[paper]", "[scissors]"],
    "IteratedTwoThirdsAverage": _numbers(101),
    "KuhnPoker": ["[check]", "[bet]", "[call]", "[fold]"],
    "MemoryGame": [f"[{a} {b} {c} {d}]" for a, b, c, d in itertools.product(range(4), repeat=4)],
    "Nim": _pairs(10),
    "Othello": _pairs(8, "[{}, {}]"),
    "PigDice": ["[roll]", "[hold]"],
    "QuantumTicTacToe": _pairs(9, "[{},{}]"),
    "ReverseTicTacToe": _numbers(9),
    "SimpleNegotiation": ["[Deny]"],  # and trades, which the template makes of what is on the table
    "SimpleTak": _numbers(64),
    "TicTacToe": _numbers(9),
    "UltimateTicTacToe": _pairs(9),
    "WildTicTacToe": [*_numbers(9, "[X {}]"), *_numbers(9, "[O {}]")],
}
"""Game -> moves from which the scripted player draws; the game says which of them are legal."""
_DRAWER = "The other player draws its moves, seeded by the task, from those that are legal."
_TRADER = (
    "The other player accepts an offer that is worth more to it than it costs. Else it refuses and offers a trade that "
    "is, drawn by the task's seed."
)
_REFUSED = {
    "BabyAiText": "it needs babyai_text, which is no package of the index",
    "Chess": "its rules are the library chess, under GPL-3.0, which a package of another licence cannot depend on",
    "GuessWho": "its other side is a model, and the box has none",
    "TwentyQuestions": "its other side is a model, and the box has none",
    "Debate": "a jury of models judges it",
    "ScenarioPlanning": "a jury of models judges it",
}


class TextArena(LibrarySource):
    """The environments of the newest ``textarena``, found by their registrations; those with ``-raw`` left out."""

    name = "textarena"
    distribution = "textarena"

    @functools.cached_property
    def _games(self) -> dict[str, Registration]:
        found = registrations(self.library, "textarena.envs", _CALLS)
        kept = (game for game in found if not re.search(r"-(raw|train)\b", game.name))
        return {game.name: _own_options(game) for game in kept}

    def offers(self) -> Mapping[str, str]:
        return {name: _line(game) for name, game in self._games.items()}

    def make(self, item: str) -> Draft:
        game = self._games[item]
        folder = _folder(game)
        if folder in _REFUSED:
            raise ImportRefusedError(_REFUSED[folder])
        text = self.library.files.get(game.module.replace(".", "/") + ".py", b"").decode()
        alone = "SinglePlayerState" in text
        if not alone and folder not in _RIVALS:
            raise ImportRefusedError("it takes other players who talk or plan, and no scripted one is known here")
        if "nltk" in self.library.imports(game.module, frozenset({"textarena", "textarena.envs"})):
            raise ImportRefusedError("it fetches NLTK's word lists at run time, and a box has no network")
        rival = [] if alone else _RIVALS[folder]
        trades = folder == "SimpleNegotiation"
        words = {"BRACKETS": repr("ActionFormattingWrapper" in game.source), "RIVAL": repr(rival)}
        glue = Glue("textarena", words, ("textarena.core", "textarena.state"), (-1.0, 1.0))
        return game_draft(
            self,
            game,
            glue,
            summary=_line(game),
            one_right_answer=alone,
            tags=[
                *("game", "multi-turn", "one-player" if alone else "two-player", folder.lower()),
                *(("negotiation", "bargaining") if trades else ()),
            ],
            notes=[] if alone else [_TRADER if trades else _DRAWER],
        )


def _own_options(game: Registration) -> Registration:
    options = {key: value for key, value in game.options.items() if key not in {"wrappers", "default_wrappers"}}
    return Registration(game.name, game.module, game.kind, options, game.source)


def _folder(game: Registration) -> str:
    return game.module.split(".")[2]


def _line(game: Registration) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", _folder(game))
    options = ", ".join(
        f"{key.replace('_', ' ')} {value}" for key, value in game.options.items() if not isinstance(value, list)
    )
    return f"{words}, a game of TextArena" + (f" ({options})" if options else "")

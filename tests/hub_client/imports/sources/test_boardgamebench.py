"""A small library of our own in the shape of boardgamebench: who takes the last of a pile of counters wins."""

import sys

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.registry import Request
from hub_client.imports.sources.boardgamebench import BoardGameBench
from tests.hub_client.imports.game_code import deals, load, talk, wins
from tests.making import library as making

GAMES = """
from types import SimpleNamespace


class Pile:
    current_player = 1

    def __init__(self, left, player):
        self.left, self.current_player = left, player

    def legal_moves(self):
        return [SimpleNamespace(label=f"take {count}", payload=count) for count in (1, 2, 3) if count <= self.left]

    def apply_move(self, move):
        return Pile(self.left - move.payload, -self.current_player)

    def is_terminal(self):
        return self.left == 0

    def winner(self):
        return -self.current_player if self.left == 0 else 0

    def render(self):
        return f"{self.left} counters, {self.current_player:+d} to move"

    def rules(self):
        return "Who takes the last counter wins."

    def move_by_label(self, label):
        return next((move for move in self.legal_moves() if move.label == label.strip()), None)


class Factory:
    def initial_state(self):
        return Pile(40, 1)


GAME_FACTORIES = {"connect_four": Factory(), "othello_8x8": Factory()}


def get_game_factory(name):
    return GAME_FACTORIES[name]
"""
SEARCH = """
def choose_engine_move(state, depth):
    best = state.left % 4
    move = state.legal_moves()[best - 1 if best and depth > 1 else 0]
    return move, 0.0
"""
FILES = {
    "boardgamebench/__init__.py": "",
    "boardgamebench/games/__init__.py": GAMES,
    "boardgamebench/games/search.py": SEARCH,
}


@pytest.fixture
def source(cache, monkeypatch, tmp_path):
    lock = making.keep(cache, "boardgamebench", "0.1.2", making.plain_wheel("boardgamebench", "0.1.2", FILES))
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    for path, text in FILES.items():
        (tmp_path / "library" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "library" / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "library"))
    yield BoardGameBench(Request(cache))
    for name in [name for name in sys.modules if name.startswith("boardgamebench")]:
        del sys.modules[name]


def test_each_game_of_the_librarys_table_comes_in_two_levels(source) -> None:
    assert list(source.offers()) == [
        f"{name}-{level}" for name in ("connect_four", "othello_8x8") for level in ("easy", "hard")
    ]


def test_games_are_dealt_played_again_and_won_by_who_looks_further(source) -> None:
    game = load(source.draft("connect_four-easy"))
    tasks = deals(game, 20)
    assert len({task["prompt"] for task in tasks}) > 8, "openings differ"
    assert {"You play X", "You play O"} <= {task["prompt"].split("\n\n")[1].split(";")[0] for task in tasks}
    assert wins(game, tasks) > 10


def test_a_hard_game_has_no_known_wins_and_four_illegal_moves_in_a_row_lose(source) -> None:
    game = load(source.draft("othello_8x8-hard"))
    (task,) = deals(game, 1)
    assert task["answer"] is None
    say = talk(game, task)
    assert say("take 9").startswith("That is no legal move.")
    assert "Legal moves: take 1" in say("take 1")
    assert [("-1 for you" in say("pass")) for _ in range(4)] == [False, False, False, True]
    moves = ["take 1", *["pass"] * 4]
    assert game.verify(task, {"moves": moves}) == {"solved": 0.0, "score": -1.0, "moves": 5.0}
    assert game.verify(task, {"moves": ["pass", "pass", "pass", "take 1", "pass"]})["score"] == 0.0

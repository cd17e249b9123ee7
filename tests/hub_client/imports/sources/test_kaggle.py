"""A small library of our own with the functions of kaggle-environments' ConnectX, by other rules: the lowest cell wins."""

import sys

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.sources.kaggle import Kaggle
from tests.hub_client.imports.game_code import deals, load, talk, wins
from tests.making import library as making

RULES = """
from random import choice


def is_win(board, column, mark, config, has_played=True):
    return sum(board[column + row * config.columns] == mark for row in range(config.rows)) >= (2 if has_played else 1)


def interpreter(state, env):
    config = env.configuration
    if not state[0].observation.board:
        state[0].observation.board = [0] * (config.rows * config.columns)
        return
    active, other = sorted(state, key=lambda player: player.status != "ACTIVE")
    board, column = state[0].observation.board, active.action
    if column >= config.columns or board[column]:
        active.status, other.status = f"Invalid column: {column}", "DONE"
        return
    row = max(row for row in range(config.rows) if not board[column + row * config.columns])
    board[column + row * config.columns] = active.observation.mark
    if is_win(board, column, active.observation.mark, config):
        active.reward, other.reward = 1, -1
        active.status = other.status = "DONE"
        return
    active.status, other.status = "INACTIVE", "ACTIVE"


def _draw(seen, config):
    assert seen.mark in (1, 2)
    return choice([column for column in range(config.columns) if not seen.board[column]])


agents = {"random": _draw, "negamax": _draw}
"""
FILES = {
    "kaggle_environments/__init__.py": "raise ImportError('every environment')\n",
    "kaggle_environments/envs/__init__.py": "",
    "kaggle_environments/envs/connectx/__init__.py": "",
    "kaggle_environments/envs/connectx/connectx.py": RULES,
}


@pytest.fixture
def kaggle(cache, monkeypatch, tmp_path):
    data = making.plain_wheel("kaggle-environments", "1.33.2", FILES, ("jax", "Flask"))
    lock = making.keep(cache, "kaggle-environments", "1.33.2", data)
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    for path, text in FILES.items():
        (tmp_path / "library" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "library" / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path / "library"))
    yield Kaggle(Request(cache))
    for name in [name for name in sys.modules if name.startswith("kaggle_environments")]:
        del sys.modules[name]


def test_connectx_needs_the_wheel_alone_and_the_rest_says_why_not(kaggle) -> None:
    needs = kaggle.draft("connectx-random").needs
    assert ([item.name for item in needs.lock], needs.without) == (["kaggle-environments"], ["flask", "jax"])
    refused = {item.name: item.refused for item in kaggle.items()}
    assert {name for name, why in refused.items() if not why} == {"connectx-random", "connectx-negamax"}
    with pytest.raises(ImportRefusedError, match="no verdict could be repeated"):
        kaggle.draft("mab")


def test_games_are_dealt_played_again_and_won(kaggle) -> None:
    game = load(kaggle.draft("connectx-random"))
    tasks = deals(game, 12)
    assert wins(game, tasks) >= 6
    assert {task["prompt"].partition("as player ")[2][0] for task in tasks} == {"1", "2"}, "who begins is drawn"
    assert len({task["info"]["deal"] for task in tasks}) == 12
    assert load(kaggle.draft("connectx-negamax")).generate("test", 0, 0)["answer"] is None


def test_words_and_signs_are_no_column_and_a_column_that_is_full_or_not_there_loses(kaggle) -> None:
    game = load(kaggle.draft("connectx-random"))
    task = deals(game, 1)[0]
    say = talk(game, task)
    for move in ("", "left", "-1", "3 or 4", "1.5"):
        assert say(move).startswith("That is no column."), move
    assert "-1 for you" in say("Column 9.")
    assert game.verify(task, {"moves": ["9"]}) == {"solved": 0.0, "score": -1.0, "moves": 1.0}

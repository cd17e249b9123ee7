import pytest

from hub_client.imports import library as libraries
from hub_client.imports.registry import Request
from hub_client.imports.sources.openspiel import OpenSpiel
from tests.hub_client.imports.game_code import deals, load, talk, wins
from tests.making import library as making


@pytest.fixture
def spiel(cache, monkeypatch) -> OpenSpiel:
    data = making.plain_wheel("open-spiel", "2.0", {"open_spiel/__init__.py": ""})
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "open-spiel", "2.0", data))
    return OpenSpiel(Request(cache))


def test_a_game_comes_against_a_player_who_draws_and_some_against_one_who_searches(spiel) -> None:
    offered = {item.name: item.refused for item in spiel.items()}
    assert not any(offered.values())
    assert {"chess", "connect_four", "connect_four-mcts"} <= offered.keys()
    assert not spiel.draft("kuhn_poker").one_right_answer, "Bet wins and Pass wins"
    assert "chess-mcts" not in offered, "a search of chess is too slow for a box"
    draft = spiel.draft("connect_four-mcts")
    assert "searches the game tree" in " ".join(draft.notes)
    assert [item.name for item in draft.needs.lock] == ["open-spiel"]


@pytest.mark.parametrize(
    ("name", "known"), [("tic_tac_toe", 5), ("leduc_poker", 4), ("connect_four-mcts", 3), ("backgammon", 1)]
)
def test_games_of_the_real_library_are_dealt_played_and_won(spiel, name: str, known: int) -> None:
    game = load(spiel.draft(name))
    tasks = deals(game, 8)
    assert wins(game, tasks) >= known
    assert len({task["info"]["deal"] for task in tasks}) == 8, "each deal has its own chances and its own rival"
    assert {task["prompt"].partition("as player ")[2][0] for task in tasks} == {"0", "1"}, "who begins is drawn"


def test_every_game_that_is_offered_is_one_of_the_library(spiel) -> None:
    games = {load(spiel.draft(item.name))._game.get_type().short_name for item in spiel.items()}
    assert games == {item.name.removesuffix("-mcts") for item in spiel.items()}


def test_a_move_that_is_not_legal_is_said_so_and_changes_nothing(spiel) -> None:
    game = load(spiel.draft("tic_tac_toe"))
    task = deals(game, 1)[0]
    say = talk(game, task)
    for move in ("", "x(9,9)", "resign", "[]", "o(0,0)x(0,0)"):
        assert say(move).startswith("That is no legal move."), move
    assert not say(f" [{task['answer'][0].upper()}] ").startswith("That is no legal move."), (
        "brackets and case do not count"
    )


def test_a_score_of_a_game_for_stakes_is_the_librarys(spiel) -> None:
    draft = spiel.draft("leduc_poker")
    assert draft.rewards["score"]["range"] == [-13.0, 13.0]
    game = load(draft)
    task = next(task for task in deals(game, 8) if task["answer"])
    assert 1 <= game.verify(task, {"moves": task["answer"]})["score"] <= 13

from pathlib import Path
from types import SimpleNamespace

import minigrid
import pytest

from hub_client.imports import library as libraries
from hub_client.imports.registry import Request
from hub_client.imports.sources.minigrid import MiniGrid
from tests.hub_client.imports.game_code import deals, load, talk, wins
from tests.making import library as making


@pytest.fixture
def grid(cache, monkeypatch) -> MiniGrid:
    home = Path(minigrid.__file__).parent
    paths = ["__init__.py", "envs/__init__.py", "envs/babyai/__init__.py", "envs/wfc/__init__.py"]
    data = making.plain_wheel("minigrid", "3.2", {f"minigrid/{path}": (home / path).read_text() for path in paths})
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "minigrid", "3.2", data))
    monkeypatch.setattr(libraries.Library, "needs_only", lambda self, names: self.needs_nothing_else())
    return MiniGrid(Request(cache))


@pytest.fixture
def game(grid):
    return lambda name: load(grid.draft(name))


def test_levels_are_found_in_a_function_that_registers_them(grid) -> None:
    refused = {item.name: item.refused for item in grid.items()}
    assert len(refused) > 100
    assert not refused["MiniGrid-DoorKey-8x8-v0"]
    assert not refused["BabyAI-GoToObj-v0"]
    draft = grid.draft("MiniGrid-LavaCrossingS9N2-v0")
    assert "'num_crossings': 2" in draft.code
    assert draft.summary == "Lava Crossing S9N2, a level of MiniGrid"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("MiniGrid-LavaCrossingS9N1-v0", 4),
        ("BabyAI-GoToObj-v0", 3),
        ("BabyAI-PickupLoc-v0", 2),
        ("MiniGrid-DoorKey-5x5-v0", 0),
    ],
)
def test_levels_of_the_real_library_are_dealt_played_and_solved(game, name: str, known: int) -> None:
    played = game(name)
    assert wins(played, deals(played, 4)) >= known


def test_what_the_agent_sees_is_told_with_distances_to_its_own_place(game) -> None:
    played = game("BabyAI-GoToObj-v0")
    text = deals(played, 1)[0]["prompt"]
    assert text.startswith("Your mission: go to the ")
    assert " ahead" in text
    seen = played._where(2, -1), played._where(0, 3), played._where(4, 0)
    assert seen == ("2 ahead and 1 to the left", "3 to the right", "4 ahead")
    door = SimpleNamespace(type="door", color="red", is_open=False, is_locked=True)
    assert played._called(door) == "a locked red door"


def test_the_same_actions_a_word_each_or_in_one_message_solve_a_level(game) -> None:
    played = game("MiniGrid-LavaCrossingS9N1-v0")
    task = next(task for task in deals(played, 4) if task["answer"])
    apart = played.verify(task, {"moves": task["answer"]})
    together = played.verify(task, {"moves": [", ".join(task["answer"])]})
    assert apart["score"] == together["score"] > 0
    assert (apart["moves"], together["moves"]) == (len(task["answer"]), 1.0)
    assert talk(played, task)("jump").startswith("These are the actions: turn left")


def test_where_the_librarys_bot_plans_without_end_no_winning_moves_are_known(game) -> None:
    """Deal 4 of this level: the bot lays the key down and picks it up in its mind for ever."""
    played = game("BabyAI-UnlockToUnlock-v0")
    assert played.Game(3).winning_moves()
    assert played.Game(4).winning_moves() is None


def test_a_room_without_a_place_for_the_agent_is_dealt_anew(game) -> None:
    """The library looked for a place in this deal without end."""
    played = game("BabyAI-SynthS5R2-v0")
    task = played.generate("test", 0, 4)
    assert task["prompt"] == played.generate("test", 0, 4)["prompt"]
    assert task["answer"]

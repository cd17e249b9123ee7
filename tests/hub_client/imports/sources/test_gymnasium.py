from pathlib import Path

import gymnasium
import pytest

from hub_client.imports import library as libraries
from hub_client.imports.registry import Request
from hub_client.imports.sources.gymnasium import Gymnasium
from tests.hub_client.imports.game_code import deals, load, talk, wins
from tests.making import library as making


@pytest.fixture
def gym(cache, monkeypatch) -> Gymnasium:
    home = Path(gymnasium.__file__).parent
    paths = ["envs/__init__.py", *(str(path.relative_to(home)) for path in (home / "envs" / "toy_text").glob("*.py"))]
    data = making.plain_wheel("gymnasium", "1.4", {f"gymnasium/{path}": (home / path).read_text() for path in paths})
    monkeypatch.setattr(libraries, "lock_alone", lambda _, cache, *_more: making.keep(cache, "gymnasium", "1.4", data))
    monkeypatch.setattr(libraries.Library, "needs_only", lambda self, names: self.needs_nothing_else())
    return Gymnasium(Request(cache))


def test_what_can_be_told_in_text_is_offered_and_the_rest_says_why_not(gym) -> None:
    refused = {item.name: item.refused for item in gym.items()}
    taken = {name for name, why in refused.items() if not why}
    assert taken >= {"Blackjack-v1", "FrozenLake-v1", "FrozenLake8x8-v1"}
    assert any(name.startswith("Taxi") for name in taken)
    assert "numbers or pictures" in refused["CartPole-v1"]
    assert "all its tasks are the same" in refused["CliffWalking-v1"]


@pytest.mark.parametrize(("kind", "known", "different"), [("FrozenLake", 4, 8), ("Taxi", 8, 7), ("Blackjack", 2, 8)])
def test_episodes_of_the_real_library_are_dealt_played_and_won(gym, kind: str, known: int, different: int) -> None:
    game = load(gym.draft(next(item.name for item in gym.items() if item.name.startswith(f"{kind}-"))))
    tasks = deals(game, 8)
    assert wins(game, tasks) >= known
    assert len({task["info"]["deal"] for task in tasks}) >= different


def test_several_actions_are_one_move_and_a_word_that_is_none_is_said_so(gym) -> None:
    game = load(gym.draft(next(item.name for item in gym.items() if item.name.startswith("Taxi"))))
    task = deals(game, 1)[0]
    say = talk(game, task)
    assert say("fly").startswith("These are the actions: south")
    assert say("south, fly").startswith("These are the actions"), (
        "nothing is done of a message with a word that is none"
    )
    assert say("South; NORTH.").endswith("Reward so far: -2.")
    assert game.verify(task, {"moves": [", ".join(task["answer"])]})["solved"] == 1.0


def test_an_episode_is_as_long_as_the_library_allows_and_a_drawn_map_is_said(gym) -> None:
    for item, actions, drawn in [
        ("FrozenLake-v1", 100, True),
        ("FrozenLake8x8-v1", 200, True),
        ("Taxi-v4", 200, False),
    ]:
        draft = gym.draft(item)
        longest = load(draft).LIMIT
        assert longest == actions
        assert ("drawn maps" in draft.summary) is drawn
        assert any("Not as the library has it" in note for note in draft.notes) is drawn


def test_the_slippery_lake_has_a_map_for_each_task_and_the_library_plays_it(gym) -> None:
    game = load(gym.draft("FrozenLake-v1"))
    first, second = deals(game, 2)
    assert first["prompt"] != second["prompt"], "one map for all would make training and test the same task"
    say = talk(game, first)
    last = ""
    for _ in range(game.LIMIT):
        last = say("left")
        if "over" in last:
            break
    assert "over" in last, "after as many actions as the registration allows, at the latest"

"""The first step warns of what a run would silently learn less from than it was asked to."""

import pytest

from tests.trainer_bridge.conftest import Told
from tests.trainer_bridge.sessions_in_memory import Counting, SessionHub
from trainer_bridge.loop import train


class Silent(Counting):
    """It judges no step."""

    def step(self, message):
        said = super().step(message)
        return {"messages": said["messages"], "done": said["done"]}


def warned(make_settings, session=Counting, **changes):
    """The warnings of a run on sessions of three turns."""
    told = Told()
    changes = {"recipe": "turns", "steps": 2, "eval_tasks": 0, **changes}
    train(make_settings(targets=("test/counting",), **changes), hub=SessionHub(session), progress=told)
    return [text for text in told.warned if "first step" in text]


def test_a_run_that_learns_from_all_that_it_was_asked_to_warns_of_nothing(make_settings):
    assert warned(make_settings) == []
    assert warned(make_settings, max_turns=3, output=make_settings().output / "limited") == []


def test_a_limit_that_ends_every_rollout_is_told_once_with_its_name(make_settings):
    (text,) = warned(make_settings, max_turns=1)
    assert text.startswith("a limit (max_turns=1 or the model's context) ended every rollout of the first step")


@pytest.mark.parametrize("recipe", ["turns", "dr_grpo"])
def test_a_recipe_of_rewards_by_turn_says_where_there_are_none(recipe, make_settings):
    texts = warned(make_settings, Silent, recipe=recipe)
    assert [text.partition(":")[0] for text in texts] == (
        ["recipe turns (turn_returns) learns from rewards by turn, and no turn of the first step had any"]
        if recipe == "turns"
        else []
    )

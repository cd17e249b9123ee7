"""The first step warns of what a run would silently learn less from than it was asked to."""

import pytest

from schemas.manifest import RewardDeclaration
from tests.trainer_bridge.conftest import Told
from tests.trainer_bridge.sessions_in_memory import Counting, SessionHub
from trainer_bridge.loop import train
from trainer_bridge.recipe import load_recipe
from trainer_bridge.reports.first_step import first_step_warnings
from trainer_bridge.rewards import RewardSpace


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


OPEN = RewardDeclaration(role="gate", threshold=0.5)


TELLS = ["a sample that fails a gate (polite) earns 0, and one that passes may earn as little as -0.5"]


@pytest.mark.parametrize(
    ("recipe", "score", "gates", "said"),
    [
        ("dapo", RewardDeclaration(range=(-1.0, 1.0), weight=0.5), {"polite": OPEN}, TELLS),
        ("dapo", RewardDeclaration(range=(0.0, 1.0), weight=-0.5), {"polite": OPEN}, TELLS),
        ("gdpo", RewardDeclaration(range=(-1.0, 1.0), weight=0.5), {"polite": OPEN}, []),
        ("dapo", RewardDeclaration(range=(0.0, 1.0)), {"polite": OPEN}, []),
        ("dapo", RewardDeclaration(range=(-1.0, 1.0)), {}, []),
    ],
)
def test_a_gate_that_is_better_failed_than_passed_is_told(recipe, score, gates, said, make_settings):
    space = RewardSpace({"score": score, **gates})
    texts = first_step_warnings({}, make_settings(), load_recipe(recipe), space)
    assert [text.partition(":")[0] for text in texts] == said


def test_of_several_environments_each_is_looked_at_by_itself(make_settings):
    score = RewardDeclaration(range=(-1.0, 1.0), weight=0.5)
    apart = RewardSpace({"score": score, "polite": OPEN}, (frozenset({"score"}), frozenset({"polite"})))
    assert list(first_step_warnings({}, make_settings(), load_recipe("dapo"), apart)) == []


def test_a_process_that_was_started_beside_others_says_that_it_trains_alone(make_settings, monkeypatch):
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "1")
    told = Told()
    settings = make_settings(targets=("test/counting",), steps=1, eval_tasks=0)
    train(settings, hub=SessionHub(Counting), progress=told)
    assert any("each of them trains a model of its own" in text for text in told.warned)

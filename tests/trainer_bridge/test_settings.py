"""Settings: every wrong value is refused with its name and the reason, and the learning rate is what is written."""

import math
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer_bridge.errors import EnvironmentUnfitError, SettingsError
from trainer_bridge.learn.learner import learning_rate_at
from trainer_bridge.settings import TrainSettings, check_fit, stranded

BASE = {"targets": ("al/a",), "output": "run"}


def make(table=None, /, **changes):
    return TrainSettings.make(BASE | changes, table)


def refusal(table=None, /, **changes):
    with pytest.raises(SettingsError) as caught:
        make(table, **changes)
    return str(caught.value)


WRONG = {
    "targets": [(), "", None, 3],
    "target_weights": [(0.0,), (-1.0,), (math.nan,), (math.inf,), ("much",)],
    "model": [None, 3],
    "recipe": [None, ["dapo"]],
    "recipe_overrides": ["epsilon=1", None],
    "output": [None, 3],
    "seed": [1.5, "x", None],
    "dtype": ["float16", "", None],
    "sft_steps": [-1],
    "threads": [-1],
    "steps": [-1, 1.5, "many", None],
    "prompts_per_step": [0, -1],
    "num_generations": [1, 0, -1],
    "max_completion_length": [0],
    "temperature": [0, -1, math.nan, math.inf],
    "top_p": [0, -0.1, 1.0001, math.nan],
    "top_k": [-1],
    "decode_slots": [0],
    "max_generation_batches": [0],
    "max_tasks": [0],
    "learning_rate": [0, -1e-5, math.nan, math.inf, "high"],
    "lr_scheduler_type": ["exponential", "", None],
    "warmup_steps": [-1],
    "weight_decay": [-0.1, math.inf],
    "adam_beta1": [1, -0.1, math.nan],
    "adam_beta2": [1, 1.5, -0.1],
    "adam_epsilon": [0, -1],
    "max_grad_norm": [0, -1, math.nan],
    "num_iterations": [0],
    "steps_per_generation": [0],
    "max_tokens_per_microbatch": [-1],
    "eval_tasks": [-1],
    "num_generations_eval": [0],
    "save_steps": [-1],
    "save_total_limit": [0, -1],
    "rollouts_per_step": [-1],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_value_is_refused_by_name_and_shown(name, value):
    said = refusal(**{name: value})
    assert said.startswith(name)
    assert "got " in said
    assert said == said.splitlines()[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("top_p", 1.0),
        ("num_generations", 2),
        ("adam_beta1", 0.0),
        ("temperature", 1e-3),
        ("steps", 0),
        ("weight_decay", 0.0),
        ("save_steps", 0),
        ("top_k", 0),
    ],
)
def test_values_at_the_edge_are_accepted(name, value):
    assert getattr(make(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("learning_rates", "learning_rate"),
        ("num_generation", "num_generations"),
        ("step", "steps"),
        ("max_completion_lenght", "max_completion_length"),
        ("lr", "there are"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(name, near):
    assert f"unknown setting {name!r}" in refusal(**{name: 1})
    assert near in refusal(**{name: 1})
    assert refusal({name: 1}).startswith("the recipe's settings: ")


def test_several_faults_are_told_at_once():
    said = refusal(temperature=0, steps=-1, learning_rate=-1)
    assert all(name in said for name in ("temperature", "steps", "learning_rate"))


def test_weights_are_one_for_each_target():
    assert "2 targets but 1 weight" in refusal(targets=("al/a", "al/b"), target_weights=(1.0,))
    assert make(targets=("al/a", "al/b"), target_weights=(1.0, 3.0)).target_weights == (1.0, 3.0)


def test_a_pass_is_not_cut_into_more_steps_than_groups():
    assert "steps_per_generation cannot exceed" in refusal(prompts_per_step=2, steps_per_generation=3)
    assert make(prompts_per_step=3, steps_per_generation=3)


def test_what_the_caller_says_wins_over_the_recipe_and_the_recipe_over_the_default():
    recipe = {"temperature": 0.9, "steps": 7}
    settings = make(recipe, steps=3)
    assert (settings.temperature, settings.steps, settings.top_p) == (0.9, 3, 1.0)


def test_a_wrong_value_of_a_recipe_is_refused_as_well():
    assert "temperature" in refusal({"temperature": -1})


def test_settings_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        make().steps = 5


def by_hand(rate, schedule, warmup, steps, step):
    scale = {"constant": 1.0, "linear": (steps - step) / steps, "cosine": (1 + math.cos(math.pi * step / steps)) / 2}[
        schedule
    ]
    return rate * scale * (min(step + 1, warmup) / warmup if warmup else 1)


@given(st.sampled_from(["constant", "linear", "cosine"]), st.integers(0, 30), st.integers(1, 50), st.data())
def test_the_learning_rate_is_the_formula_s(schedule, warmup, steps, data):
    step = data.draw(st.integers(0, steps - 1))
    settings = make(learning_rate=3e-4, lr_scheduler_type=schedule, warmup_steps=warmup, steps=steps)
    rate = learning_rate_at(settings, step)
    assert rate == pytest.approx(by_hand(3e-4, schedule, warmup, steps, step), rel=1e-12)
    assert 0 < rate <= 3e-4


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine"])
def test_the_rate_rises_through_the_warm_up_and_never_rises_after(schedule):
    settings = make(lr_scheduler_type=schedule, warmup_steps=5, steps=40)
    rates = [learning_rate_at(settings, step) for step in range(40)]
    assert all(later <= earlier + 1e-18 for earlier, later in pairwise(rates[5:]))
    if schedule == "constant":
        assert rates[:5] == pytest.approx([settings.learning_rate * share for share in (0.2, 0.4, 0.6, 0.8, 1.0)])


def test_the_table_for_the_run_page_is_flat_and_names_no_folder_of_this_machine():
    table = make(targets=("al/a", "al/b"), demonstrations="/home/me/games.jsonl").as_table()
    assert table["targets"] == "al/a, al/b"
    assert not {"output", "cache", "resume", "recipe_overrides", "demonstrations"} & set(table)
    assert all(isinstance(value, (str, int, float, bool)) for value in table.values())


def test_a_split_that_is_not_there_is_refused_with_the_option_that_names_another():
    manifest = SimpleNamespace(id="al/a", tasks={"test": "test.jsonl"})
    with pytest.raises(EnvironmentUnfitError, match=r"it has test.*--set train_split=SPLIT"):
        check_fit(manifest, make())
    check_fit(manifest, make(train_split="test"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"WORLD_SIZE": "2", "RANK": "1"}, "WORLD_SIZE=2"),
        ({"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"}, "OMPI_COMM_WORLD_SIZE=4"),
        ({"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"}, "SLURM_STEP_NUM_TASKS=2"),
        ({"WORLD_SIZE": "2", "RANK": "1", "TORCHELASTIC_RUN_ID": "x"}, ""),
        ({"WORLD_SIZE": "1", "RANK": "0"}, ""),
        ({"WORLD_SIZE": "2"}, ""),
        ({"SLURM_NTASKS": "8", "SLURM_PROCID": "0"}, ""),
        ({}, ""),
    ],
)
def test_a_process_that_another_launcher_started_as_one_of_several_is_known(given, said, monkeypatch):
    for name in ("TORCHELASTIC_RUN_ID", "WORLD_SIZE", "RANK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert stranded() == said


def test_the_settings_that_differ_from_the_defaults_and_from_the_recipes_are_named():
    """A run's page began with about seventy settings, of which four had been chosen."""
    settings = make(targets=("al/a",), steps=7, temperature=0.5, learning_rate=0.25)
    assert settings.names_changed({"learning_rate": 0.25}) == ["targets", "steps", "temperature"]
    assert "learning_rate" in settings.names_changed({})
    assert make(report_to=("wandb",)).names_changed({"report_to": ["wandb"]}) == ["targets"]

"""The parts of a run: what a checkpoint holds and is refused for, and what a run says of itself."""

from dataclasses import replace

import pytest
import torch

from tests.trainer_bridge.conftest import Told
from trainer_bridge.errors import CheckpointMismatchError
from trainer_bridge.learn import checkpoints
from trainer_bridge.run_parts import _overridden


def test_a_checkpoint_brings_back_all_that_changes(build):
    with build(sft_steps=1, recipe="grpo") as parts:
        parts.stream.draw(5)
        parts.state.step, parts.state.tokens = 3, 99.0
        parts.run_logger.run_id = "run-7"
        torch.rand(3, generator=parts.worker.generator)
        for master in parts.learner.weights.masters:
            master.data.add_(0.5)
        parts.learner.take_reference()
        parts.save()
        drawn, random = parts.stream.draw(4), torch.rand(2, generator=parts.worker.generator)
        weights = parts.learner.weights.copy()
    told = Told()
    with build(sft_steps=1, recipe="grpo", resume=True, progress=told) as again:
        assert (again.state.step, again.state.tokens, again.run_logger.run_id) == (3, 99.0, "run-7")
        assert again.stream.draw(4) == drawn
        assert torch.equal(torch.rand(2, generator=again.worker.generator), random)
        for found in (again.learner.weights.copy(), again.learner.reference):
            assert all(torch.equal(one, two) for one, two in zip(found, weights, strict=True))
    assert told.said[-1] == "Resuming after step 3"


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"temperature": 0.5}, "temperature"), ({"seed": 3}, "seed"), ({"eval_tasks": 2}, "eval_tasks"),
     ({"recipe": "rloo"}, "advantage")],
)  # fmt: skip
def test_what_decides_a_runs_numbers_may_not_change_when_it_resumes(changes, named, build):
    with build() as parts:
        parts.save()
    with pytest.raises(CheckpointMismatchError, match=rf"another run's:.*\b{named}"), build(resume=True, **changes):
        pass


def test_other_bytes_of_a_package_are_another_run(build, fake_hub, fake_environment):
    with build() as parts:
        parts.save()
    other = fake_environment()
    other.digest = "sha256:" + "1" * 64
    with pytest.raises(CheckpointMismatchError, match="packages was"), build(fake_hub(other), resume=True):
        pass


def test_how_often_a_checkpoint_is_written_is_no_part_of_a_run(build):
    with build() as parts:
        parts.save()
    with build(resume=True, save_steps=7, rollouts_per_step=1) as parts:
        path = checkpoints.newest_checkpoint(parts.settings.output)
        assert path is not None


def test_a_run_is_told_to_the_hub_with_all_that_it_was_made_of(build):
    with build() as parts:
        told = parts.run_to_create()
        assert (told.name, told.model, told.recipe) == ("dapo on test/digits", "tiny", "dapo")
        assert [one.package for one in told.packages] == ["test/digits"]
        assert told.config["surrogate.clip.epsilon_high"] == 0.28
        assert told.config["steps"] == 3
        assert told.config["dtype"] == "float32"
        shown = told.config["shown_first"]
        assert set(shown) <= told.config.keys()
        assert {"targets", "model", "steps", "parameters", "device"} <= set(shown)
        assert not {"weight_decay", "project", "surrogate.clip.epsilon_high"} & set(shown), "as the recipe has them"
        receipt = parts.receipt({})
        assert receipt.model["parameters"] == sum(one.numel() for one in parts.loaded.model.parameters())
        assert receipt.packages == told.packages


def test_a_model_of_a_hub_is_part_of_the_run_by_its_commit(build):
    with build() as parts:
        fetched = replace(parts, loaded=replace(parts.loaded, revision="0123abc"))
        assert fetched.identity()["model_revision"] == "0123abc"
        assert fetched.receipt({}).model["model_revision"] == "0123abc"
        assert "model_revision" not in parts.identity() | parts.receipt({}).model


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("surrogate.epsilon_high", ["surrogate.clip.epsilon_high"]),
        ("surrogate.clip.epsilon_high", ["surrogate.clip.epsilon_high"]),
        ("reduction", ["reduction", "reduction.token_mean.per"]),
        ("shapers.other.epsilon_high", []),
    ],
)
def test_what_overrides_of_a_recipe_set_is_known_by_its_names(path, names):
    table = dict.fromkeys(
        ["recipe", "surrogate", "surrogate.clip.epsilon_high", "reduction", "reduction.token_mean.per"]
    )
    assert _overridden(table, {path: 1}) == names

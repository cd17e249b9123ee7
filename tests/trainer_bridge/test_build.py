"""Parts of a run, put together: what is refused, what is closed again, and what a checkpoint holds a run to."""

import pytest
import torch

from schemas.manifest import RewardDeclaration
from trainer_bridge.build import open_parts
from trainer_bridge.errors import CheckpointMismatchError, SettingsError
from trainer_bridge.learn import checkpoints
from trainer_bridge.recipe import load_recipe
from trainer_bridge.reports.step_report import NoProgress


class Told(NoProgress):
    """Keeps what a person would have read."""

    def __init__(self):
        self.said, self.warned = [], []

    def say(self, text):
        self.said.append(text)

    def warn(self, text):
        self.warned.append(text)


@pytest.fixture
def build(fake_hub, make_settings):
    """open_parts on a hub in memory; settings by name."""

    def make(hub=None, progress=None, recipe="dapo", **changes):
        settings = make_settings(recipe=recipe, **changes)
        return open_parts(settings, load_recipe(recipe), hub or fake_hub(), progress or NoProgress(), report=False)

    return make


def test_all_that_was_opened_is_closed_also_when_opening_breaks_off(build, fake_hub, fake_environment):
    good, bad = fake_environment("test/digits"), fake_environment("test/empty", tasks=0)
    with pytest.raises(Exception, match="no tasks"), build(fake_hub(good, bad), targets=("test/digits", "test/empty")):
        pass
    assert good.closed
    assert bad.closed
    held_out = fake_environment("test/judge")
    with build(fake_hub(good := fake_environment(), held_out), held_out_verifier="test/judge") as parts:
        assert parts.worker.held_out_verifier == 1, "the scorer's last"
        assert not held_out.closed
    assert good.closed
    assert held_out.closed


def test_one_environment_twice_is_refused_with_what_to_do(build):
    with (
        pytest.raises(SettingsError, match="named twice: give it a larger weight"),
        build(targets=("test/digits", "test/digits")),
    ):
        pass


@pytest.mark.parametrize("left", ["metrics.jsonl", "checkpoints", "model"])
def test_a_folder_with_another_run_is_refused_before_anything_is_opened(left, build, fake_hub, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / left).mkdir()
    hub = fake_hub()
    hub.environment = None  # is not asked
    with pytest.raises(SettingsError, match="holds an earlier run"), build(hub):
        pass


def test_sampling_that_biases_the_ratio_is_warned_of(build):
    for changes, count in (({}, 0), ({"top_p": 0.9}, 1), ({"top_k": 5}, 1)):
        told = Told()
        with build(progress=told, **changes):
            pass
        assert [("top_p and top_k" in text) for text in told.warned] == [True] * count


def test_tools_that_nothing_offers_are_warned_of(build, fake_hub, fake_environment, monkeypatch):
    environment = fake_environment()
    monkeypatch.setattr(type(environment.manifest), "own_tools", property(lambda _: ["calculator"]))
    told = Told()
    with build(fake_hub(environment), progress=told):
        pass
    assert any("default harness does not offer" in text for text in told.warned)


def test_the_recipe_is_filled_in_from_the_run_and_the_rewards_are_weighed(build, fake_hub, fake_environment):
    rewards = {"digits": RewardDeclaration(weight=2.0), "form": RewardDeclaration()}
    hub = fake_hub(fake_environment(rewards=rewards))
    with build(hub, recipe="dr_grpo", max_completion_length=7, reward_weights={"form": 5.0}) as parts:
        assert parts.recipe.reduction.horizon == 7
        assert parts.space.weights_K().tolist() == [2.0, 5.0]
        assert {draw.package for draw in parts.held_out} == {"test/digits"}


def test_threads_are_a_choice_on_a_cpu_alone_and_where_none_is_given(build):
    with build() as parts:
        assert parts.threads == 1, "the tiny model has nothing to choose"
    before = torch.get_num_threads()
    try:
        with build(threads=1) as parts:
            assert (parts.threads, torch.get_num_threads()) == (1, 1)
    finally:
        torch.set_num_threads(before)


def test_a_checkpoint_brings_back_all_that_changes(build):
    with build(sft_steps=1, recipe="grpo") as parts:
        parts.stream.draw(5)
        parts.state.step, parts.state.tokens = 3, 99.0
        parts.reporter.run_id = "run-7"
        torch.rand(3, generator=parts.worker.generator)
        for master in parts.learner.weights.masters:
            master.data.add_(0.5)
        parts.learner.take_reference()
        parts.save()
        drawn, random = parts.stream.draw(4), torch.rand(2, generator=parts.worker.generator)
        weights = parts.learner.weights.copy()
    told = Told()
    with build(sft_steps=1, recipe="grpo", resume=True, progress=told) as again:
        assert (again.state.step, again.state.tokens, again.reporter.run_id) == (3, 99.0, "run-7")
        assert again.stream.draw(4) == drawn
        assert torch.equal(torch.rand(2, generator=again.worker.generator), random)
        for found in (again.learner.weights.copy(), again.learner.reference):
            assert all(torch.equal(one, two) for one, two in zip(found, weights, strict=True))
    assert told.said[-1] == "Resuming after step 3"


def test_to_resume_without_a_checkpoint_is_to_begin(build):
    with build(resume=True) as parts:
        assert parts.state.step == 0


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
        receipt = parts.receipt()
        assert receipt.model["parameters"] == sum(one.numel() for one in parts.loaded.model.parameters())
        assert receipt.packages == told.packages


def test_lora_trains_the_adapters_alone(build):
    pytest.importorskip("peft", reason="peft is an optional dependency")
    with build(lora_r=2) as parts:
        trained = sum(master.numel() for master in parts.learner.weights.masters)
        whole = sum(one.numel() for one in parts.loaded.model.parameters())
        assert 0 < trained < whole / 5

"""Parts of a run, put together: what is refused, what is closed again, and what a checkpoint holds a run to."""

import pytest
import torch

from schemas.manifest import RewardDeclaration
from tests.trainer_bridge.conftest import Told
from trainer_bridge.errors import SettingsError


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


def test_to_resume_without_a_checkpoint_is_to_begin(build):
    with build(resume=True) as parts:
        assert parts.state.step == 0


def test_lora_trains_the_adapters_alone(build):
    pytest.importorskip("peft", reason="peft is an optional dependency")
    with build(lora_r=2) as parts:
        trained = sum(master.numel() for master in parts.learner.weights.masters)
        whole = sum(one.numel() for one in parts.loaded.model.parameters())
        assert 0 < trained < whole / 5

"""The loop as a whole, on a tiny real model: it learns, resumes to the last bit, reports, and fails clearly."""

import json
import signal

import pytest
import torch
from safetensors.torch import load_file

import trainer_bridge.loop
from schemas.manifest import RewardDeclaration
from schemas.run import RunState
from schemas.verdict import ErrorKind, Verdict
from trainer_bridge.errors import (
    CheckpointMismatchError,
    EnvironmentUnfitError,
    NoSignalError,
    ScoringError,
    SettingsError,
    UnknownModelError,
)
from trainer_bridge.loop import train
from trainer_bridge.recipe_text import bundled_recipes
from trainer_bridge.reports.step_report import NoProgress


def weights_of(result):
    return load_file(result.model_folder / "model.safetensors")


def same_weights(one, two):
    one, two = weights_of(one), weights_of(two)
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


def test_the_reward_climbs_to_the_top_on_a_toy_task(fake_hub, make_settings):
    settings = make_settings(steps=40, prompts_per_step=4, num_generations=8, max_completion_length=12, eval_tasks=8)
    result = train(settings, hub=fake_hub())
    change = result.rewards["digits"]
    assert change.before.value < 0.4
    assert change.after.value > 0.95
    assert change.is_outside_noise


def two_objectives(task, response):
    """Digits, worth up to 1; letters, worth up to 0.02: another unit, as seconds or cents would be."""
    size = max(len(response), 1)
    return {
        "digits": sum(c.isdigit() for c in response) / size,
        "letters": 0.02 * sum(map(str.isalpha, response)) / size,
    }


def test_a_weight_means_importance_where_rewards_are_normalised_and_units_in_a_sum(
    fake_hub, fake_environment, make_settings, tmp_path
):
    declared = {"digits": RewardDeclaration(weight=1.0), "letters": RewardDeclaration(weight=3.0)}
    letters = {}
    for name in ("dapo", "gdpo", "mo_grpo"):
        hub = fake_hub(fake_environment(verify=two_objectives, rewards=declared))
        settings = make_settings(recipe=name, steps=20, prompts_per_step=4, num_generations=8, output=tmp_path / name)
        letters[name] = train(settings, hub=hub).rewards["letters"].after.value / 0.02
    assert letters["gdpo"] > 0.9
    assert letters["mo_grpo"] > 0.9
    assert letters["dapo"] < 0.1


@pytest.mark.parametrize(
    "recipe", [name for name in bundled_recipes() if name not in ("c_grpo", "corrected", "rejection", "sft")]
)
def test_every_recipe_trains_a_step_with_finite_metrics(recipe, fake_hub, make_settings):
    hub = fake_hub()
    train(make_settings(recipe=recipe, steps=2, eval_tasks=0, prompts_per_step=4), hub=hub)
    trained = [point for point in hub.runs.points if point.step > 0]
    assert len(trained) == 2
    for point in trained:
        assert point.values["loss"] is not None
        assert point.values["grad_norm"] is not None
        assert point.values["entropy"] > 0


def test_metrics_come_under_trls_names(fake_hub, make_settings):
    hub = fake_hub()
    train(make_settings(recipe="grpo"), hub=hub)
    names = set(hub.runs.points[-1].values)
    assert {
        "loss", "grad_norm", "learning_rate", "num_tokens", "step_time", "reward", "reward_std", "frac_reward_zero_std",
        "rewards/digits/mean", "rewards/digits/std", "rewards/digits/frac_zero_std", "completions/mean_length",
        "completions/clipped_ratio", "entropy", "kl", "clip_ratio/low_mean", "clip_ratio/high_mean",
        "clip_ratio/region_mean", "sampling/sampling_logp_difference/mean", "mismatch_kl/mean", "advantages/min",
        "time/generate", "time/reward", "time/logprob", "time/backward", "time/optim", "perf/gen_tokens_per_s",
        "eval_reward", "eval_rewards/digits/mean",
    } <= names  # fmt: skip


def test_on_policy_the_ratio_is_one_nothing_is_clipped_and_the_sampler_agrees(fake_hub, make_settings):
    hub = fake_hub()
    train(make_settings(), hub=hub)
    for point in [point for point in hub.runs.points if point.step > 0]:
        assert point.values["clip_ratio/region_mean"] == 0
        assert point.values["mismatch_kl/mean"] == pytest.approx(0, abs=1e-8)


def test_a_second_pass_over_the_batch_moves_the_ratio(fake_hub, make_settings):
    hub = fake_hub()
    train(make_settings(num_iterations=4, steps_per_generation=2, learning_rate=2e-2), hub=hub)
    assert max(point.values.get("clip_ratio/region_mean", 0) for point in hub.runs.points) > 0


def test_a_resumed_run_ends_with_the_same_bits(fake_hub, make_settings, tmp_path):
    whole = train(make_settings(steps=5, output=tmp_path / "whole"), hub=fake_hub())
    hub = fake_hub()
    interrupted = make_settings(steps=5, output=tmp_path / "cut", save_steps=2)
    hub.environment("test/digits").verify = fail_after(hub, 4 + 3 * 8)
    with pytest.raises(ScoringError):
        train(interrupted, hub=hub)
    resumed_hub = fake_hub()
    resumed = train(interrupted.model_copy(update={"resume": True}), hub=resumed_hub)
    assert same_weights(whole, resumed)
    assert resumed.rewards["digits"] == whole.rewards["digits"]
    assert resumed_hub.runs.created == []  # it goes on as the same run
    assert [point.step for point in resumed_hub.runs.points] == [3, 4, 5, 5]


def fail_after(hub, calls):
    """A verifier that breaks after so many samples (as a hub that goes away does)."""
    original = hub.environment("test/digits").verify
    left = [calls]

    def verify(task, response):
        left[0] -= 1
        if left[0] < 0:
            return Verdict.unjudged(["digits"], ErrorKind.HOST, "the engine is gone")
        return original(task, response)

    return verify


def test_a_checkpoint_of_other_settings_or_none_asked_for_is_refused(fake_hub, make_settings):
    train(make_settings(steps=4, save_steps=2), hub=fake_hub())
    with pytest.raises(SettingsError, match="--resume"):
        train(make_settings(steps=4, save_steps=2), hub=fake_hub())
    with pytest.raises(CheckpointMismatchError, match=r"learning_rate was 0\.005"):
        train(make_settings(steps=4, save_steps=2, resume=True, learning_rate=1e-3), hub=fake_hub())
    damaged = next(make_settings().output.glob("checkpoints/*/state.pt"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(CheckpointMismatchError, match="damaged"):
        train(make_settings(steps=4, save_steps=2, resume=True), hub=fake_hub())


def test_the_hub_gets_the_run_its_pins_rollouts_and_the_change(fake_hub, make_settings):
    hub = fake_hub()
    result = train(make_settings(run_name="first"), hub=hub)
    (created,) = hub.runs.created
    assert created.name == "first"
    assert created.recipe == "dapo"
    assert created.packages[0].digest == hub.environment("test/digits").digest
    assert set(created.rewards) == {"digits"}
    assert created.config["surrogate.clip.epsilon_high"] == 0.28
    assert [point.step for point in hub.runs.points] == [0, 1, 2, 3, 3]
    assert {row.phase for row in hub.runs.rows} == {"eval_before", "train", "eval_after"}
    trained = [row for row in hub.runs.rows if row.phase == "train"]
    assert all(row.advantage is not None and row.task_id and row.prompt.startswith("Say") for row in trained)
    assert hub.runs.updates[-1].state is RunState.FINISHED
    assert hub.runs.updates[-1].summary == result.summary
    assert hub.environment("test/digits").closed


def test_held_out_tasks_are_never_trained_on(fake_hub, make_settings):
    hub = fake_hub()
    train(make_settings(steps=30, num_generations=2, prompts_per_step=4, eval_tasks=10, recipe="dr_grpo"), hub=hub)
    held_out = {row.task_id for row in hub.runs.rows if row.phase == "eval_before"}
    trained = {row.task_id for row in hub.runs.rows if row.phase == "train"}
    assert len(held_out) == 10
    assert len(trained) == 30
    assert not held_out & trained


def test_a_verifier_that_always_says_the_same_ends_the_run_with_the_reason(fake_hub, fake_environment, make_settings):
    hub = fake_hub(fake_environment(verify=lambda task, response: {"digits": 0.5}))
    with pytest.raises(NoSignalError, match="too hard or too easy"):
        train(make_settings(steps=9), hub=hub)
    assert hub.runs.updates[-1].state is RunState.FAILED
    assert "NoSignalError" in hub.runs.updates[-1].note


def test_samples_that_cannot_be_judged_are_masked_and_counted_never_zero(fake_hub, fake_environment, make_settings):
    def verify(task, response):
        if task["answer"] % 2:
            return Verdict.unjudged(["digits"], ErrorKind.TIMEOUT, "too slow")
        return {"digits": sum(c.isdigit() for c in response) / max(len(response), 1)}

    hub = fake_hub(fake_environment(verify=verify))
    train(make_settings(recipe="dr_grpo", prompts_per_step=8), hub=hub)
    point = hub.runs.points[-1].values
    assert 0 < point["rewards/digits/unjudged"] < 1
    unjudged = [row for row in hub.runs.rows if row.rewards["digits"] is None]
    assert unjudged
    assert all("too slow" in row.error for row in unjudged)
    assert all(row.advantage == 0 for row in unjudged if row.phase == "train")


def test_nothing_judged_at_all_is_an_error_with_the_verifiers_words(fake_hub, fake_environment, make_settings):
    broken = fake_environment(
        verify=lambda t, r: Verdict.unjudged(["digits"], ErrorKind.VERIFIER_FAILED, "KeyError: answer")
    )
    with pytest.raises(ScoringError, match="KeyError: answer"):
        train(make_settings(), hub=fake_hub(broken))


def test_two_environments_are_mixed_by_weight_and_their_rewards_share_columns(
    fake_hub, fake_environment, make_settings
):
    one, two = (
        fake_environment("test/digits"),
        fake_environment("test/letters", rewards={"letters": RewardDeclaration()}),
    )
    two.verify = lambda task, response: {"letters": sum(c.isalpha() for c in response) / max(len(response), 1)}
    hub = fake_hub(one, two)
    settings = make_settings(
        targets=("test/digits", "test/letters"),
        target_weights=(3, 1),
        steps=10,
        prompts_per_step=4,
        eval_tasks=2,
        recipe="rloo",
    )
    result = train(settings, hub=hub)
    assert set(result.rewards) == {"digits", "letters", "reward"}
    trained = [row.package for row in hub.runs.rows if row.phase == "train"]
    assert 0.6 < trained.count("test/digits") / len(trained) < 0.9
    assert set(hub.runs.created[0].rewards) == {"digits", "letters"}


def test_an_environment_without_the_split_or_with_clashing_rewards_is_refused(
    fake_hub, fake_environment, make_settings
):
    with pytest.raises(EnvironmentUnfitError, match="no split 'train'"):
        train(make_settings(), hub=fake_hub(fake_environment(splits=("test",))))
    clash = fake_environment("test/other", rewards={"digits": RewardDeclaration(weight=3.0)})
    with pytest.raises(EnvironmentUnfitError, match="another role, weight"):
        train(make_settings(targets=("test/digits", "test/other")), hub=fake_hub(fake_environment(), clash))


def test_without_a_hub_everything_is_still_written_down(fake_hub, make_settings):
    hub = fake_hub()
    settings = make_settings()
    train(settings, hub=hub, report=False)
    assert hub.runs.created == []
    points = [json.loads(line) for line in (settings.output / "metrics.jsonl").read_text().splitlines()]
    assert [point["step"] for point in points] == [0, 1, 2, 3, 3]
    assert (settings.output / "rollouts.jsonl").stat().st_size > 0


def test_bfloat16_learns_over_float32_masters_and_resumes_to_the_same_bits(fake_hub, make_settings, tmp_path):
    common = {"dtype": "bfloat16", "steps": 4, "eval_tasks": 2}
    whole = train(make_settings(**common, output=tmp_path / "whole"), hub=fake_hub())
    first = make_settings(**common | {"steps": 3}, output=tmp_path / "cut", save_steps=2)
    train(first, hub=fake_hub())
    resumed = train(make_settings(**common, output=tmp_path / "cut", save_steps=2, resume=True), hub=fake_hub())
    assert same_weights(whole, resumed)
    assert weights_of(whole)["model.norm.weight"].dtype == torch.bfloat16


def test_a_held_out_verifier_watches_every_sample_and_is_never_learnt_from(fake_hub, fake_environment, make_settings):
    strict = fake_environment("test/strict", verify=lambda task, response: {"digits": 0.25})
    hub = fake_hub(fake_environment(), strict)
    watched = train(make_settings(held_out_verifier="test/strict"), hub=hub)
    assert [point.values["held_out/digits/mean"] for point in hub.runs.points if point.step] == [0.25] * 4
    assert len(strict.scored) == len(hub.environment("test/digits").scored)
    assert watched.rewards["digits"].after.value != 0.25


def test_rejection_sampling_climbs_by_imitating_its_best_samples(fake_hub, make_settings):
    settings = make_settings(
        recipe="rejection",
        recipe_overrides={"filters.accepted.threshold": 0.3},
        steps=30,
        num_generations=16,
        prompts_per_step=4,
    )
    result = train(settings, hub=fake_hub())
    assert result.rewards["digits"].after.value > 0.9


@pytest.mark.parametrize("recipe", ["rejection", "grpo"])
def test_a_run_that_never_learns_anything_stops_with_the_reason(recipe, fake_hub, fake_environment, make_settings):
    hub = fake_hub(fake_environment(verify=lambda task, response: {"digits": 0.0}))
    with pytest.raises(NoSignalError, match="none was accepted"):
        train(make_settings(recipe=recipe, steps=9, eval_tasks=0), hub=hub)


def test_a_run_whose_prompts_do_not_fit_says_so(fake_hub, make_settings):
    with pytest.raises(NoSignalError, match="no prompt fitted into the model's context"):
        train(make_settings(steps=9, eval_tasks=0, recipe="rloo", max_rollout_tokens=3), hub=fake_hub())


def test_a_cut_off_distribution_is_said(fake_hub, make_settings):
    warned = []
    progress = NoProgress()
    progress.warn = warned.append
    train(make_settings(top_p=0.9, steps=0, eval_tasks=0), hub=fake_hub(), progress=progress)
    assert any("top_p and top_k cut off" in text for text in warned)


def test_tokens_are_counted_with_their_prompts_as_in_trl(fake_hub, make_settings):
    hub = fake_hub()
    train(make_settings(steps=1, eval_tasks=0, recipe="dr_grpo"), hub=hub)
    (point,) = [point.values for point in hub.runs.points if point.step]
    assert point["num_tokens"] > 8 * 5 + point["completions/mean_length"] * 8


def test_several_samples_a_task_give_pass_at_k(fake_hub, fake_environment, make_settings):
    hub = fake_hub(fake_environment(verify=lambda task, response: {"digits": float(response[:1].isdigit())}))
    train(make_settings(num_generations_eval=4, steps=0, eval_tasks=12), hub=hub)
    first = hub.runs.points[0].values
    shares = [first[f"eval_pass@{k}"] for k in (1, 2, 4)]
    assert shares[0] == pytest.approx(first["eval_reward"])
    assert first["eval_avg@4"] == pytest.approx(shares[0]), "all samples are judged"
    assert shares[0] < shares[1] < shares[2] < 1
    assert len([row for row in hub.runs.rows if row.phase == "eval_before"]) == 48


def test_ctrl_c_marks_the_run_as_stopped_says_how_it_goes_on_and_leaves_no_model(fake_hub, make_settings, monkeypatch):
    hub = fake_hub()
    settings = make_settings(steps=50, save_steps=1)
    learn = trainer_bridge.loop._learn
    calls: list[int] = []

    def interrupted_at_the_second(*given):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return learn(*given)

    monkeypatch.setattr("trainer_bridge.loop._learn", interrupted_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        train(settings, hub=hub)
    assert hub.runs.updates[-1].state is RunState.STOPPED
    assert "The newest checkpoint is checkpoint-000001." in hub.runs.updates[-1].note
    assert f"--resume --output {settings.output}" in hub.runs.updates[-1].note
    assert hub.environment("test/digits").closed
    assert not (settings.output / "model").exists()


def test_ctrl_c_finishes_the_step_and_the_resumed_run_ends_with_the_same_bits(
    fake_hub, fake_environment, make_settings, tmp_path
):
    whole = train(make_settings(steps=4, output=tmp_path / "whole"), hub=fake_hub())
    environment = fake_environment()
    judge, calls = environment.verify, []

    def interrupting(task, response):
        calls.append(1)
        if len(calls) == 4 + 8 + 3:  # the evaluation before, the first step, and into the second
            signal.raise_signal(signal.SIGINT)
        return judge(task, response)

    environment.verify = interrupting
    hub = fake_hub(environment)
    with pytest.raises(KeyboardInterrupt):
        train(make_settings(steps=4, output=tmp_path / "cut"), hub=hub)
    assert hub.runs.updates[-1].state is RunState.STOPPED
    assert "--resume" in hub.runs.updates[-1].note
    resumed = train(make_settings(steps=4, output=tmp_path / "cut", resume=True), hub=fake_hub())
    assert same_weights(whole, resumed)


def test_evaluations_while_training_keep_the_best_model(fake_hub, make_settings):
    hub, settings = fake_hub(), make_settings(steps=5, eval_steps=2)
    train(settings, hub=hub)
    evaluated = {point.step: point.values["eval_reward"] for point in hub.runs.points if "eval_reward" in point.values}
    assert list(evaluated) == [0, 2, 4, 5]
    assert (settings.output / "best" / "model.safetensors").is_file()
    assert {row.phase for row in hub.runs.rows} == {"eval_before", "train", "eval", "eval_after"}


def test_an_evaluation_on_two_environments_shows_each(fake_hub, fake_environment, make_settings):
    one = fake_environment("test/one", verify=lambda task, response: {"digits": 1.0})
    two = fake_environment("test/two", verify=lambda task, response: {"digits": 0.0})
    hub = fake_hub(one, two)
    train(make_settings(targets=("test/one", "test/two"), steps=0, num_generations_eval=2), hub=hub)
    values = hub.runs.points[0].values
    assert values["eval_environments/test/one/reward"] == 1.0
    assert values["eval_environments/test/two/reward"] == 0.0
    assert values["eval_environments/test/one/pass@2"] == 1.0


def test_an_unknown_architecture_is_sampled_with_transformers_and_agrees_with_the_learner(
    fake_hub, make_settings, monkeypatch
):
    monkeypatch.setattr("trainer_bridge.rollout.decoding.engine_choice.is_supported", lambda config: False)
    hub = fake_hub()
    result = train(make_settings(temperature=0.7), hub=hub)
    assert result.steps == 3
    for point in [point for point in hub.runs.points if point.step]:
        assert point.values["mismatch_kl/mean"] == pytest.approx(0, abs=1e-8)


def test_a_model_that_does_not_exist_is_a_mistake_in_the_command(fake_hub, make_settings):
    with pytest.raises(UnknownModelError, match="--model no-such-model") as raised:
        train(make_settings(steps=1, model="no-such-model"), hub=fake_hub())
    assert raised.value.exit_code == 2

"""Supervised steps: what they teach, what they leave out, and what comes of them for the run after them."""

import json

import pytest

from trainer_bridge.errors import EnvironmentUnfitError
from trainer_bridge.loop import train
from trainer_bridge.reports.step_report import NoProgress


def answered(fake_environment, rows):
    environment = fake_environment(verify=lambda task, response: {"digits": float(response == "yes sir")})
    environment.tasks = lambda split, **_: iter(rows)
    return environment


def rows_with(answer, count=20):
    return [{"id": f"t{i}", "prompt": f"Say {i}.", "answer": answer, "split": "train"} for i in range(count)]


def test_the_reference_of_kl_is_the_policy_after_the_warm_up_also_when_resumed(
    fake_hub, fake_environment, make_settings
):
    """It used to be the model before: the KL term pulled the warm-up out again."""
    hub = fake_hub(fake_environment())
    environment = hub.environment("test/digits")
    environment.tasks = lambda split, **_: iter(rows_with("12 34"))
    common = {"recipe": "grpo", "sft_steps": 6, "save_steps": 1, "eval_tasks": 2}
    train(make_settings(**common, steps=1), hub=hub)
    first = next(point.values for point in hub.runs.points if point.step == 1)
    assert first["kl"] == pytest.approx(0.0, abs=1e-6)
    again = fake_hub(environment)
    train(make_settings(**common, steps=2, resume=True), hub=again)
    assert 0 < next(point.values["kl"] for point in again.runs.points if point.step == 2) < 0.2


def test_the_warm_up_is_logged_and_measured_by_itself(fake_hub, fake_environment, make_settings):
    hub = fake_hub(answered(fake_environment, rows_with("yes sir")))
    settings = make_settings(sft_steps=40, steps=0, num_generations=2, prompts_per_step=4, warmup_steps=100)
    result = train(settings, hub=hub)
    assert result.warm_up["digits"].after.value == 1.0  # at the full rate, not at the schedule's first hundredth
    lines = [json.loads(line) for line in (settings.output / "warm_up.jsonl").read_text().splitlines()]
    assert [line["warm_up/steps"] for line in lines] == list(range(1, 41))
    assert lines[-1]["warm_up/loss"] < lines[0]["warm_up/loss"]
    assert {"warm_up/loss", "warm_up/entropy", "eval_reward"} <= set(hub.runs.points[-1].values)


def test_an_answer_that_is_too_long_is_left_out_and_not_taught_to_end_in_its_middle(
    fake_hub, fake_environment, make_settings, tmp_path
):
    rows = [*rows_with("yes sir"), *({**row, "id": f"l{row['id']}"} for row in rows_with("0123456789" * 3))]
    warned = []
    progress = NoProgress()
    progress.warn = warned.append
    train(
        make_settings(sft_steps=1, steps=0, eval_tasks=0),
        hub=fake_hub(answered(fake_environment, rows)),
        progress=progress,
    )
    assert warned == ["20 of 40 answers are longer than 8 tokens and are left out"]
    short = make_settings(recipe="sft", max_completion_length=2, output=tmp_path / "short")
    with pytest.raises(EnvironmentUnfitError, match="0 a short enough one"):
        train(short, hub=fake_hub(answered(fake_environment, rows)))


def test_recipe_sft_learns_the_given_answers_and_samples_nothing(fake_hub, fake_environment, make_settings):
    """It used to imitate the model's own samples, whatever they earned."""
    environment = answered(fake_environment, rows_with("yes sir"))
    hub = fake_hub(environment)
    result = train(make_settings(recipe="sft", steps=40, prompts_per_step=4), hub=hub)
    assert (result.rewards["digits"].before.value, result.rewards["digits"].after.value) == (0.0, 1.0)
    assert len(environment.scored) == 8  # the two evaluations
    assert [point.step for point in hub.runs.points] == [0, *range(1, 41), 40]


def test_a_warm_up_teaches_what_the_model_never_samples(fake_hub, fake_environment, make_settings, monkeypatch):
    environment = fake_environment(verify=lambda task, response: {"digits": float(response == "yes sir")})
    rows = [{"id": f"t{i}", "prompt": f"Say {i}.", "answer": "yes sir", "split": "train"} for i in range(20)]
    environment.tasks = lambda split, **_: iter(rows)
    settings = make_settings(sft_steps=40, steps=0, num_generations=2, prompts_per_step=4)
    result = train(settings, hub=fake_hub(environment))
    assert (result.rewards["digits"].before.value, result.rewards["digits"].after.value) == (0.0, 1.0)


def test_a_warm_up_without_text_answers_is_refused(fake_hub, make_settings):
    with pytest.raises(EnvironmentUnfitError, match="answer is a text"):
        train(make_settings(sft_steps=1), hub=fake_hub())

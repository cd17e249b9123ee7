"""A run over several processes: the tasks, samples, metrics and weights of one process, one run logger, one fate."""

import json
import os
import signal
from pathlib import Path

import pytest
from safetensors.torch import load_file

from schemas.manifest import RewardDeclaration
from tests.making.processes import run_in_processes
from tests.trainer_bridge.conftest import FakeEnvironment, FakeHub, share_of_digits
from trainer_bridge.loop import train_over
from trainer_bridge.ranks import Ranks
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.settings import TrainSettings
from trainer_bridge.sole_writer import sole_writer

_OF_THE_CLOCK = ("time/", "perf/", "step_time")


def settings_of(output, **changes):
    given = {
        "targets": ("test/digits",),
        "model": "tiny",
        "output": str(output),
        "cache": str(Path(output).parent / "cache"),
        "steps": 2,
        "prompts_per_step": 3,
        "num_generations": 4,
        "max_completion_length": 6,
        "temperature": 1.0,
        "learning_rate": 5e-3,
        "adam_epsilon": 1e-4,
        "eval_tasks": 3,
        "save_steps": 0,
        "threads": 1,
    }
    return TrainSettings.make(given | changes)


class TextEnvironment(FakeEnvironment):
    """Its tasks have answers that a warm-up can learn."""

    def tasks(self, split, **given):
        for task in super().tasks(split, **given):
            yield {**task, "answer": str(task["answer"])}


class TextHub(FakeHub):
    def __init__(self):
        super().__init__(TextEnvironment())


class TwoHub(FakeHub):
    """Two environments that share one reward; the second has one of its own."""

    def __init__(self):
        both = {"digits": RewardDeclaration(), "short": RewardDeclaration(weight=0.5)}
        super().__init__(
            TextEnvironment(),
            FakeEnvironment(
                "test/short",
                lambda task, text: {**share_of_digits(task, text), "short": 1.0 / max(len(text), 1)},
                both,
            ),
        )


def run(ranks, output, changes, hub=TextHub):
    """Train as one process of ``ranks``; (reward changes, who was told of the run)."""
    hub = hub()
    result = train_over(ranks, settings_of(output, **changes), hub=hub)
    told = len(hub.runs.created), len(hub.runs.points)
    return {name: change.after.value for name, change in result.rewards.items()}, told


def metrics(output):
    """Step -> its newest metrics, without times."""
    points = [json.loads(line) for line in (Path(output) / "metrics.jsonl").read_text().splitlines()]
    newest = {point["step"]: point["values"] for point in points}
    return {
        step: {name: value for name, value in values.items() if not name.startswith(_OF_THE_CLOCK)}
        for step, values in newest.items()
    }


def said(output):
    """Which task got which answer, in order."""
    rows = [json.loads(line) for line in (Path(output) / "rollouts.jsonl").read_text().splitlines()]
    return [(row["step"], row["phase"], row["task_id"], row["response"], row["rewards"]) for row in rows]


def assert_same_run(one, other, tolerance=1e-5):
    ours, theirs = metrics(one), metrics(other)
    assert ours.keys() == theirs.keys()
    for step, values in ours.items():
        assert values.keys() == theirs[step].keys()
        for name, value in values.items():
            assert value == pytest.approx(theirs[step][name], rel=1e-4, abs=tolerance), (step, name)
    assert_same_model(one, other, tolerance)


def assert_same_model(one, other, tolerance=1e-5):
    ours, theirs = (load_file(Path(folder) / "model" / "model.safetensors") for folder in (one, other))
    for name, value in ours.items():
        assert float((value - theirs[name]).abs().max()) < tolerance, name


RUNS = {
    "dapo": {"recipe": "dapo", "eval_steps": 1},
    "two environments, a curriculum, a KL term": {
        "targets": ("test/digits", "test/short"),
        "recipe": "grpo",
        "recipe_overrides": {"sampler": "curriculum"},
        "steps_per_generation": 3,
    },
    "LoRA after a warm-up": {"recipe": "grpo", "lora_r": 2, "sft_steps": 1, "max_tokens_per_microbatch": 16},
}


def run_all(ranks, folder):
    return [run(ranks, Path(folder) / str(number), changes, TwoHub) for number, changes in enumerate(RUNS.values())]


def test_two_processes_train_on_the_samples_of_one_to_its_weights(tmp_path):
    alone = run_all(Ranks(), tmp_path / "one")
    first, second = run_in_processes(run_all, 2, tmp_path / "two")
    assert not isinstance(first, str), first
    assert not isinstance(second, str), second
    for number, (ours, mine, theirs) in enumerate(zip(alone, first, second, strict=True)):
        assert said(tmp_path / "one" / str(number)) == said(tmp_path / "two" / str(number))
        assert_same_run(tmp_path / "one" / str(number), tmp_path / "two" / str(number))
        assert mine[0] == pytest.approx(ours[0], abs=1e-6)
        assert mine[0] == theirs[0], "every process knows the evaluation"
        assert mine[1] == ours[1]
        assert theirs[1] == (0, 0), "only the first process tells the hub"
    receipt = json.loads((tmp_path / "two" / "0" / "receipt.json").read_text())
    assert receipt["model"]["processes"] == 2


def test_four_processes_with_fewer_prompts_than_processes(tmp_path):
    changes = {"recipe": "grpo", "prompts_per_step": 3}
    run(Ranks(), tmp_path / "one", changes)
    found = run_in_processes(run, 4, tmp_path / "four", changes)
    assert not any(isinstance(one, str) for one in found), found
    assert said(tmp_path / "one") == said(tmp_path / "four")
    assert_same_run(tmp_path / "one", tmp_path / "four")


def begun_by_one_ended_by_several(ranks, folder):
    return run(ranks, folder, {"recipe": "grpo", "sft_steps": 1, "save_steps": 1, "steps": 3, "resume": True})


def test_a_run_goes_on_with_another_number_of_processes(tmp_path):
    given = {"recipe": "grpo", "sft_steps": 1, "save_steps": 1}
    run(Ranks(), tmp_path / "whole", given | {"steps": 3})
    run(Ranks(), tmp_path / "grows", given | {"steps": 2})
    run_in_processes(run, 2, tmp_path / "shrinks", given | {"steps": 2})
    found = run_in_processes(begun_by_one_ended_by_several, 2, tmp_path / "grows")
    assert not any(isinstance(one, str) for one in found), found
    begun_by_one_ended_by_several(Ranks(), tmp_path / "shrinks")
    for folder in ("grows", "shrinks"):
        assert_same_model(tmp_path / "whole", tmp_path / folder)
        assert metrics(tmp_path / folder)[3]["reward"] == pytest.approx(metrics(tmp_path / "whole")[3]["reward"])


class StrangeHub(FakeHub):
    """In one process, the verifier does something strange at the given answer."""

    def __init__(self, does, at=20):
        self.seen = 0

        def verify(task, text):
            self.seen += 1
            if self.seen == at:
                does()
            return share_of_digits(task, text)

        super().__init__(FakeEnvironment(verify=verify))


def terminate():
    os.kill(os.getpid(), signal.SIGTERM)


def vanish():
    os._exit(9)


def begin_strangely(ranks, output, does):
    hub = StrangeHub(does if ranks.number == 1 else lambda: None)
    train_over(ranks, settings_of(output, recipe="grpo", steps=50, eval_tasks=0), hub=hub)


def test_sigterm_in_any_process_ends_all_with_a_checkpoint(tmp_path):
    found = run_in_processes(begin_strangely, 2, tmp_path / "run", terminate)
    assert [one.partition(":")[0] for one in found] == ["KeyboardInterrupt"] * 2
    (checkpoint,) = (tmp_path / "run" / "checkpoints").iterdir()
    assert int(checkpoint.name.rpartition("-")[2]) < 50


def test_a_process_that_dies_makes_the_others_say_so_and_stop(tmp_path):
    first, second = run_in_processes(begin_strangely, 2, tmp_path / "run", vanish)
    assert second == 9
    assert first.startswith("OtherProcessError: process 0 of 2 has lost another one")


def test_what_fails_in_one_process_is_told_in_all(tmp_path):
    first, second = run_in_processes(fail_to_score, 2, tmp_path / "run")
    assert second.startswith("ScoringError")
    assert first.startswith("OtherProcessError: process 1 of 2 failed: ScoringError")
    assert "answered sample" in first


class TwiceEnvironment(FakeEnvironment):
    async def score_stream(self, pairs):
        async for _ in pairs:
            yield 7777, None


def fail_to_score(ranks, output):
    hub = FakeHub(TwiceEnvironment()) if ranks.number else FakeHub()
    train_over(ranks, settings_of(output, recipe="grpo", eval_tasks=0), hub=hub)


class Listening(NoProgress):
    def __init__(self):
        self.warned = []

    def warn(self, text):
        self.warned.append(text)


class BreakingEnvironment(FakeEnvironment):
    async def score_stream(self, pairs):
        async for _ in pairs:
            raise ConnectionError("the box is gone")
        yield 0, None


def lose_a_box(ranks, output):
    hub, progress = FakeHub(BreakingEnvironment() if ranks.number else FakeEnvironment()), Listening()
    train_over(ranks, settings_of(output, recipe="grpo", eval_tasks=0, steps=1), hub=hub, progress=progress)
    return progress.warned


def test_a_warning_of_another_process_is_said_by_the_first_and_its_samples_are_left_out(tmp_path):
    first, second = run_in_processes(lose_a_box, 2, tmp_path / "run")
    assert first == ["process 1: scoring with test/digits broke off: ConnectionError: the box is gone"]
    assert second == []
    assert metrics(tmp_path / "run")[1]["rewards/digits/unjudged"] == pytest.approx(1 / 3), "one of three groups"


def start_otherwise(ranks, output):
    train_over(ranks, settings_of(output, steps=2 + ranks.number), hub=FakeHub())


def test_processes_that_are_started_with_other_settings_are_refused(tmp_path):
    found = run_in_processes(start_otherwise, 2, tmp_path / "run")
    assert all("steps is 2 in process 0 and 3 in process 1" in one for one in found), found


def start_as_set(ranks, output):
    train_over(ranks, settings_of(output), hub=FakeHub())


def test_a_folder_in_which_another_run_writes_is_refused_in_all(tmp_path):
    with sole_writer(tmp_path / "run", Ranks(), NoProgress()):
        found = run_in_processes(start_as_set, 2, tmp_path / "run")
    assert found[0].startswith("SettingsError"), found
    assert all("another run writes there (process" in one for one in found), found

"""Whole runs with ``max_staleness`` 1 against a plain trainer in float64: from what was sampled to the last weights.

The plain trainer is given what the policy wrote and how it was judged. It decides by itself which weights wrote it.
"""

import json
import math
import os
import pickle
import signal
import subprocess
import sys
import zlib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import trainer_bridge.loop
from hub_client.errors import CheckFailedError, SessionLostError
from hub_client.evaluation import lost_attempts
from schemas.verdict import ErrorKind, Verdict
from tests.trainer_bridge.conftest import FakeEnvironment, FakeHub, share_of_digits
from tests.trainer_bridge.sessions_in_memory import Counting, SessionHub
from trainer_bridge.loop import train
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer
from trainer_bridge.replay import replay
from trainer_bridge.settings import TrainSettings

CAP = 2.0
"""No token is weighed by more for being likelier now."""


def settings_of(folder, **changes):
    given = {
        "targets": ("test/digits",), "model": "tiny", "recipe": "dapo", "output": folder, "cache": folder.parent / "c",
        "steps": 6, "save_steps": 4, "prompts_per_step": 3, "num_generations": 4, "max_completion_length": 6,
        "temperature": 0.9, "learning_rate": 1e-2, "adam_epsilon": 1e-5, "eval_tasks": 0, "threads": 1,
        "max_staleness": 1, "max_grad_norm": 0.5,
    }  # fmt: skip
    return TrainSettings.make(given | changes)


@dataclass(frozen=True)
class Written:
    """One rollout as the plain trainer needs it. ``mine``: which of the tokens after the prompt the policy wrote."""

    group: int
    task: str
    reward: float | None
    sequences: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...], tuple[float, ...]], ...]


def as_written(rollout):
    verdict = rollout.verdict
    return Written(
        rollout.group,
        rollout.draw.task.id,
        None if verdict.error else verdict.rewards["digits"],
        tuple((one.prompt, one.tokens, one.is_written, one.logprobs) for one in rollout.sequences),
    )


def keep_what_is_learnt(folder, die_in_step=0):
    """Write what each step learns from to a file; a resumed run writes its steps again."""
    learn = trainer_bridge.loop._learn

    def learning(parts, kept, metrics):
        step = parts.state.step + 1
        (folder / f"{step}.pickle").write_bytes(pickle.dumps([as_written(one) for one in kept]))
        if step == die_in_step:
            os.kill(os.getpid(), signal.SIGKILL)
        return learn(parts, kept, metrics)

    trainer_bridge.loop._learn = learning
    return learn


def trained(settings, hub, **more):
    """Train; returns what each step learnt from."""
    kept = settings.output.with_name(f"{settings.output.name}-kept")
    kept.mkdir(exist_ok=True)
    before = keep_what_is_learnt(kept, **more)
    try:
        train(settings, hub=hub)
    finally:
        trainer_bridge.loop._learn = before
    return {int(path.stem): pickle.loads(path.read_bytes()) for path in kept.glob("*.pickle")}


class Plain:
    """GRPO as the papers write it: one sequence at a time, float64, AdamW by hand."""

    def __init__(self, settings):
        self.settings, self.model = settings, tiny_model(tiny_tokenizer()).double()
        self.parameters = list(self.model.parameters())
        self.moments = [(torch.zeros_like(one), torch.zeros_like(one)) for one in self.parameters]
        self.updates, self.away = 0, 0.0

    def run(self, steps):
        """Learn from all steps. ``away``: how far what the sampler recorded is from what the right weights say."""
        settings, before = self.settings, None
        for step in range(1, settings.steps + 1):
            now = [one.detach().clone() for one in self.parameters]
            pauses = (settings.save_steps, settings.eval_steps)
            is_stale = step > 1 and not any(every and (step - 1) % every == 0 for every in pauses)
            if step in steps:
                self._check_sampler(steps[step], before if is_stale else now, now)
                self._step(steps[step])
            before = now

    @torch.no_grad()
    def _check_sampler(self, rows, wrote, now):
        self._put(wrote)
        for row in rows:
            for said, sequence in zip(self._logprobs(row), row.sequences, strict=True):
                away = [
                    abs(float(one) - other)
                    for one, other, mine in zip(said, sequence[3], sequence[2], strict=True)
                    if mine
                ]
                self.away = max([self.away, *away])  # fmt: skip
        self._put(now)

    @torch.no_grad()
    def _put(self, values):
        for one, value in zip(self.parameters, values, strict=True):
            one.copy_(value)

    def _logprobs(self, row):
        found = []
        for prompt, tokens, _, _ in row.sequences:
            logits = self.model(torch.tensor([[*prompt, *tokens]])).logits[0, len(prompt) - 1 : -1]
            logprobs = (logits / self.settings.temperature).log_softmax(-1)
            found.append(logprobs.gather(-1, torch.tensor(tokens)[:, None])[:, 0])
        return found

    def _advantages(self, rows):
        groups = defaultdict(list)
        for row in rows:
            if row.reward is not None:
                groups[row.group].append(row.reward)
        found = []
        for row in rows:
            mates = groups[row.group]
            if row.reward is None or len(set(mates)) < 2:
                found.append(0.0)
                continue
            mean = sum(mates) / len(mates)
            spread = math.sqrt(sum((one - mean) ** 2 for one in mates) / (len(mates) - 1))
            found.append((row.reward - mean) / (spread + 1e-4 if self.settings.recipe == "dapo" else 1.0))
        return found

    def _step(self, rows):
        advantages = self._advantages(rows)
        with torch.no_grad():
            old = [self._logprobs(row) for row in rows]
        groups = sorted({row.group for row in rows})
        for _ in range(self.settings.num_iterations):
            for part in torch.tensor_split(torch.arange(len(groups)), self.settings.steps_per_generation):
                chosen = {groups[place] for place in part.tolist()}
                self._update([(row, advantage, was) for row, advantage, was in zip(rows, advantages, old, strict=True)
                              if row.group in chosen and row.reward is not None])  # fmt: skip

    def _update(self, rows):
        rows = [one for one in rows if any(any(mine) for _, _, mine, _ in one[0].sequences)]
        if not rows:
            return
        loss, count = torch.zeros((), dtype=torch.float64), 0
        high = 1.28 if self.settings.recipe == "dapo" else 1.2
        for row, advantage, was in rows:
            for new, old, (_, _, mine, drawn) in zip(self._logprobs(row), was, row.sequences, strict=True):
                ratio = (new - old).exp()
                term = torch.maximum(-advantage * ratio, -advantage * ratio.clamp(0.8, high))
                weight = (old - torch.tensor(drawn, dtype=torch.float64)).exp().clamp(max=CAP)
                loss = loss + (term * weight)[torch.tensor(mine, dtype=torch.bool)].sum()
                count += sum(mine)
        per = count if self.settings.recipe == "dapo" else len(rows) * self.settings.max_completion_length
        self._adamw(torch.autograd.grad(loss / per, self.parameters))

    @torch.no_grad()
    def _adamw(self, gradients):
        settings, self.updates = self.settings, self.updates + 1
        norm = math.sqrt(sum(float((one**2).sum()) for one in gradients))
        scale = min(1.0, settings.max_grad_norm / (norm + 1e-6))
        for one, gradient, (first, second) in zip(self.parameters, gradients, self.moments, strict=True):
            first.mul_(settings.adam_beta1).add_(gradient * scale, alpha=1 - settings.adam_beta1)
            second.mul_(settings.adam_beta2).add_((gradient * scale) ** 2, alpha=1 - settings.adam_beta2)
            mean = first / (1 - settings.adam_beta1**self.updates)
            spread = (second / (1 - settings.adam_beta2**self.updates)).sqrt()
            one.sub_(settings.learning_rate * mean / (spread + settings.adam_epsilon))


def distance(plain, settings):
    """How far the run's weights are from the plain trainer's, as a share of how far those have moved."""
    found = load_file(settings.output / "model" / "model.safetensors")
    start = dict(tiny_model(tiny_tokenizer()).named_parameters())
    away = moved = 0.0
    for name, one in plain.model.named_parameters():
        if name in found:
            away += float(((found[name].double() - one.detach()) ** 2).sum())
            moved += float(((start[name].detach().double() - one.detach()) ** 2).sum())
    assert moved > 1.0
    return math.sqrt(away / moved)


def assert_learnt_as_the_plain_trainer_does(settings, steps):
    plain = Plain(settings)
    plain.run(steps)
    assert plain.away < 1e-4, "some samples were written by other weights"
    assert distance(plain, settings) < 1e-3


def values_of(settings, name):
    lines = map(json.loads, (settings.output / "metrics.jsonl").read_text().splitlines())
    return {line["step"]: line["values"][name] for line in lines if name in line["values"]}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"num_iterations": 2, "steps_per_generation": 3},
        {"recipe": "dr_grpo", "eval_steps": 3, "eval_tasks": 2, "num_iterations": 2},
        {"save_steps": 0, "recipe_overrides": {"sampler": "curriculum"}},
    ],
    ids=["dapo", "several updates of a batch", "dr_grpo over an evaluation", "a curriculum"],
)
def test_a_run_that_samples_ahead_ends_at_the_weights_of_the_plain_trainer(changes, tmp_path) -> None:
    settings = settings_of(tmp_path / "run", **changes)
    steps = trained(settings, FakeHub())
    assert sum(values_of(settings, "sampling/staleness").values()) >= 3
    assert max(values_of(settings, "mismatch_kl/mean").values()) > 1e-4, "the samples were old enough to tell"
    assert_learnt_as_the_plain_trainer_does(settings, steps)


def seldom_judged(task, response):
    """Two of three answers get no verdict, so that in some groups a single sample counts."""
    if zlib.crc32(response.encode()) % 3:
        return Verdict.unjudged(["digits"], ErrorKind.HOST, "the box was lost")
    return share_of_digits(task, response)


def seldom_judging_hub():
    """Which a replay may ask for the same environment by its version."""
    hub = FakeHub(FakeEnvironment(verify=seldom_judged))
    hub.environments["test/digits@1.0.0"] = hub.environments["test/digits"]
    return hub


def judged_alone(steps):
    """How many groups that were learnt from have a single judged sample."""
    counts = defaultdict(int)
    for step, rows in steps.items():
        for row in rows:
            counts[step, row.group] += row.reward is not None
    return list(counts.values()).count(1)


@pytest.mark.parametrize("recipe", ["dapo", "dr_grpo"])
def test_groups_of_one_judged_sample_teach_nothing_and_count_as_documented(recipe, tmp_path) -> None:
    settings = settings_of(tmp_path / "run", recipe=recipe, prompts_per_step=4)
    steps = trained(settings, seldom_judging_hub())
    assert (judged_alone(steps) > 3) is (recipe == "dr_grpo"), "dapo leaves such groups out"
    assert_learnt_as_the_plain_trainer_does(settings, steps)


def losing(error):
    """Sessions of which every third ends in its second turn."""
    begun = iter(range(1, 10_000))

    class Losing(Counting):
        def reset(self):
            self.number = next(begun)
            return super().reset()

        def step(self, message):
            if self.digits and self.number % 3 == 0:
                raise error
            return super().step(message)

    return Losing


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (SessionLostError("the box has ended"), "rollout/lost_tries"),
        (CheckFailedError("the session raised"), "rewards/digits/unjudged"),
    ],
    ids=["lost", "broken"],
)
def test_sessions_that_are_lost_ahead_are_played_again_or_left_out(error, name, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(lost_attempts, "LOST_BOX_PAUSES", (0.0, 0.0))
    given = {"targets": ("test/counting",), "recipe": "dr_grpo", "max_completion_length": 4, "steps": 5}
    settings = settings_of(tmp_path / "run", **given, recipe_overrides={"sampler": "curriculum"})
    steps = trained(settings, SessionHub(losing(error)))
    assert max(values_of(settings, name).values()) > 0
    assert max(values_of(settings, "rollout/turns").values()) > 2
    assert_learnt_as_the_plain_trainer_does(settings, steps)


KILLED = {"recipe": "dr_grpo", "prompts_per_step": 4, "steps": 7, "recipe_overrides": {"sampler": "curriculum"}}


def die_in_the_sixth_step(output):
    """While the seventh is sampled ahead."""
    torch.set_num_threads(1)
    trained(settings_of(Path(output), **KILLED), seldom_judging_hub(), die_in_step=6)


def test_a_run_that_was_killed_and_resumed_is_the_plain_trainers_and_replays_to_the_bit(tmp_path) -> None:
    settings = settings_of(tmp_path / "run", **KILLED)
    command = [sys.executable, "-c", f"import {__name__} as test; test.die_in_the_sixth_step({str(settings.output)!r})"]
    died = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, timeout=240, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    steps = trained(settings.model_copy(update={"resume": True}), seldom_judging_hub())
    assert sorted(steps) == list(range(1, 8))
    assert_learnt_as_the_plain_trainer_does(settings, steps)
    found = replay(settings.output, seldom_judging_hub(), steps=7)
    assert (found.steps, found.differing, found.differences) == (7, (), ())

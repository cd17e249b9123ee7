"""What a run tells of a step: its metrics, in files and on the hub, and in the terminal."""

import io
import math
import statistics
from contextlib import suppress
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.task import Task
from schemas.verdict import Verdict
from tests.making.batches import make_batch
from trainer_bridge.reports.step_report import (
    NoProgress,
    Terminal,
    advantage_metrics,
    as_rows,
    completion_metrics,
    environment_metrics,
    reward_metrics,
)
from trainer_bridge.rewards import RewardSpace, merge_spaces

# Metrics


NAN = float("nan")
ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN])), min_size=1, max_size=12)


def judged(values):
    return [value for value in values if not math.isnan(value)]


def by_group(rows):
    return [judged([value for its, value in rows if its == group]) for group in {group for group, _ in rows}]


@settings(deadline=None)
@given(ROWS)
def test_the_metrics_of_one_reward_are_those_of_plain_python(rows):
    groups, values = zip(*rows, strict=True)
    found = reward_metrics(make_batch([1] * len(rows), groups, {"score": values}))
    known, grouped = judged(values), by_group(rows)
    mean = statistics.fmean(known) if known else NAN
    for name in ("reward", "rewards/score/mean"):
        assert found[name] == pytest.approx(mean, nan_ok=True)
    assert found["rewards/score/std"] == pytest.approx(statistics.stdev(known) if len(known) > 1 else 0.0)
    assert found["rewards/score/unjudged"] == pytest.approx((len(values) - len(known)) / len(values))
    assert found["frac_reward_zero_std"] == pytest.approx(statistics.fmean(len(set(group)) < 2 for group in grouped))


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=2, max_size=4), min_size=1, max_size=4))
def test_the_spread_is_the_mean_of_the_groups_spreads_where_all_were_judged(groups):
    numbers = [number for number, group in enumerate(groups) for _ in group]
    values = [value for group in groups for value in group]
    order = torch.randperm(len(values), generator=torch.Generator().manual_seed(0)).tolist()
    found = reward_metrics(
        make_batch([1] * len(values), [numbers[row] for row in order], {"score": [values[row] for row in order]})
    )
    assert found["reward_group_std"] == pytest.approx(
        statistics.fmean(statistics.stdev(group) for group in groups), abs=1e-12
    )
    assert found["reward_std"] == pytest.approx(statistics.stdev(values), abs=1e-12)  # TRL's meaning


def test_environments_are_told_apart_where_they_share_a_rewards_name():
    space = merge_spaces({"al/one": {"right": RewardDeclaration()}, "al/two": {"right": RewardDeclaration()}})
    rewards, numbers = {"right": [1.0, 1.0, 0.0, NAN]}, torch.tensor([0, 0, 1, 1])
    batch = make_batch([1] * 4, [0, 0, 1, 1], rewards, space, environment_B=numbers)
    found = environment_metrics(batch, ["al/one", "al/two"])
    assert found["environments/al/one/rewards/right/mean"] == 1.0
    assert found["environments/al/two/rewards/right/mean"] == 0.0
    assert found["environments/al/two/reward"] == 0.0
    assert environment_metrics(batch, ["al/one"]) == {}


def test_a_reward_is_unjudged_only_where_it_is_declared():
    space = merge_spaces({"al/one": {"right": RewardDeclaration()}, "al/two": {"short": RewardDeclaration()}})
    rewards = {"right": [1.0, NAN, NAN], "short": [NAN, NAN, 0.5]}
    batch = make_batch([1] * 3, [0, 0, 1], rewards, space, environment_B=torch.tensor([0, 0, 1]))
    found = reward_metrics(batch)
    assert found["rewards/right/unjudged"] == 0.5
    assert found["rewards/short/unjudged"] == 0.0


def test_the_reward_is_the_declared_sum_behind_its_gates():
    space = RewardSpace(
        {
            "right": RewardDeclaration(weight=2.0),
            "short": RewardDeclaration(weight=-0.5),
            "runs": RewardDeclaration(role=RewardRole.GATE, threshold=1.0),
            "length": RewardDeclaration(role=RewardRole.METRIC, range=(0.0, 1000.0)),
        }
    )
    rewards = {
        "right": [1.0, 1.0, 0.0],
        "short": [1.0, 0.0, 0.0],
        "runs": [1.0, 0.0, 1.0],
        "length": [900.0, 900.0, 900.0],
    }
    found = reward_metrics(make_batch([1, 1, 1], rewards=rewards, space=space))
    assert found["reward"] == pytest.approx((1.5 + 0.0 + 0.0) / 3)
    assert found["rewards/length/mean"] == 900.0
    assert found["rewards/length/frac_zero_std"] == 1.0


def test_a_step_in_which_nothing_was_judged_is_not_a_step_of_zeros():
    found = reward_metrics(make_batch([1, 1], rewards={"score": [NAN, NAN]}))
    assert math.isnan(found["reward"])
    assert found["rewards/score/unjudged"] == 1.0


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=8))
def test_lengths_of_all_and_of_those_that_ended_by_themselves(rows):
    lengths, cut = [length for length, _ in rows], [flag for _, flag in rows]
    found = completion_metrics(make_batch(lengths, truncated_B=torch.tensor(cut)))
    ended = [length for length, flag in rows if not flag]
    assert found["completions/mean_length"] == pytest.approx(statistics.fmean(lengths))
    assert (found["completions/min_length"], found["completions/max_length"]) == (min(lengths), max(lengths))
    assert found["completions/clipped_ratio"] == pytest.approx(sum(cut) / len(cut))
    assert found["num_completions"] == len(rows)
    assert ("completions/mean_terminated_length" in found) is bool(ended)
    if ended:
        assert found["completions/mean_terminated_length"] == pytest.approx(statistics.fmean(ended))
        assert (found["completions/min_terminated_length"], found["completions/max_terminated_length"]) == (
            min(ended),
            max(ended),
        )


def test_the_ends_of_the_advantages():
    assert advantage_metrics(torch.tensor([-1.5, 0.0, 2.0])) == {"advantages/min": -1.5, "advantages/max": 2.0}


# The terminal


STEP = {"reward": 0.5, "rewards/digits/mean": 0.25, "rewards/form/mean": float("nan"), "rewards/digits/std": 9.0,
        "completions/mean_length": 11.6, "step_time": 1.25}  # fmt: skip


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=60, no_color=True)


def shown(console):
    return console.file.getvalue()


def test_a_step_is_one_line_however_narrow_the_terminal(console):
    with Terminal(console) as terminal:
        terminal.step(7, 20, STEP)
    assert shown(console) == "step  7/20  reward 0.500  digits 0.250  form not judged  length 12  1.2 s\n"


def test_texts_with_square_brackets_are_shown_as_they_are(console):
    with Terminal(console) as terminal:
        terminal.say("Opening alice/[bold]x")
        terminal.warn("[red] is not judged")
    assert shown(console) == "Opening alice/[bold]x\nWarning: [red] is not judged\n"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def drawn(terminal: Terminal) -> str:
    """The bar as text, without the bar itself."""
    own = Console(file=io.StringIO(), width=100)
    own.print(terminal._bars)
    return " ".join(word for word in shown(own).split() if not word.startswith(("━", "╸", "╺", "-")))


def test_the_bar_says_what_is_done_and_its_clock_runs_on_while_the_policy_learns(console):
    clock = Clock()
    with Terminal(console, clock=clock) as terminal:
        terminal.say("Evaluating on 8 tasks")
        clock.now += 2
        terminal.sampled(3, 8)
        assert drawn(terminal) == "Evaluating on 8 tasks 3/8 2 s"
        terminal.sampled(8, 8)
        terminal.say("Training: 2 steps")
        assert drawn(terminal) == "Training: 2 steps 0 s", "neither the count nor the clock of what came before"
        terminal.sampled(8, 8)
        terminal.learning()
        clock.now += 30
        assert drawn(terminal) == "Training: 2 steps: learning 8/8 30 s"
        terminal.step(1, 2, STEP)
        assert drawn(terminal) == "Step 2 of 2 0 s"
        terminal.sampled(5, 8)
        clock.now += 1
        assert drawn(terminal) == "Step 2 of 2 5/8 1 s"
        terminal.learning()
        assert drawn(terminal) == "Step 2 of 2: learning 5/8 1 s"
        terminal.step(2, 2, STEP)
        assert drawn(terminal) == "Done 0 s"


def test_bars_are_drawn_on_a_terminal_alone(console):
    with Terminal(console) as terminal:
        assert not terminal._live.is_started
    own = Console(file=io.StringIO(), force_terminal=True, width=60)
    terminal = Terminal(own)
    with suppress(KeyboardInterrupt), terminal:
        assert terminal._live.is_started
        raise KeyboardInterrupt
    assert not terminal._live.is_started, "what broke off leaves the cursor to the next program"


def test_no_progress_takes_everything_and_says_nothing(capsys):
    silent = NoProgress()
    silent.say("a")
    silent.warn("b")
    silent.sampled(1, 2)
    silent.learning()
    silent.step(1, 2, {})
    assert capsys.readouterr() == ("", "")


def rollout(held_out: Verdict | None) -> SimpleNamespace:
    task = Task.read({"id": "t1", "prompt": "1+1?", "answer": 2, "split": "train"})
    return SimpleNamespace(
        draw=SimpleNamespace(package="alice/sums", task=task),
        text="2 or 3",
        verdict=Verdict(rewards={"correct": 1.0}),
        held_out=held_out,
        tokens=3,
    )


def test_the_held_out_verdict_travels_with_the_sample_so_that_people_can_be_asked() -> None:
    with_one, without = as_rows([rollout(Verdict(rewards={"correct": 0.0})), rollout(None)], 5, "train")
    assert (with_one.rewards, with_one.held_out) == ({"correct": 1.0}, {"correct": 0.0})
    assert without.held_out == {}

"""What a person sees while a run goes on: a line a phase, a warning or a step, whatever is in their texts."""

import io
from contextlib import suppress

import pytest
from rich.console import Console

from trainer_bridge.reports.terminal import NoProgress, Terminal

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


def test_the_bar_counts_what_is_sampled_and_says_which_step_comes(console):
    with Terminal(console) as terminal:
        (task,) = terminal._bars.tasks
        terminal.say("Training: 2 steps")
        terminal.sampled(3, 8)
        assert (task.description, task.completed, task.total) == ("Training: 2 steps", 3, 8)
        terminal.step(1, 2, STEP)
        assert (task.description, task.completed) == ("Step 2 of 2", 0)
        terminal.step(2, 2, STEP)
        assert task.description == "Done"


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
    silent.step(1, 2, {})
    assert capsys.readouterr() == ("", "")

"""A training step, followed through the code while it runs: which modules it passes, as the architecture page lists them."""

import ast
import io
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

import trainer_bridge
import trainer_bridge.loop
from tests.making.flows import Flow, listed
from trainer_bridge.reports.step_report import Terminal

TRAINER = Path(trainer_bridge.__file__).parent
MOST_MODULES = 26
MOST_AT_ONCE = 6
"""However long the path: so many of its modules are under way at once."""
SECTIONS = (
    "A training step, step by step",
    "How tokens are written",
    "What saves memory and time",
    "What the recipe brings",
)


@cache
def _imported_by(module: str) -> frozenset[str]:
    """Every module of the trainer below ``module``: what it imports, and what that imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((TRAINER / module).read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("trainer_bridge."):
            name = str(node.module).removeprefix("trainer_bridge.").replace(".", "/") + ".py"
            if (TRAINER / name).exists():
                found |= {name} | _imported_by(name)
    return frozenset(found)


@pytest.fixture
def second_step(monkeypatch, fake_hub, make_settings):
    """A run's second step, followed: nothing is opened or built any more. What a terminal shows belongs to it."""
    flow, step = Flow("trainer_bridge"), trainer_bridge.loop._step

    def followed(parts, samples):
        if parts.state.step != 1:
            return step(parts, samples)
        with flow.following():
            return step(parts, samples)

    monkeypatch.setattr(trainer_bridge.loop, "_step", followed)
    with Terminal(Console(file=io.StringIO())) as progress:
        trainer_bridge.loop.train(make_settings(steps=2, eval_tasks=0), hub=fake_hub(), progress=progress)
    return flow


def test_a_training_step_passes_the_modules_that_the_page_lists_and_never_calls_upwards(second_step):
    of_page = {module for title in SECTIONS for module in listed("architecture.md", title, "trainer_bridge")}
    assert second_step.modules == of_page
    upwards = {(caller, called) for caller, called in second_step.calls if caller in _imported_by(called)}
    assert upwards == set()


def test_a_training_step_passes_no_more_modules_than_can_be_read_in_one_sitting(second_step):
    assert len(second_step.modules) <= MOST_MODULES
    assert second_step.depth(second_step.modules) <= MOST_AT_ONCE, max(second_step.stacks, key=len)

"""A training step, followed through the code while it runs: which modules it passes, as the architecture page lists them."""

import ast
import io
import re
import sys
import threading
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from rich.console import Console

import trainer_bridge
import trainer_bridge.loop
from trainer_bridge.reports.step_report import Terminal

TRAINER = Path(trainer_bridge.__file__).parent
PAGE = TRAINER.parent / "docs" / "explanation" / "architecture.md"
PATH = re.compile(r"`trainer_bridge/([a-z_/0-9]+\.py)`")
MOST_MODULES = 19
SECTIONS = ("A training step, step by step", "How tokens are written", "What the recipe brings")


class Trace:
    """Modules of the trainer that ran, and which of them called which."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.calls: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        module = _module(frame) if event == "call" and frame.f_code.co_name != "<module>" else None
        if module is None:
            return
        self.modules.add(module)
        back = frame.f_back
        while back is not None and back.f_code.co_filename.startswith(sys.prefix):  # torch, between two of ours
            back = back.f_back
        caller = _module(back) if back is not None else None
        if caller is not None and caller != module:
            self.calls.add((caller, module))


def _module(frame: FrameType) -> str | None:
    file = Path(frame.f_code.co_filename)
    return file.relative_to(TRAINER).as_posix() if file.is_relative_to(TRAINER) else None


def _listed(title: str) -> list[str]:
    """The modules of a section of the page, in their order."""
    section = PAGE.read_text().partition(f"### {title}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    return list(dict.fromkeys(PATH.findall(section)))


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
    """The trace of a run's second step: nothing is opened or built any more. What a terminal shows belongs to it."""
    trace, step = Trace(), trainer_bridge.loop._step

    def followed(parts, samples):
        if parts.state.step != 1:
            return step(parts, samples)
        threading.setprofile(trace)
        sys.setprofile(trace)
        try:
            return step(parts, samples)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    monkeypatch.setattr(trainer_bridge.loop, "_step", followed)
    with Terminal(Console(file=io.StringIO())) as progress:
        trainer_bridge.loop.train(make_settings(steps=2, eval_tasks=0), hub=fake_hub(), progress=progress)
    return trace


def test_a_training_step_passes_the_modules_that_the_page_lists_and_never_calls_upwards(second_step):
    listed = [module for title in SECTIONS for module in _listed(title)]
    assert second_step.modules == set(listed)
    upwards = {(caller, called) for caller, called in second_step.calls if caller in _imported_by(called)}
    assert upwards == set()


def test_a_training_step_passes_no_more_modules_than_can_be_read_in_one_sitting(second_step):
    assert len(second_step.modules) <= MOST_MODULES

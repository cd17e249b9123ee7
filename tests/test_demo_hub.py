"""What the demo says while it waits, where there is no terminal."""

import importlib
import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.making.altered_library import alter_library

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


@pytest.fixture
def demo_hub(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("demo_hub")


class Waiting:
    """A hub with two packages: at each look one more audit has ended."""

    def __init__(self):
        self.looks = 0

    def get(self, path):
        if path.endswith("/audits"):
            return {"items": [{"done_cases": 30 * self.looks, "total_cases": 90}]}
        self.looks += 1
        states = ["running" if self.looks == 1 else "done", ["queued", "running", "done"][min(self.looks - 1, 2)]]
        cards = [
            {"id": f"lecture/{name}", "latest": "1.0.0", "audit_state": state}
            for name, state in zip(("first", "second"), states, strict=True)
        ]
        return {"items": cards, "next": None}


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_log_says_how_far_the_audits_are_and_a_terminal_shows_bars_alone(demo_hub, monkeypatch, is_terminal):
    written = io.StringIO()
    monkeypatch.setattr(demo_hub, "console", Console(file=written, force_terminal=is_terminal, width=120))
    monkeypatch.setattr(demo_hub, "_TELL_SECONDS", 0)
    alter_library(monkeypatch, demo_hub, "time", sleep=lambda _seconds: None)
    cards = demo_hub.wait_for_audits(Waiting())
    assert [card["audit_state"] for card in cards] == ["done", "done"]
    lines = [line[len("  12:00:00  ") :].rstrip() for line in written.getvalue().splitlines() if "; now" in line]
    expected = [
        "measured 0 of 2 packages; now lecture/first 30 of 90 cases",
        "measured 1 of 2 packages; now lecture/second 60 of 90 cases",
    ]
    assert lines == ([] if is_terminal else expected)


def test_lines_come_from_time_to_time_and_not_at_every_look(demo_hub, monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(demo_hub, "console", Console(file=written, force_terminal=False, width=120))
    alter_library(monkeypatch, demo_hub, "time", sleep=lambda _seconds: None)
    demo_hub.wait_for_audits(Waiting())
    assert written.getvalue().strip() == "", "this took no half minute"

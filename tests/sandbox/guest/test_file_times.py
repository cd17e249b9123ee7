"""Honest code on another day and machine: what the standard library and users of it do with clocks, files and hosts."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox.guest import honest_snippets

ROOT = Path(__file__).parents[3]


@functools.cache
def broken(days: int) -> dict[str, str]:
    """What broke, in a process of its own that lives so many days ahead."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.sandbox.guest.honest_snippets", str(86_400 * days + 4321)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("days", [40, 1500])
@pytest.mark.parametrize("name", [one.__name__ for one in honest_snippets.ALL])
def test_honest_code_works_on_another_day(name: str, days: int) -> None:
    assert broken(days)[name] == ""

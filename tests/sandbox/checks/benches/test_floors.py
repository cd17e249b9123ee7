"""The floors' script runs as text in a box: nothing else notices a name of the guest that has changed."""

import re
from importlib import import_module

import pytest

from sandbox.checks.benches.floors import _GUARDED_FORKS

USED = sorted(set(re.findall(r"^(?:.*\s)?(cleanup|cheap_fork|landlock|limits)\.(\w+)\(", _GUARDED_FORKS, re.MULTILINE)))


@pytest.mark.parametrize(("module", "name"), USED)
def test_the_guest_has_what_the_script_calls(module: str, name: str) -> None:
    assert callable(getattr(import_module(f"sandbox.guest.{module}"), name))


def test_names_are_found() -> None:
    assert ("cleanup", "kill_leftovers") in USED

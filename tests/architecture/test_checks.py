"""Whoever commits with pre-commit hears the same as ``scripts/check`` says."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_every_step_of_the_quick_checks_is_a_hook() -> None:
    steps = re.findall(r'^step "[^"]+" \$bin/(.+)$', (ROOT / "scripts/check").read_text(), re.MULTILINE)
    [repository] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    hooks = {hook["entry"].removeprefix(".venv/bin/") for hook in repository["hooks"]}
    # Hooks correct what can be corrected, and are told which files to look at.
    corrected = {"ruff check .": "ruff check --fix", "ruff format --check .": "ruff format"}
    assert len(steps) >= 7
    assert {corrected.get(step, step) for step in steps} - hooks == set()

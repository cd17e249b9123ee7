"""What the pages about other frameworks show exists."""

import importlib.util
import re
from pathlib import Path

import pytest

from hub_client.commands.command_list import COMMANDS

HOW_TO = Path(__file__).parents[3] / "docs" / "how_to"
NAMES = ("trl", "verl", "verifiers", "openenv", "inspect", "harbor", "nemo_gym", "skyrl_gym", "tinker")
PAGES = {name: (HOW_TO / f"{name}.md").read_text() for name in NAMES}
FOLDER = Path(importlib.util.find_spec("hub_client.adapters").origin).parent


@pytest.mark.parametrize("name", NAMES)
def test_its_python_is_python(name: str) -> None:
    for block in re.findall(r"```python\n(.*?)```", PAGES[name], re.DOTALL):
        compile(block, f"docs/how_to/{name}.md", "exec")


@pytest.mark.parametrize("name", NAMES)
def test_every_function_that_it_imports_is_there(name: str) -> None:
    for module, names in re.findall(r"from hub_client\.adapters\.(\w+) import ([\w, ]+)", PAGES[name]):
        code = (FOLDER / f"{module}.py").read_text()
        for wanted in names.split(", "):
            assert re.search(rf"^(def|class) {wanted}\b", code, re.MULTILINE), wanted


@pytest.mark.parametrize("name", NAMES)
def test_its_commands_and_modules_exist(name: str) -> None:
    assert set(re.findall(r"\bverihub ([a-z]+) ", PAGES[name])) <= set(COMMANDS)
    for module in set(re.findall(r"hub_client\.adapters\.(\w+)", PAGES[name])):
        assert (FOLDER / f"{module}.py").is_file(), module


@pytest.mark.parametrize("name", ["trl", "verl", "nemo_gym", "skyrl_gym"])
def test_rows_of_a_generated_split_are_asked_for_with_a_limit(name: str) -> None:
    calls = re.findall(r"dataset_rows\(.*\)", PAGES[name])
    assert calls
    assert all("limit=" in call for call in calls)


def test_the_overview_names_every_framework() -> None:
    overview = (HOW_TO / "frameworks.md").read_text()
    assert [name for name in NAMES if f"]({name}.md)" not in overview] == []

"""What docs/reference/cli.md and docs/reference/python.md promise is what the code has."""

import re
from pathlib import Path

import hub_client
from hub_client import errors
from hub_client.commands.command_list import COMMANDS
from hub_client.settings import DEFAULT_URL, ClientSettings

DOCS = Path(__file__).parents[2] / "docs"
CLI = (DOCS / "reference" / "cli.md").read_text()


def test_every_command_has_its_row() -> None:
    rows = " ".join(re.findall(r"^\| (`.*?) \|", CLI, re.MULTILINE))
    assert [name for name in COMMANDS if not re.search(rf"`{name}\b", rows)] == []


def test_every_setting_has_its_row_and_its_variable() -> None:
    shown = {name for name in ClientSettings.model_fields if f"`VERIHUB_{name.upper()}`" in CLI}
    assert shown == set(ClientSettings.model_fields) - {"project_url", "project_file"}
    assert DEFAULT_URL in CLI


def test_every_exit_code_is_explained() -> None:
    rows = {int(code) for code in re.findall(r"^\| (\d+) \|", CLI, re.MULTILINE)}
    used = {item.exit_code for item in vars(errors).values() if isinstance(item, type) and hasattr(item, "exit_code")}
    assert rows == used | {0, 130}


def test_everything_public_can_be_imported() -> None:
    assert [name for name in hub_client.__all__ if getattr(hub_client, name).__name__ != name] == []


def test_the_example_of_the_client_page_is_python() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "reference" / "python.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        compile(block, "docs/reference/python.md", "exec", flags=0x2000)  # top-level await is meant

"""Lists and help of commands: words for values, suggestions, and an extra that is missing is named."""

import gc
from pathlib import Path
from typing import Annotated

import pytest
import typer

from hub_client.commands import group
from hub_client.commands.command_list import COMMANDS, GROUPS, all_names, line_of
from hub_client.commands.group import load_command
from hub_client.errors import UsageError
from schemas.kinds import PackageKind


def example(  # noqa: PLR0917 -- a command's options
    name: str,
    more: list[Path] | None = None,
    count: Annotated[int, typer.Option(help="x")] = 1,
    share: Annotated[float | None, typer.Option(help="x")] = None,
    words: Annotated[list[str] | None, typer.Option(help="x")] = None,
    kind: Annotated[list[PackageKind] | None, typer.Option(help="x")] = None,
    named: Annotated[Path | None, typer.Option(metavar="FILE", help="x")] = None,
) -> None:
    """Do it."""
    del name, more, count, share, words, kind, named


@pytest.fixture
def shown(monkeypatch):
    monkeypatch.setattr(group, "_imported", lambda _name: example)
    command = load_command("search")
    return command.get_help(command.make_context("verihub x", ["a"], resilient_parsing=True))


@pytest.mark.parametrize(
    "words",
    ["NAME", "--count N ", "--share NUMBER", "--words TEXT", "--named FILE", "--kind environment|tool|verifier"],
)
def test_a_value_is_called_by_a_word(shown, words):
    assert words in shown
    assert "<" not in shown


def test_the_line_of_usage_says_what_must_be_given(shown):
    assert shown.splitlines()[0].startswith("Usage: verihub x [OPTIONS] NAME")
    assert "{" not in shown


def missing(name):
    def load(_name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    return load


@pytest.mark.parametrize(
    ("command", "module", "extra"),
    [("train", "torch", "trainer"), ("serve", "fastapi", "server"), ("audit", "docker", "sandbox")],
)
def test_an_extra_that_is_missing_is_named_with_how_to_get_it(monkeypatch, command, module, extra):
    monkeypatch.setattr(group, "_imported", missing(module))
    with pytest.raises(UsageError, match=rf"`verihub {command}` needs {module}: pip install .*\[{extra}\]"):
        load_command(command)


def test_a_module_of_ours_that_is_missing_is_a_bug_and_no_advice(monkeypatch):
    monkeypatch.setattr(group, "_imported", missing("hub_client.commands.gone"))
    with pytest.raises(ModuleNotFoundError):
        load_command("audit")


def test_every_command_stands_in_one_group_with_one_line():
    names = [name for commands in GROUPS.values() for name in commands]
    assert len(names) == len(set(names))
    assert set(names) <= set(all_names())
    assert set(COMMANDS) <= set(names)
    assert all(line_of(name).endswith(".") and len(line_of(name)) < 80 for name in names)
    assert line_of("somebody-elses") == "Of another installed package."


@pytest.mark.parametrize("was_enabled", [True, False])
def test_no_garbage_is_searched_for_while_a_command_is_imported_and_then_as_before(monkeypatch, was_enabled):
    during = []
    monkeypatch.setattr(group, "_imported", lambda _: during.append(gc.isenabled()) or example)
    try:
        if not was_enabled:
            gc.disable()
        load_command("search")
        assert (during, gc.isenabled()) == ([False], was_enabled)
        monkeypatch.setattr(group, "_imported", missing("hub_client.commands.gone"))
        with pytest.raises(ModuleNotFoundError):
            load_command("search")
        assert gc.isenabled() == was_enabled
    finally:
        gc.enable()

"""The table of commands is what there is: each entry leads to a command, and another package adds but hides none."""

import importlib
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from hub_client.commands import command_list
from hub_client.commands.command_list import COMMANDS, GROUPS, all_names, extension_names, extensions, line_of


@pytest.mark.parametrize("name", COMMANDS)
def test_each_entry_leads_to_a_command(name):
    module, _, attribute = COMMANDS[name][0].partition(":")
    assert callable(getattr(importlib.import_module(module), attribute))


@pytest.mark.parametrize("name", [name for group in GROUPS.values() for name in group])
def test_each_line_fits_beside_its_name_and_is_a_sentence(name):
    line = line_of(name)
    assert line.endswith(".")
    assert line[0].isupper()
    assert len(line) <= 66


def test_a_command_stands_in_one_group():
    names = [name for group in GROUPS.values() for name in group]
    assert len(names) == len(set(names))
    assert set(COMMANDS) < set(names)


def test_another_package_adds_its_commands_last_and_takes_no_name_of_ours(monkeypatch):
    points = EntryPoints(EntryPoint(name, "a:b", "verihub.commands") for name in ("zoo", "login", "train", "bake"))
    monkeypatch.setattr(command_list, "entry_points", points.select)
    monkeypatch.setattr(command_list, "extensions", extensions.__wrapped__)
    assert extension_names() == {"zoo", "bake"}
    assert all_names()[-2:] == ["bake", "zoo"]
    assert all_names().count("login") == 1
    assert line_of("zoo") == "Of another installed package."
    assert line_of("login") == "Log in, or sign up."

"""What is printed: results on stdout, everything else on stderr, and nothing that a stranger wrote is obeyed."""

import io
import json

import pytest
from rich.console import Console

from hub_client.settings import ClientSettings, OutputFormat
from hub_client.terminal.output import Output, jsonable, table
from schemas.page import Page

HOSTILE = "\x1b[2J\u202eevil [bold]x[/bold]"


@pytest.fixture
def output():
    def make(shown):
        return Output(ClientSettings.load().model_copy(update={"format": shown}))

    return make


def test_people_get_words_scripts_the_bare_result_and_programs_one_object(output, capsys):
    for shown in OutputFormat:
        output(shown).result({"a": 1}, human="all well", quiet="1")
    assert capsys.readouterr().out.replace('{\n  "a": 1\n}', "JSON").split("\n")[:3] == ["all well", "JSON", "1"]


@pytest.mark.parametrize("shown", list(OutputFormat))
def test_escapes_and_markup_of_strangers_are_shown_and_not_obeyed(output, capsys, shown):
    listing = table("name", "text")
    listing.add_row("alice/x\nfake", HOSTILE)
    for human in (HOSTILE, listing):
        output(shown).result({"text": HOSTILE}, human=human, quiet=HOSTILE)
    output(shown).remark(HOSTILE)
    output(shown).warn(HOSTILE)
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "[bold]" in said.out


@pytest.mark.parametrize("width", [200, 70, 40])
def test_in_a_narrow_terminal_a_table_loses_its_right_end_and_no_name(width):
    listing = table("package", "grade", "rate", "")
    listing.add_row("alice/final-number", "D hollow", "0.0 % (0.0-27.8)", "Does the last line give the answer? " * 3)
    listing.add_row("bob/x", "A", "", "Short.")
    console = Console(file=io.StringIO(), width=width)
    console.print(listing)
    _, first, second = console.file.getvalue().splitlines()
    assert first.startswith("alice/final-number  D hollow  ")
    assert second.split()[:2] == ["bob/x", "A"]
    assert "0.0 % (0.0-27.8)  Does the" in first or width == 40


def test_json_of_strangers_is_read_back_as_it_was(output, capsys):
    output(OutputFormat.JSON).result({"text": HOSTILE})
    assert json.loads(capsys.readouterr().out) == {"text": HOSTILE}


def test_remarks_are_for_people_and_warnings_for_all_but_scripts(output, capsys):
    told = {}
    for shown in OutputFormat:
        output(shown).remark("a remark")
        output(shown).warn("a warning")
        told[shown] = capsys.readouterr()
    assert all(said.out == "" for said in told.values())
    assert ("a remark" in told[OutputFormat.HUMAN].err, "a remark" in told[OutputFormat.JSON].err) == (True, False)
    assert "warning: a warning" in told[OutputFormat.JSON].err
    assert told[OutputFormat.QUIET].err == ""


def test_models_are_plain_json_at_any_depth():
    page = Page[int](items=[1])
    assert jsonable({"pages": [page, (page,)]}) == {"pages": [page.model_dump(), [page.model_dump()]]}

import json

import pytest

from hub_client.errors import HubClientError
from hub_client.settings import ClientSettings, OutputFormat
from hub_client.terminal.errors import print_error
from hub_client.terminal.output import Output, table
from hub_client.terminal.plain_text import printable, printable_json

EVIL = "a\x1b]0;title\x07b\x9b2Jc\u202ed\rf\x00g"


def test_what_a_terminal_would_obey_is_written_out_and_the_rest_stays() -> None:
    assert printable(EVIL) == r"a\x1b]0;title\x07b\x9b2Jc\u202ed\x0df\x00g"
    assert printable("two\nlines\tand ünï — 漢字 🙂") == "two\nlines\tand ünï — 漢字 🙂"
    assert printable("\ud800") == r"\ud800"


def test_json_reads_back_as_it_was_and_holds_no_control_character() -> None:
    data = {"a": EVIL, "lone": "\udcff", "x": "line\u2028separator"}
    text = printable_json(data)
    assert json.loads(text) == data
    assert text.encode()
    assert not any(ord(char) < 32 or 0x7F <= ord(char) <= 0x9F for char in text)


@pytest.mark.parametrize("cell", ["ends with [/INST]", "[bold red]x", "[link=file:///etc/passwd]y[/link]", "plain"])
def test_a_cell_of_a_table_is_text_and_no_markup(capsys, cell) -> None:
    listing = table("package", "summary")
    listing.add_row("alice/x", cell)
    Output(ClientSettings.load()).result({}, human=listing)
    assert cell in capsys.readouterr().out


@pytest.mark.parametrize("output_format", list(OutputFormat))
def test_no_output_carries_an_escape(capsys, output_format) -> None:
    output = Output(ClientSettings.load(format=output_format))
    listing = table("a", "b")
    listing.add_row(EVIL, EVIL)
    output.result({"x": EVIL}, human=listing, quiet=EVIL)
    output.result({"x": EVIL}, human=EVIL, quiet=EVIL)
    output.remark(EVIL)
    output.warn(EVIL)
    with output.progress(EVIL):
        pass
    print_error(HubClientError(EVIL), output_format)
    said = capsys.readouterr()
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\x00"} & set(said.out + said.err)

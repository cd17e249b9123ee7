"""What cannot be undone is done by who said yes, and by nobody else."""

import io

import pytest
import typer

from hub_client.commands.confirmation import require_yes
from hub_client.errors import UsageError


@pytest.mark.parametrize(("typed", "said"), [("", "--yes answers"), ("n\n", "nothing was changed"), ("\n", "nothing")])
def test_all_but_a_yes_changes_nothing(monkeypatch, typed, said) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    with pytest.raises(UsageError, match=said):
        require_yes("Delete it?", yes=False)


def test_a_yes_goes_on(monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    require_yes("Delete it?", yes=False)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    require_yes("Delete it?", yes=True)


def test_an_interrupt_at_a_terminal_stays_one(monkeypatch) -> None:
    terminal = io.StringIO("")
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    with pytest.raises(typer.Abort):
        require_yes("Delete it?", yes=False)

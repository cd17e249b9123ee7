"""The last door of the command line: global options, exit codes, and no traceback on the screen."""

import json
import tempfile
from functools import partial
from pathlib import Path

import pytest
import typer

from hub_client.commands import runner
from hub_client.commands.command_list import MEANT_OPTIONS
from hub_client.commands.group import load_command
from hub_client.errors import HubClientError, IntegrityError, NotLoggedInError, PolicyError, UsageError
from hub_client.settings import OutputFormat
from tests.making.altered_library import alter_library


@pytest.fixture
def ends(monkeypatch, capsys):
    """Run a command that ends with this error or status: (exit code, stdout, stderr)."""

    def end(outcome, *arguments):
        class Command:
            def main(self, **_):
                if isinstance(outcome, BaseException):
                    raise outcome
                return outcome

        monkeypatch.setattr("typer.main.get_command", lambda _: Command())
        code = runner.run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return end


@pytest.mark.parametrize(
    ("arguments", "options", "rest"),
    [
        (["search", "x"], {}, ["search", "x"]),
        (["--offline", "pull", "a/b"], {"offline": True}, ["pull", "a/b"]),
        (["pull", "a/b", "-q"], {"format": OutputFormat.QUIET}, ["pull", "a/b"]),
        (["--url=http://h", "info"], {"url": "http://h"}, ["info"]),
        (["info", "--format", "json"], {"format": "json"}, ["info"]),
        (["score", "--", "--quiet", "--url"], {}, ["score", "--", "--quiet", "--url"]),
        (["score", "--response=--offline"], {}, ["score", "--response=--offline"]),
        (["--url", "a", "--url", "b"], {"url": "b"}, []),
        (["--format="], {"format": ""}, []),
    ],
)
def test_global_options_stand_anywhere_before_two_dashes(arguments, options, rest):
    assert runner.split_globals(arguments) == (options, rest)


@pytest.mark.parametrize("name", ["--url", "--format"])
def test_an_option_without_its_value_is_named(name):
    with pytest.raises(UsageError, match=f"{name} needs a value"):
        runner.split_globals(["search", name])


@pytest.mark.parametrize("kind", [HubClientError, UsageError, NotLoggedInError, IntegrityError, PolicyError])
def test_each_error_has_its_exit_code_and_one_line(ends, kind):
    code, out, err = ends(kind("what to do"))
    assert (code, out) == (kind.exit_code, "")
    assert "what to do" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(("status", "code"), [(0, 0), (3, 3), (None, 0), ("text", 0), (130, 130)])
def test_a_status_is_handed_on(ends, status, code):
    assert ends(status)[0] == code


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort()])
def test_an_interrupt_is_no_bug(ends, error):
    code, _, err = ends(error)
    assert (code, "interrupted" in err, "bug" in err) == (130, True, False)


def test_a_reader_who_left_gets_no_message(ends):
    assert ends(BrokenPipeError()) == (1, "", "")


def test_a_full_disk_is_the_machines_fault_and_names_the_file(ends):
    code, _, err = ends(OSError(28, "No space left on device", "/cache/x"))
    assert code == 1
    assert "/cache/x: No space left on device" in err
    assert "bug" not in err


def test_a_bug_is_written_to_a_file_without_the_arguments(ends, monkeypatch, tmp_path):
    alter_library(
        monkeypatch, runner, "tempfile", NamedTemporaryFile=partial(tempfile.NamedTemporaryFile, dir=tmp_path)
    )
    code, out, err = ends(ValueError("odd \x1b[2J"), "login", "--token", "vh_hunter2")
    report = next(tmp_path.glob("verihub-bug-*.txt"))
    assert (code, out) == (1, "")
    assert str(report) in err
    assert "\x1b" not in err
    text = report.read_text()
    assert "command: login" in text
    assert "Traceback" in text
    assert "hunter2" not in text
    assert report.stat().st_mode & 0o077 == 0


def test_a_setting_that_is_not_valid_is_a_usage_error(capsys):
    assert runner.run(["search", "--format", "shout"]) == 2
    assert "--format" in capsys.readouterr().err


def test_a_script_gets_its_errors_as_json(ends):
    _, out, err = ends(IntegrityError("other bytes"), "--format", "json")
    assert "other bytes" in json.dumps(json.loads(out or err))


def test_no_file_is_left_by_what_is_no_bug(ends, monkeypatch, tmp_path):
    alter_library(
        monkeypatch, runner, "tempfile", NamedTemporaryFile=partial(tempfile.NamedTemporaryFile, dir=tmp_path)
    )
    ends(HubClientError("x"))
    ends(OSError("x"))
    assert not list(Path(tmp_path).glob("verihub-bug-*"))


def test_a_misspelt_setting_of_the_sandbox_is_no_bug(monkeypatch, capsys):
    monkeypatch.setenv("VERIHUB_SANDBOX_RUNTIM", "runsc")
    assert runner.run(["doctor"]) == UsageError.exit_code
    assert "did you mean VERIHUB_SANDBOX_RUNTIME?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("eval", "a/b", "--model", "m", "--limit", "4"), "--tasks"),
        (("eval", "a/b", "--model", "m", "--rollouts-per-example", "4"), "--samples"),
        (("train", "a/b", "--max-steps", "4"), "--steps"),
        (("publish", "--visibility", "private"), "--private"),
    ],
)
def test_an_option_of_other_tools_is_answered_with_ours(words, meant, capsys):
    """``--limit`` was answered with ``--split``, which is spelt alike and does something else."""
    assert runner.run(words) == 2
    assert f"No such option: {words[-2]} (Possible options: {meant})" in " ".join(capsys.readouterr().err.split())


def test_every_option_that_is_suggested_is_one_of_ours():
    for meant in set(MEANT_OPTIONS.values()):
        assert any(
            meant in parameter.opts for name in ("eval", "train", "publish") for parameter in load_command(name).params
        )

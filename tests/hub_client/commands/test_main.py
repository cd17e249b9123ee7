import json
import subprocess
import sys
from pathlib import Path

import pytest

from hub_client.commands import main
from hub_client.commands.main import COMMANDS, run, split_globals
from hub_client.errors import UsageError


def test_global_options_may_stand_anywhere_up_to_a_double_dash() -> None:
    options, rest = split_globals(["--offline", "score", "x", "--format=json", "--url", "http://h", "--", "--offline"])
    assert options == {"offline": True, "format": "json", "url": "http://h"}
    assert rest == ["score", "x", "--", "--offline"]
    with pytest.raises(UsageError, match="--url needs a value"):
        split_globals(["search", "--url"])


def test_help_lists_every_command_with_its_line(verihub) -> None:
    said = verihub("--help")
    assert said.code == 0
    for name, (_, line) in COMMANDS.items():
        assert f"  {name} " in said.out
        assert line[:30] in said.out
    for name in ("serve", "worker", "train"):
        assert f"  {name} " in said.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_loads_and_explains_itself(verihub, name) -> None:
    said = verihub(name, "--help")
    assert said.code == 0
    assert f"verihub {name}" in said.out


def test_the_list_of_commands_is_fast_because_it_loads_none_of_them() -> None:
    code = "import sys; from hub_client.commands.main import run; run(['--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for heavy in ("'httpx'", "'docker'", "'torch'", "'numpy'", "'hub_client.client'", "'rich.console'", "'fastapi'"):
        assert heavy not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["nonsense"], 2, "No such command"),
        (["search", "--nonsense"], 2, "--nonsense"),
        (["init"], 2, "OWNER/NAME"),
        (["init", "Alice/x"], 2, "is not owner/name"),
        (["--format", "yaml", "search"], 2, "format"),
        (["pull", "notareference"], 2, "is not owner/name"),
        (["pull", "alice/x", "--offline"], 8, "not in the cache"),
        (["search", "--url", "http://127.0.0.1:9"], 8, "cannot be reached"),
        (["check", "/nowhere"], 4, "not a folder"),
        (["sync"], 4, "verihub lock"),
        (["score", "alice/x", "--task", "{", "--response", "x"], 2, "--task is not JSON"),
        (["audit", ".", "--fail-below", "Z"], 2, "A, B, C or D"),
        (["login", "--password-stdin"], 2, "needs --name"),
    ],
)
def test_a_mistake_is_one_clear_line_and_its_exit_code(verihub, arguments, code, word) -> None:
    said = verihub(*arguments)
    assert said.code == code
    assert word in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_an_error_is_an_object_where_json_was_asked_for(verihub) -> None:
    said = verihub("pull", "alice/x", "--offline", "--format", "json")
    told = json.loads(said.err)
    assert (told["error"], told["exit_code"]) == ("HubUnreachableError", 8)
    assert said.out == ""


def broken(error):
    def load(_name):
        raise error

    return load


def test_ctrl_c_ends_with_130_and_a_word(verihub, monkeypatch) -> None:
    monkeypatch.setattr(main, "_load", broken(KeyboardInterrupt()))
    said = verihub("search")
    assert said.code == 130
    assert "half-written" in said.err


def test_a_bug_goes_to_a_file_without_the_arguments(verihub, monkeypatch) -> None:
    monkeypatch.setattr(main, "_load", broken(ZeroDivisionError("boom")))
    said = verihub("score", "x", "--response", "a secret")
    assert said.code == 1
    assert "Traceback" not in said.err
    path = Path(next(word for word in said.err.split() if "verihub-bug-" in word).rstrip(";"))
    assert "boom" in path.read_text()
    assert "a secret" not in path.read_text()
    path.unlink()


def test_a_machine_in_trouble_is_no_bug(verihub, monkeypatch) -> None:
    monkeypatch.setattr(main, "_load", broken(OSError(28, "No space left on device", "/cache/x")))
    said = verihub("search")
    assert said.code == 1
    assert said.err.startswith("verihub: /cache/x: No space left on device")


def test_the_console_script_is_this_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hub_client.commands.main", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("verihub ")


def test_an_interrupted_init_leaves_nothing(verihub, monkeypatch, own_folders) -> None:
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", interrupted)
    assert run(["init", "alice/x"]) == 130
    assert list(own_folders.iterdir()) == []

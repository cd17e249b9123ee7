import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hub_client.commands import group
from hub_client.commands.command_list import GROUPS, MEANT, OTHER_NAMES, all_names
from hub_client.commands.main import run
from hub_client.commands.runner import split_globals
from hub_client.errors import UsageError


def test_global_options_may_stand_anywhere_up_to_a_double_dash() -> None:
    options, rest = split_globals(["--offline", "score", "x", "--format=json", "--url", "http://h", "--", "--offline"])
    assert options == {"offline": True, "format": "json", "url": "http://h"}
    assert rest == ["score", "x", "--", "--offline"]
    assert split_globals(["pull", "x", "--min-age", "7"]) == ({"min_age": "7"}, ["pull", "x"])
    with pytest.raises(UsageError, match="--url needs a value"):
        split_globals(["search", "--url"])


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_help_lists_every_command_with_its_line_in_its_group(verihub, words) -> None:
    said = verihub(*words)
    assert said.code == 0
    assert said.err == ""
    for heading, commands in GROUPS.items():
        assert f"{heading}:" in said.out
        for name, (_, line) in commands.items():
            assert f"  {name} " in said.out
            assert line[:30] in said.out


@pytest.mark.parametrize("name", [name for name in all_names() if name not in ("serve", "worker")])
def test_every_command_loads_and_explains_itself_with_examples(verihub, name) -> None:
    said = verihub(name, "--help")
    assert said.code == 0
    assert f"verihub {name}" in said.out
    assert verihub("help", name).out == said.out
    assert verihub(name, "-h").out == said.out
    if f"verihub {name} [OPTIONS] COMMAND" not in said.out:
        assert f"    verihub {name}" in said.out.split("Examples:")[1]


def every_help() -> list[list[str]]:
    """The words of each command, subcommands as well."""
    with_subcommands = {
        "cases": ["add", "submit", "list"],
        "run": ["list", "show"],
        "token": ["create", "list", "revoke"],
        "organization": ["create", "show", "invite", "remove", "invitations", "accept", "decline"],
    }
    return [
        [],
        *([name, *more] for name in all_names() for more in [[], *([one] for one in with_subcommands.get(name, []))]),
    ]


@pytest.mark.parametrize("words", every_help(), ids=" ".join)
def test_help_speaks_of_values_and_not_of_pythons_types(verihub, words) -> None:
    shown = verihub(*words, "--help").out.replace("< ", "")  # what a shell reads from a file
    assert (
        re.findall(r"<[^>\n]*>|\blist\[|[{}]", shown.replace('{"correct": 0}', "").replace('{"answer": 42}', "")) == []
    )
    assert "…..." not in shown
    assert not re.search(r"^  \w+ .*\.\.\.$", shown, re.MULTILINE), "a line about a subcommand is cut off"


@pytest.mark.parametrize("name", ["cases", "run", "token", "organization"])
def test_a_command_with_subcommands_explains_them(verihub, name) -> None:
    said = verihub(name)
    assert said.code == 0
    subcommands = [line.split()[0] for line in said.out.split("Commands:")[1].splitlines() if line.strip()]
    for subcommand in subcommands:
        assert f"    verihub {name} {subcommand}" in verihub(name, subcommand, "--help").out.split("Examples:")[1]


SLOW = ("httpx", "docker", "torch", "numpy", "rich", "fastapi", "asyncio", "pydantic", "pydantic_settings", "platformdirs",
        "hub_client.client", "hub_client.settings", "hub_client.errors", "schemas")  # fmt: skip


@pytest.mark.parametrize("word", ["--help", "-h", "help", "", "--version"])
def test_the_list_of_commands_is_fast_because_it_loads_none_of_them(word) -> None:
    code = f"import sys; from hub_client.commands.main import run; run({[word] if word else []}); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert "'typer'" in loaded
    assert [module for module in SLOW if f"'{module}'" in loaded] == []


def test_who_only_asks_a_hub_loads_no_sandbox() -> None:
    """What measures verifiers was a third of what such a command imports."""
    code = "import sys, hub_client.client; print(sorted(name for name in sys.modules if name.startswith('sandbox')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['sandbox', 'sandbox.streams']", "channels run nothing"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["pubish"], "publish"),
        (["pakc"], "pack"),
        (["token", "creat"], "create"),
        (["evl", "x"], "eval"),
        (["show"], "info"),
    ],
)
def test_a_mistyped_command_gets_a_suggestion(verihub, words, meant) -> None:
    said = verihub(*words)
    assert said.code == 2
    assert f"Did you mean {meant}" in said.err


def test_every_word_of_other_command_lines_leads_to_a_command_and_hides_none() -> None:
    names = {*all_names(), *OTHER_NAMES}
    assert set(MEANT.values()) <= names
    assert names.isdisjoint(MEANT)


def test_short_forms_work(verihub, own_folders) -> None:
    assert verihub("-V").out == verihub("--version").out
    assert verihub("init", "alice/x", "-q").out == "x\n"
    assert verihub("-q", "init", "alice/y").out == "y\n"


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["nonsense"], 2, "No such command"),
        (["search", "--nonsense"], 2, "--nonsense"),
        (["init"], 2, "NAME"),
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
        (["login"], 2, "add --password-stdin"),
        (["login", "--with-token"], 2, "no token came on stdin"),
        (["login", "--name", "Alice B", "--password-stdin"], 2, "name: "),
        (["token", "create", ""], 2, "name: String should have at least 1 character"),
        (["pull", "./work"], 2, "is not owner/name"),
        (["audit", "gone.json", "--verify"], 4, "gone.json cannot be read"),
        (["audit", ".", "--markdown", "/nowhere/x.md"], 4, "--markdown: there is no folder /nowhere"),
        (["audit", ".", "--badge", "."], 2, "--badge: . is a folder: name a file"),
        (["pack", "nothere"], 4, "nothere is not a folder"),
        (["check", "nothere"], 4, "nothere is not a folder"),
        (["yank", "alice/x"], 2, "name one release, for example alice/x@1.0.0"),
        (["yank", "alice/x@1.0.0"], 2, "say why with --reason"),
        (["cases", "add", "alice/x"], 2, "give --task and --label"),
        (["cases", "add", "alice/x", "--run", "r"], 2, "--run and --rollout belong together"),
        (["cases", "submit", "alice/x", "gone.jsonl"], 2, "gone.jsonl cannot be read"),
        (["eval", "x"], 2, "Missing option '--model'"),
        (["lock"], 2, "name what to lock"),
        (["sync", "--file", "gone.lock"], 4, "gone.lock"),
        (["pull", "alice/x", "alice/y", "--unpack", "z"], 2, "one reference at a time"),
        (["compare", "one"], 2, "Missing argument 'RIGHT'"),
        (["export", "./nothere", "out"], 4, "nothere is not a folder"),
    ],
)
def test_a_mistake_is_one_clear_line_and_its_exit_code(verihub, typed, arguments, code, word) -> None:
    typed("")
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
    monkeypatch.setattr(group, "load_command", broken(KeyboardInterrupt()))
    said = verihub("search")
    assert said.code == 130
    assert "half-written" in said.err


def test_a_bug_goes_to_a_file_without_the_arguments(verihub, monkeypatch) -> None:
    monkeypatch.setattr(group, "load_command", broken(ZeroDivisionError("boom")))
    said = verihub("score", "x", "--response", "a secret")
    assert said.code == 1
    assert "Traceback" not in said.err
    path = Path(next(word for word in said.err.split() if "verihub-bug-" in word).rstrip(";"))
    assert "boom" in path.read_text()
    assert "a secret" not in path.read_text()
    path.unlink()


def test_a_machine_in_trouble_is_no_bug(verihub, monkeypatch) -> None:
    monkeypatch.setattr(group, "load_command", broken(OSError(28, "No space left on device", "/cache/x")))
    said = verihub("search")
    assert said.code == 1
    assert said.err.startswith("verihub: /cache/x: No space left on device")


def test_the_console_script_is_this_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hub_client.commands.main", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("verihub ")


def test_an_interrupted_init_leaves_nothing(verihub, monkeypatch, own_folders) -> None:
    plain = Path.write_text

    def interrupted(self, *arguments, **options):
        if own_folders in self.absolute().parents:
            raise KeyboardInterrupt
        return plain(self, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", interrupted)
    assert run(["init", "alice/x"]) == 130
    assert list(own_folders.iterdir()) == []


def test_a_mistyped_choice_is_told_in_our_words_with_the_choices(verihub) -> None:
    said = verihub("init", "alice/x-y", "--kind", "environmnt")
    assert said.code == 2
    assert "Value error" not in said.err
    assert "'environmnt' is not one of 'environment'" in said.err

"""What lies in the working folder, or above it, is somebody else's until it is shown to be the user's."""

import os
import socket

import pytest

from hub_client.settings import ClientSettings, find_project_file
from schemas.kinds import PackageKind
from tests.making.project import make_project

NOT_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away; an optional dependency")


@pytest.fixture
def pip_here(own_folders, tmp_path):
    """A pip.py in the working folder that says when it ran."""
    mark = tmp_path / "pip-ran"
    (own_folders / "pip.py").write_text(f"import pathlib; pathlib.Path({str(mark)!r}).write_text('x')\n")
    return mark


def test_a_pip_in_the_working_folder_is_not_taken_for_pip(verihub, pip_here, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    folder = make_project(tmp_path / "x")
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("dependencies = []", 'dependencies = ["no-such-thing"]'))
    assert "no-such-thing" in verihub("pack", folder).err
    verihub("doctor", "--offline")
    assert not pip_here.exists()


def test_a_folder_with_a_packages_name_is_never_taken_for_the_package(verihub, own_folders) -> None:
    make_project(own_folders / "lecture" / "math-answer", "lecture/math-answer")
    asked = ("--task", '{"answer": 1}', "--response", "1")
    said = verihub("score", "lecture/math-answer", *asked)
    assert said.code == 2
    assert "./lecture/math-answer" in said.err
    assert verihub("score", "./lecture/math-answer", *asked).code == 0


def test_a_folder_whose_name_is_no_reference_needs_no_dot(verihub, own_folders) -> None:
    make_project(own_folders / "mine", "alice/mine", PackageKind.TOOL)
    assert "to_roman" in verihub("mcp", "mine", "--list").out


@pytest.mark.parametrize("key", ['cache_dir = ".c"', "offline = true", 'backend = "local"', "trust_build = true"])
def test_a_project_does_not_choose_what_runs_or_is_believed(verihub, own_folders, key) -> None:
    (own_folders / ".verihub.toml").write_text(key + "\n")
    said = verihub("whoami")
    assert said.code == 2
    assert ".verihub.toml must not have" in said.err


@NOT_ROOT
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_settings_file_that_another_user_could_have_written_is_left_aside_and_named(
    verihub, own_folders, what, monkeypatch
) -> None:
    file = own_folders / ".verihub.toml"
    file.write_text('url = "http://evil.example"\n')
    os.chown(file if what == "file" else own_folders, 12345, 12345)
    below = own_folders / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert ClientSettings.load().url != "http://evil.example"
    said = verihub("whoami", "--url", "http://127.0.0.1:9")
    assert f"{file} is ignored" in said.err


@pytest.mark.parametrize(("mode", "obeyed"), [(0o644, True), (0o600, True), (0o646, False), (0o666, False)])
def test_a_settings_file_that_others_may_change_is_left_aside(own_folders, mode, obeyed) -> None:
    file = own_folders / ".verihub.toml"
    file.write_text('url = "http://team.example"\n')
    file.chmod(mode)
    assert (find_project_file(own_folders) == file) is obeyed


def test_a_hub_that_a_project_names_is_said_and_gets_no_password_unasked(verihub, own_folders, typed) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)  # had it been called, the connection would wait here
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    (own_folders / ".verihub.toml").write_text(f'url = "{url}"\ntimeout_seconds = 0.5\n')
    typed("correct horse battery staple")
    said = verihub("login", "--name", "alice", "--password-stdin")
    assert said.code == 2
    assert f"--url {url}" in said.err
    assert f"hub {url}, named by" in said.err
    with pytest.raises(BlockingIOError):
        listener.accept()
    listener.close()


def test_what_a_publisher_wrote_cannot_break_a_search(verihub, at_hub, own_folders) -> None:
    folder = make_project(own_folders / "x", f"{at_hub}/brackets")
    pyproject = folder / "pyproject.toml"
    start = pyproject.read_text().split('description = "')
    summary = "ends with [/INST] [bold red]"
    pyproject.write_text(start[0] + f'description = "{summary}"\n' + start[1].split("\n", 1)[1])
    assert verihub("publish", folder).code == 0
    said = verihub("search", "brackets")
    assert said.code == 0, said.err
    assert summary in said.out


@pytest.fixture
def mark(tmp_path):
    return tmp_path / "it-ran"


def own_backend(folder, mark):
    """A build backend in the project's own folder that writes down the environment that it sees."""
    code = f"import os, pathlib\npathlib.Path({str(mark)!r}).write_text(repr(dict(os.environ)))\nfrom hatchling.build import *\n"
    (folder / "evil.py").write_text(code)
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('"hatchling.build"', '"evil"\nbackend-path = ["."]'))


COMMANDS = [
    ("check", "FOLDER", "--no-run"),
    ("check", "FOLDER"),
    ("pack", "FOLDER", "--list"),
    ("publish", "FOLDER", "--offline"),
    ("audit", "FOLDER"),
    ("score", "FOLDER", "--task", '{"answer": 1}', "--response", "1"),
    ("compare", "FOLDER", "FOLDER"),
    ("export", "FOLDER", "OUT"),
    ("mcp", "FOLDER", "--list"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_runs_a_projects_own_build_code(verihub, tmp_path, mark, command) -> None:
    folder = make_project(tmp_path / "x")
    own_backend(folder, mark)
    said = verihub(
        *(str(folder) if word == "FOLDER" else str(tmp_path / "out") if word == "OUT" else word for word in command)
    )
    assert said.code == 6
    assert "build backend may run any code" in said.err
    assert not mark.exists()


def test_a_trusted_build_runs_without_the_secrets_of_the_environment(verihub, tmp_path, mark, monkeypatch) -> None:
    for name in ("VERIHUB_TOKEN", "OPENAI_API_KEY", "hf_token"):
        monkeypatch.setenv(name, "a-secret")
    folder = make_project(tmp_path / "x")
    own_backend(folder, mark)
    said = verihub("pack", folder, "--trust-build", "--out", tmp_path / "dist")
    assert said.code == 0, said.err
    assert mark.exists()
    assert "a-secret" not in mark.read_text()

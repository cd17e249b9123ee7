"""``serve`` and ``worker`` as a person starts them: ready, clear about what is wrong, gone on Ctrl-C with nothing lost."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import typer

from hub_server import cli
from tests.making.hub_processes import run_to_its_end

ROOT = Path(__file__).parents[2]


def start(*arguments: str, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "hub_server", *arguments],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "VERIHUB_SERVER_SANDBOX__BACKEND": "nothing", **environment},
    )


def address_of(process: "subprocess.Popen[str]", said: list[str] | None = None) -> str:
    """Its address, once it says that. ``said`` gets the lines before that."""
    assert process.stderr is not None
    for line in process.stderr:
        if said is not None:
            said.append(line)
        if found := re.search(r"Verihub is at (http\S+)", line):
            return found[1]
    raise AssertionError("it ended without an address")


@pytest.mark.slow
def test_a_hub_starts_in_an_empty_folder_serves_and_stops_on_ctrl_c(tmp_path: Path) -> None:
    process, said = start("serve", "--port", "0", "--data", str(tmp_path / "hub")), list[str]()
    try:
        url = address_of(process, said)
        ready = httpx.get(f"{url}/readyz", timeout=240).json()
        assert ready["ready"] is True
        assert "no sandbox backend" in ready["sandbox"]
        body = {"name": "alice", "email": "a@example.org", "password": "long enough, surely"}
        assert httpx.post(f"{url}/api/v1/accounts", json=body, timeout=240).status_code == 201
        assert httpx.get(url, timeout=240).status_code == 200
    finally:
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=240)
    assert process.returncode == 0
    assert "Nothing is lost" in words
    assert "no packages yet. `verihub serve --with-collection`" in "".join(said), "where packages come from"
    assert "Traceback" not in words
    again = start("serve", "--port", "0", "--data", str(tmp_path / "hub"))
    try:
        assert httpx.get(f"{address_of(again)}/api/v1/accounts/alice", timeout=240).status_code == 200
    finally:
        again.kill()
        again.communicate()


def refused(tmp_path: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """Exit status and words of a command that ends by itself."""
    given = {"VERIHUB_SERVER_SANDBOX__BACKEND": "nothing", **environment}
    status, words = run_to_its_end(arguments, given, tmp_path / "words")
    assert "Traceback" not in words
    return status, words


@pytest.mark.slow
def test_a_taken_port_is_said_in_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, words = refused(tmp_path, "serve", "--port", str(port), "--data", str(tmp_path / "hub"))
    assert status == 2
    assert f"Cannot listen at 127.0.0.1:{port}" in words
    assert "--port" in words


def test_an_unusable_folder_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, words = refused(tmp_path, "serve", "--port", "0", "--data", str(tmp_path / "file" / "hub"))
    assert status == 8
    assert "cannot be made" in words


def test_a_database_that_is_not_there_is_said(tmp_path: Path) -> None:
    nowhere = "postgresql://nobody@127.0.0.1:1/none"
    arguments = ("serve", "--port", "0", "--data", str(tmp_path))
    status, words = refused(tmp_path, *arguments, VERIHUB_SERVER_STORAGE__DATABASE_URL=nowhere)
    assert status == 8
    assert "The database cannot be opened" in words


@pytest.mark.slow
def test_a_worker_of_its_own_stops_politely(tmp_path: Path) -> None:
    process = start("worker", "--data", str(tmp_path / "hub"))
    assert process.stderr is not None
    assert "Working for the hub" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    _, words = process.communicate(timeout=240)
    assert process.returncode == 0
    assert "start again with the next worker" in words


def test_an_address_of_ipv6_that_cannot_be_had_is_named_with_its_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        cli._listen("fd00::1", 8642)  # no machine has it
    assert "Cannot listen at [fd00::1]:8642" in capsys.readouterr().err

"""The child that reads a wheel: what it says fits into JSON, and its limits are set before a byte is read."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hub_server.adapters import inspecting_child
from hub_server.adapters.inspecting_child import DONE, facts_of, inspect
from schemas.names import digest_of
from schemas.wheels.wheel import read_wheel
from tests.making.altered_library import alter_library
from tests.making.hub import make_package

WHEEL = make_package(package_files={"übung.txt": "ä", "data.bin": b"\x00\xff"})


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[int, int]]]:
    """What would be limited; this process stays as it is."""
    found: list[tuple[int, tuple[int, int]]] = []
    alter_library(monkeypatch, inspecting_child, "resource", setrlimit=lambda kind, pair: found.append((kind, pair)))
    alter_library(
        monkeypatch, inspecting_child, "signal", setitimer=lambda kind, seconds: found.append((-1, (kind, seconds)))
    )
    return found


def asked(digest: str) -> dict:
    return {"digest": digest, "memory_mb": 256, "seconds": 6.5, "wheel_bytes": 64 * 2**20}


def run(folder: Path, data: bytes, digest: str) -> dict:
    (folder / "wheel").write_bytes(data)
    flags = os.O_RDWR | os.O_CREAT
    inspect(asked(digest), os.open(folder / "wheel", os.O_RDONLY), os.open(folder / "answer", flags))
    return json.loads((folder / "answer").read_text())


def test_what_is_said_of_a_wheel_is_json_and_all_that_the_parent_asks_for() -> None:
    facts = facts_of(read_wheel(WHEEL))
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["digest"], facts["size_bytes"]) == (digest_of(WHEEL), len(WHEEL))
    assert (facts["task_counts"], facts["case_count"], facts["version"]) == ({"train": 2}, 2, "1.0.0")
    assert {"alice_small_sums/übung.txt", "alice_small_sums/data.bin"} <= {file["path"] for file in facts["files"]}


def test_the_child_writes_its_answer(tmp_path, limits) -> None:
    assert run(tmp_path, WHEEL, digest_of(WHEEL)) == facts_of(read_wheel(WHEEL))


def test_every_limit_is_set_before_a_byte_is_read(monkeypatch, tmp_path, limits) -> None:
    order: list[str] = []
    monkeypatch.setattr(
        inspecting_child,
        "read_wheel",
        lambda data, most: order.append(f"read after {len(limits)}") or read_wheel(data, most),
    )
    run(tmp_path, WHEEL, digest_of(WHEEL))
    assert order == ["read after 6"]
    found = dict(limits)
    assert found[resource.RLIMIT_AS] == (256 * 2**20, 256 * 2**20)
    assert found[resource.RLIMIT_CPU] == (7, 7)
    assert found[-1] == (signal.ITIMER_REAL, 6.5)
    assert found[resource.RLIMIT_NPROC] == (0, 0), "it starts nothing"
    assert found[resource.RLIMIT_CORE] == (0, 0)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip", WHEEL[:-100], WHEEL[100:]])
def test_a_broken_wheel_is_answered_with_its_problems(tmp_path, limits, data: bytes) -> None:
    answer = run(tmp_path, data, digest_of(data))
    assert list(answer) == ["problems"]
    assert answer["problems"]
    assert all(part["message"] for part in answer["problems"])


def test_other_bytes_than_those_that_came_in_end_the_child(tmp_path, limits) -> None:
    with pytest.raises(SystemExit) as ended:
        run(tmp_path, WHEEL, "sha256:" + "0" * 64)
    assert ended.value.code == 3


def test_the_server_forks_a_child_for_each_request_and_ends_with_its_socket(tmp_path) -> None:
    (tmp_path / "wheel").write_bytes(WHEEL)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        server = subprocess.Popen([sys.executable, "-I", inspecting_child.__file__], stdin=theirs)
        for digest, expected in ((digest_of(WHEEL), DONE), ("sha256:" + "0" * 64, b""), (digest_of(WHEEL), DONE)):
            here, there = socket.socketpair()
            with here, (tmp_path / "wheel").open("rb") as wheel, (tmp_path / "answer").open("w+b") as answer:
                with there:
                    files = [wheel.fileno(), answer.fileno(), there.fileno()]
                    socket.send_fds(ours, [json.dumps(asked(digest)).encode()], files)
                here.settimeout(60)
                assert here.recv(1) == expected
                if expected:
                    assert json.loads((tmp_path / "answer").read_text())["digest"] == digest
    assert server.wait(60) == 0

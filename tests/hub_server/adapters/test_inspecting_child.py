"""The child that reads a wheel: what it says fits into JSON, and its limits are set before a byte is read."""

import io
import json
import resource
import sys

import pytest

from hub_server.adapters import inspecting_child
from hub_server.adapters.inspecting_child import facts_of, main
from schemas.names import digest_of
from schemas.wheels.wheel import read_wheel
from tests.making.hub import make_package

WHEEL = make_package(package_files={"übung.txt": "ä", "data.bin": b"\x00\xff"})


class Stdin:
    """Standard input of these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[int, int]]]:
    """What would be limited; this process stays as it is."""
    found: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: found.append((kind, pair)))
    return found


def run(monkeypatch: pytest.MonkeyPatch, data: bytes, digest: str, capsys) -> dict:
    monkeypatch.setattr(sys, "argv", ["child", digest, "256", "7", str(64 * 2**20)])
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    main()
    return json.loads(capsys.readouterr().out)


def test_what_is_said_of_a_wheel_is_json_and_all_that_the_parent_asks_for() -> None:
    facts = facts_of(read_wheel(WHEEL))
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["digest"], facts["size_bytes"]) == (digest_of(WHEEL), len(WHEEL))
    assert (facts["task_counts"], facts["case_count"], facts["version"]) == ({"train": 2}, 2, "1.0.0")
    assert {"alice_small_sums/übung.txt", "alice_small_sums/data.bin"} <= {file["path"] for file in facts["files"]}


def test_the_child_answers_on_standard_output(monkeypatch, capsys, limits) -> None:
    assert run(monkeypatch, WHEEL, digest_of(WHEEL), capsys) == facts_of(read_wheel(WHEEL))


def test_every_limit_is_set_before_a_byte_is_read(monkeypatch, capsys, limits) -> None:
    order: list[str] = []
    monkeypatch.setattr(
        inspecting_child,
        "read_wheel",
        lambda data, most: order.append(f"read after {len(limits)}") or read_wheel(data, most),
    )
    run(monkeypatch, WHEEL, digest_of(WHEEL), capsys)
    assert order == ["read after 5"]
    found = dict(limits)
    assert found[resource.RLIMIT_AS] == (256 * 2**20, 256 * 2**20)
    assert found[resource.RLIMIT_CPU] == (7, 7)
    assert found[resource.RLIMIT_NPROC] == (0, 0), "it starts nothing"
    assert found[resource.RLIMIT_CORE] == (0, 0)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip", WHEEL[:-100], WHEEL[100:]])
def test_a_broken_wheel_is_answered_with_its_problems(monkeypatch, capsys, limits, data: bytes) -> None:
    answer = run(monkeypatch, data, digest_of(data), capsys)
    assert list(answer) == ["problems"]
    assert answer["problems"]
    assert all(part["message"] for part in answer["problems"])


def test_other_bytes_than_those_that_came_in_end_the_child(monkeypatch, capsys, limits) -> None:
    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, WHEEL, "sha256:" + "0" * 64, capsys)
    assert ended.value.code == 3

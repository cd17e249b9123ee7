"""The scripted backend keeps the contract that tests of everything above it rely on."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import SandboxUnavailableError
from sandbox.guest import frames
from sandbox.interface import Backend, BoxResources, BoxRole, BoxSpec, Connection

SPEC = BoxSpec(BoxRole.VERIFIER, BoxResources(BoxRole.VERIFIER, 64))


class Heard:
    """Frames that came, and why the connection ended."""

    def __init__(self) -> None:
        self.frames: list[tuple[int, int, bytes]] = []
        self.ends: list[str] = []
        self._reader = frames.FrameReader()

    def received(self, data: bytes) -> None:
        self.frames += self._reader.feed(data)

    def closed(self, reason: str) -> None:
        self.ends.append(reason)

    def replies(self) -> list[Any]:
        """The answers of all groups, in order of their numbers within the group."""
        found = []
        for kind, _, payload in self.frames:
            place = 0
            while kind == frames.CHUNK and place < len(payload):
                length, number, _ = frames.REPLY.unpack_from(payload, place)
                place += frames.REPLY.size + length
                found.append((number, json.loads(payload[place - length : place])))
        return found


def call(response: str, **more: object) -> bytes:
    return json.dumps({"task": TASK, "response": response, **more}).encode()


def played(backend: ScriptedBackend, play: Callable[[Connection], None], spec: BoxSpec = SPEC) -> Heard:
    heard = Heard()

    async def run() -> None:
        connection = await backend.open(spec, heard)
        play(connection)
        for _ in range(5):
            await asyncio.sleep(0)
        await connection.kill()

    asyncio.run(run())
    return heard


def test_it_is_a_backend() -> None:
    assert isinstance(ScriptedBackend(), Backend)


def test_a_box_is_ready_and_judges_a_group_in_order(tmp_path: Path) -> None:
    spec = BoxSpec(SPEC.role, SPEC.resources, Sample("def verify(task, response): ...\n").source(tmp_path))
    backend = ScriptedBackend(lambda task, response: {"correct": float(response == task["answer"])})
    run = frames.pack_run(7, frames.BATCH, 1000, [call("2"), call("3")])

    def play(connection: Connection) -> None:
        data = frames.pack(frames.START, 0, b"{}") + run
        for number in range(len(data)):  # however it arrives
            connection.send(data[number : number + 1])

    heard = played(backend, play, spec)
    assert [kind for kind, _, _ in heard.frames] == [frames.READY, frames.CHUNK, frames.DONE]
    assert [ident for _, ident, _ in heard.frames][1:] == [7, 7]
    assert [(number, reply["rewards"]) for number, reply in heard.replies()] == [
        (0, {"correct": 1.0}),
        (1, {"correct": 0.0}),
    ]
    assert heard.ends == ["killed"]
    assert (backend.opened, backend.group_count) == ([spec], 1)


def test_a_verifier_that_raises_is_a_reply_and_not_an_end() -> None:
    backend = ScriptedBackend(lambda response: 1 / 0)
    heard = played(backend, lambda connection: connection.send(frames.pack_run(1, frames.CALL, 1000, [call("x")])))
    [(_, reply)] = heard.replies()
    assert "ZeroDivisionError" in json.dumps(reply)
    assert "rewards" not in reply


@pytest.mark.parametrize(("losses", "answered"), [([1], 0), ([2], 1), ([9], 3)])
def test_a_box_is_lost_at_the_group_that_was_named(losses: list[int], answered: int) -> None:
    backend = ScriptedBackend(lambda: {"correct": 1.0}, losses=losses)

    def play(connection: Connection) -> None:
        for number in range(3):
            connection.send(frames.pack_run(number, frames.CALL, 1000, [call("x")]))

    heard = played(backend, play)
    assert len(heard.replies()) == answered
    assert heard.ends == (["killed"] if answered == 3 else ["the box was lost, as scripted"]), "told once"


def test_other_operations_are_answered_with_what_was_given() -> None:
    backend = ScriptedBackend(values={"generate": lambda request: request["count"] * 2, "tools": [{"name": "look"}]})
    requests = [call("", op="generate", count=4), call("", op="tools")]
    heard = played(backend, lambda connection: connection.send(frames.pack_run(1, frames.CALL, 1000, requests)))
    assert heard.replies() == [(0, {"value": 8}), (1, {"value": [{"name": "look"}]})]


def test_a_refusal_is_raised_and_no_box_is_counted() -> None:
    backend = ScriptedBackend(refuses=SandboxUnavailableError("no engine"))
    with pytest.raises(SandboxUnavailableError, match="no engine"):
        played(backend, lambda _: None)
    assert backend.opened == []


def test_an_image_has_its_releases_digest_and_nothing_is_ever_left(tmp_path: Path) -> None:
    one = Sample("X = 1\n").source(tmp_path)
    other = Sample("X = 2\n").source(tmp_path)
    backend = ScriptedBackend()

    async def run() -> None:
        assert await backend.image_digest(one) == await ScriptedBackend().image_digest(one)
        assert await backend.image_digest(one) != await backend.image_digest(other)
        assert await backend.reap() == 0
        await backend.aclose()

    asyncio.run(run())

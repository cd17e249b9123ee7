"""A node's own side: what it answers to a driver that asks too early, for what is not there, or that leaves."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.samples import TASK
from sandbox.cluster import node as node_module
from sandbox.cluster.link import NodeReport, unpack_rows
from sandbox.cluster.node import SandboxNode, own_version
from sandbox.cluster.wheel_transfer import ReleaseHeader, files_of
from sandbox.errors import BoxLostError, NodeLostError, SandboxUnavailableError, SessionClosedError
from sandbox.host.verdict_codec import encode_call
from sandbox.interface import BoxSpec, Call, Connection, Receiver, Source
from schemas.manifest import Isolation
from tests.fakes.ray_cluster import until


def calls(count: int) -> list[bytes]:
    return [encode_call(Call(str(number), TASK, response="2" if number % 2 else "9")) for number in range(count)]


def run(folder: Path, work: Callable[[SandboxNode], Coroutine[Any, Any, None]], backend: Any = None) -> None:
    async def inner() -> None:
        equal = ScriptedBackend(
            lambda task, response: {"correct": float(response == task["answer"])},
            values={"tools": [{"name": "look"}], "tool": lambda call: call["arguments"], "generate": [{"id": "t1"}]},
        )
        node = SandboxNode(backend or equal, {"state_folder": folder, "replay_fraction": 1.0})
        try:
            await work(node)
        finally:
            await node.on_close()

    asyncio.run(inner())


async def answer(node: SandboxNode, method: str, *arguments: Any) -> Any:
    value, error = await node.ask(method, *arguments)
    assert error is None, error
    return value


async def error(node: SandboxNode, method: str, *arguments: Any) -> Exception:
    value, raised = await node.ask(method, *arguments)
    assert value is None
    assert raised is not None
    assert raised.__traceback__ is None, "it travels, and a traceback holds what it was raised amid"
    return raised


async def ready(node: SandboxNode, source: Source) -> None:
    await answer(node, "hello")
    await answer(node, "hold", ReleaseHeader.of(source), *(path.read_bytes() for path in files_of(source).values()))


def test_a_node_says_what_it_is_and_a_second_greeting_changes_nothing(tmp_path: Path) -> None:
    async def work(node: SandboxNode) -> None:
        facts = await answer(node, "hello")
        assert facts.version == own_version() != "unknown"
        assert facts.boxes_per_package >= 1
        first = node._sandbox
        assert await answer(node, "hello") == facts
        assert node._sandbox is first

    run(tmp_path, work)


def test_before_its_greeting_a_node_answers_nothing_and_its_closing_is_free(
    tmp_path: Path, equal_source: Source
) -> None:
    async def work(node: SandboxNode) -> None:
        for method, arguments in (
            ("report", ()),
            ("warm", (equal_source.digest, 1)),
            ("tools", (equal_source.digest,)),
        ):
            assert isinstance(await error(node, method, *arguments), NodeLostError)

    run(tmp_path, work)


def test_an_engine_that_is_not_there_is_said_at_the_greeting_and_asked_again_at_the_next(
    tmp_path: Path,
) -> None:
    node = SandboxNode("no-such-backend", {"state_folder": tmp_path})

    async def work() -> None:
        for _ in range(2):
            refused = await error(node, "hello")
            assert isinstance(refused, SandboxUnavailableError)
            assert "there is no sandbox backend 'no-such-backend'" in str(refused)
        await node.on_close()

    asyncio.run(work())


def test_a_release_that_never_came_is_a_loss_that_another_node_can_make_good(
    tmp_path: Path, equal_source: Source
) -> None:
    async def work(node: SandboxNode) -> None:
        await answer(node, "hello")
        for method, arguments in (("warm", (1,)), ("tools", ()), ("image_digest", ()), ("call_tool", ("x", {}))):
            assert isinstance(await error(node, method, equal_source.digest, *arguments), NodeLostError)
        with pytest.raises(NodeLostError, match="does not have the release"):
            async for _ in node.judge(equal_source.digest, Isolation.CALL, calls(1)):
                pass

    run(tmp_path, work)


def test_only_what_is_meant_to_be_asked_can_be_asked(tmp_path: Path) -> None:
    async def work(node: SandboxNode) -> None:
        for method in ("_held", "ask", "__init__", "hello.__globals__", ""):
            with pytest.raises(AttributeError):
                await node.ask(method)
        assert isinstance(await error(node, "missing"), TypeError), "too few arguments are the driver's error"

    run(tmp_path, work)


def test_a_group_is_judged_with_the_drivers_numbers(tmp_path: Path, equal_source: Source) -> None:
    async def work(node: SandboxNode) -> None:
        await ready(node, equal_source)
        rows = []
        async for packed in node.judge(equal_source.digest, Isolation.CALL, calls(40)):
            rows += unpack_rows(packed)
        assert sorted(row[0] for row in rows) == list(range(40))
        assert {row[0]: row[1]["correct"] for row in rows} == {number: float(number % 2) for number in range(40)}

    run(tmp_path, work)


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b'{"task": {}}', b"\xff", json.dumps({"op": "tools"}).encode()])
def test_a_call_that_is_none_costs_only_itself(tmp_path: Path, equal_source: Source, payload: bytes) -> None:
    async def work(node: SandboxNode) -> None:
        await ready(node, equal_source)
        rows = []
        async for packed in node.judge(equal_source.digest, Isolation.CALL, [payload, *calls(2)]):
            rows += unpack_rows(packed)
        found = {row[0]: row for row in rows}
        assert found[0][3] is not None
        assert found[0][1] == {"correct": None}
        assert [found[number][1]["correct"] for number in (1, 2)] == [0.0, 1.0]

    run(tmp_path, work)


def test_a_driver_that_leaves_amid_a_group_leaves_nothing_waiting(tmp_path: Path, equal_source: Source) -> None:
    async def work(node: SandboxNode) -> None:
        await ready(node, equal_source)
        async with aclosing(node.judge(equal_source.digest, Isolation.CALL, calls(500))) as batches:
            await anext(batches)
        dispatcher = node._running.pool.verifier_dispatcher(node._held(equal_source.digest))
        await until(lambda: not dispatcher.queue and not dispatcher._sent)

    run(tmp_path, work)


def test_requests_reach_the_sandbox_and_a_report_tells_of_them(tmp_path: Path, equal_source: Source) -> None:
    async def work(node: SandboxNode) -> None:
        await ready(node, equal_source)
        digest = equal_source.digest
        assert await answer(node, "call_tool", digest, "echo", {"x": 1}) == {"x": 1}
        assert (await answer(node, "warm", digest, 1)).python == "scripted"
        assert (await answer(node, "image_digest", digest)).startswith("sha256:")
        report: NodeReport = await answer(node, "report")
        assert "verihub_sandbox_boxes_opened_total" in report.metrics
        assert report.replays == {}, "nothing of it was replayed"

    run(tmp_path, work)


def test_a_fault_of_the_nodes_host_comes_as_such(tmp_path: Path, equal_source: Source) -> None:
    async def work(node: SandboxNode) -> None:
        await answer(node, "hello")
        await answer(node, "hold", ReleaseHeader.of(equal_source), equal_source.wheel.read_bytes())
        refused = await error(node, "warm", equal_source.digest, 1)
        assert "the engine's disk is full" in str(refused)

    run(tmp_path, work, ScriptedBackend(refuses=SandboxUnavailableError("the engine's disk is full")))


def test_wheels_that_arrive_with_other_bytes_are_refused(tmp_path: Path, equal_source: Source) -> None:
    async def work(node: SandboxNode) -> None:
        await answer(node, "hello")
        assert isinstance(await error(node, "hold", ReleaseHeader.of(equal_source), b"evil"), BoxLostError)
        assert isinstance(await error(node, "hold", ReleaseHeader.of(equal_source)), BoxLostError)
        assert isinstance(await error(node, "warm", equal_source.digest, 1), NodeLostError), "so it is not held"

    run(tmp_path, work)


def test_sessions_that_are_over_say_so_and_may_be_closed_twice(tmp_path: Path, equal_source: Source) -> None:
    async def work(node: SandboxNode) -> None:
        await ready(node, equal_source)
        for method, arguments in (("session_ask", (7, {"op": "state"})), ("session_branch", (7, 8))):
            assert isinstance(await error(node, method, *arguments), SessionClosedError)
        for _ in range(2):
            assert await answer(node, "session_close", 7) is None

    run(tmp_path, work)


class HangingBackend(ScriptedBackend):
    """An engine that answers nothing from ``hang`` on; ``reap`` alone may answer."""

    def __init__(self, *, looks_alive: bool = False) -> None:
        super().__init__(lambda task, response: {"correct": float(response == task["answer"])})
        self.hangs, self.looks_alive, self.looks = False, looks_alive, 0
        self.let_go = asyncio.Event()

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        if self.hangs:
            await self.let_go.wait()
        return await super().open(spec, receiver)

    async def reap(self) -> int:
        self.looks += 1
        if self.hangs and not self.looks_alive:
            await asyncio.Event().wait()
        return 0


@pytest.fixture
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_module, "_ENGINE_PATIENCE_SECONDS", 0.05)


@pytest.mark.usefixtures("little_patience")
@pytest.mark.parametrize("asked", ["judge", "warm"])
def test_what_waits_for_a_box_is_told_when_the_nodes_engine_hangs(
    asked: str, tmp_path: Path, equal_source: Source
) -> None:
    """The node itself went on answering, so its driver waited for the box until the limits of the calls."""

    async def work(node: SandboxNode) -> None:
        await ready(node, equal_source)
        backend.hangs = True
        key = equal_source.boxes_key
        if asked == "judge":
            with pytest.raises(SandboxUnavailableError, match="has not answered within"):
                await asyncio.gather(*(judged(node, key) for _ in range(3)))
        else:
            assert isinstance(await error(node, "warm", key, 1), SandboxUnavailableError)
        assert backend.looks <= 3, "at the greeting, by what cleans up, and one that all who wait share"
        assert isinstance(await answer(node, "report"), NodeReport)
        backend.let_go.set()

    backend = HangingBackend()
    run(tmp_path, work, backend)


@pytest.mark.usefixtures("little_patience")
def test_an_open_box_and_an_engine_that_answers_are_waited_for(tmp_path: Path, equal_source: Source) -> None:
    async def with_a_box(node: SandboxNode) -> None:
        await ready(node, equal_source)
        assert len(await judged(node, equal_source.boxes_key)) == 2
        silent.hangs = True
        assert len(await judged(node, equal_source.boxes_key)) == 2

    async def slow_to_open(node: SandboxNode) -> None:
        await ready(node, equal_source)
        slow.hangs = True
        judging = asyncio.ensure_future(judged(node, equal_source.boxes_key))
        await until(lambda: slow.looks > 3)
        slow.let_go.set()
        assert len(await judging) == 2

    silent, slow = HangingBackend(), HangingBackend(looks_alive=True)
    run(tmp_path, with_a_box, silent)
    run(tmp_path, slow_to_open, slow)


async def judged(node: SandboxNode, key: str) -> list[Any]:
    async with aclosing(node.judge(key, Isolation.CALL, calls(2))) as batches:
        return [row async for packed in batches for row in unpack_rows(packed)]

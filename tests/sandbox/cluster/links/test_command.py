"""Sandboxes that a command reaches: a node in a process of its own, its standard streams the line.

Below, the line alone: a process that is played by the test says what no node of ours would.
"""

import asyncio
import contextlib
import os
import shlex
import signal
import struct
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest

from sandbox.checks.conformance import run_checks
from sandbox.checks.samples import TASK, Sample
from sandbox.cluster.link import pack_rows
from sandbox.cluster.links.command import CommandCluster, CommandLink
from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.cluster.settings import ClusterSettings, RemoteSettings
from sandbox.cluster.wire import WireMessage, packed, read_message
from sandbox.errors import BoxLostError, HostFaultError, NodeLostError, SandboxUnavailableError
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind
from tests.sandbox.clocks import run_without_waiting, settled
from tests.sandbox.cluster.link_checks import LINK_CHECKS

ROOT = str(Path(__file__).resolve().parents[4])
FAST = ClusterSettings(poll_seconds=0.2, wait_seconds=60.0, join_seconds=60.0, silence_seconds=120.0)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    code = "import time\ndef verify(task, response):\n    time.sleep(0.01)\n    return {'correct': float(response == task['answer'])}\n"
    return Sample(code, name="remote").source(tmp_path)


def sandbox_over(nodes: list[str], backend: str = "scripted") -> ClusterSandbox:
    settings = SandboxSettings(host_retries=2, replay_fraction=0.0)
    return ClusterSandbox(CommandCluster(settings, RemoteSettings(nodes=nodes, node_backend=backend)), settings, FAST)


def command(*words: str) -> str:
    return shlex.join(words)


@pytest.mark.docker
def test_a_remote_sandbox_passes_the_checks_that_a_link_could_break() -> None:
    async def run() -> dict[str, str]:
        sandbox = sandbox_over([], "docker")
        try:
            results = [result for name in LINK_CHECKS async for result in run_checks(sandbox, name)]
            return {result.name: result.problem for result in results}
        finally:
            await sandbox.aclose()

    outcomes = asyncio.run(run())
    assert {name: problem for name, problem in outcomes.items() if problem} == {}
    assert set(outcomes) == set(LINK_CHECKS)


@pytest.mark.docker
def test_a_node_that_is_killed_amid_calls_costs_no_verdict(source: Source) -> None:
    async def run() -> Counter[tuple[str, float | None]]:
        sandbox = sandbox_over([], "docker")
        seen: Counter[tuple[str, float | None]] = Counter()
        try:
            calls = [Call(str(number), TASK, response=str(number % 3)) for number in range(300)]
            async for one in sandbox.judge(source, calls):
                seen[one.id, one.verdict.rewards["correct"]] += 1
                if len(seen) == 40:
                    [node] = sandbox.nodes.alive
                    assert isinstance(node.link, CommandLink)
                    os.kill(node.link._process.pid, signal.SIGKILL)
        finally:
            await sandbox.aclose()
        return seen

    seen = asyncio.run(run())
    assert seen == Counter({(str(number), float(number % 3 == 2)): 1 for number in range(300)})


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ("no-such-program-anywhere", "cannot be started"),
        (command(sys.executable, "-c", "import sys; sys.exit('no room on this host')"), "no room on this host"),
        (command(sys.executable, "-c", "import time; time.sleep(60)"), "not ready within"),
    ],
)
def test_a_command_that_gives_no_node_says_why(source: Source, nodes: str, words: str) -> None:
    async def run() -> None:
        settings = SandboxSettings(replay_fraction=0.0)
        knobs = FAST.model_copy(update={"join_seconds": 2.0})
        sandbox = ClusterSandbox(CommandCluster(settings, RemoteSettings(nodes=[nodes])), settings, knobs)
        try:
            await sandbox.check()
        finally:
            await sandbox.aclose()

    with pytest.raises(SandboxUnavailableError, match=words):
        asyncio.run(run())


def test_without_a_node_calls_are_null_and_the_hosts_fault(source: Source) -> None:
    async def run() -> list[ErrorKind | None]:
        sandbox = sandbox_over(["no-such-program-anywhere"])
        sandbox.nodes._settings = FAST.model_copy(update={"wait_seconds": 0.5})
        try:
            rows = [one.verdict async for one in sandbox.judge(source, [Call("1", TASK, response="2")])]
        finally:
            await sandbox.aclose()
        return [verdict.error.kind if verdict.error else None for verdict in rows]

    assert asyncio.run(run()) == [ErrorKind.HOST]


def test_two_commands_are_two_nodes(source: Source) -> None:
    async def run() -> tuple[int, int]:
        start = f"import sys; sys.path.insert(0, {ROOT!r}); import sandbox.cli; sandbox.cli.main(['node'])"
        one = command(sys.executable, "-c", start)
        sandbox = sandbox_over([f"{one} a", f"{one} b"])
        try:
            await sandbox.check()
            calls = [Call(str(number), TASK, response="2") for number in range(20)]
            return len(sandbox.nodes.alive), len([row async for row in sandbox.judge(source, calls)])
        finally:
            await sandbox.aclose()

    assert asyncio.run(run()) == (2, 20)


@pytest.mark.parametrize("says", ["b'\\x80\\x04garbage' * 100", "b'\\xff' * 64", "b'HTTP/1.1 200 OK' * 10"])
def test_a_node_that_speaks_something_else_is_lost_and_said_so(source: Source, says: str) -> None:
    program = f"import sys, time; sys.stdout.buffer.write({says}); sys.stdout.flush(); time.sleep(60)"

    async def run() -> list[ErrorKind | None]:
        sandbox = sandbox_over([command(sys.executable, "-c", program)])
        sandbox.nodes._settings = FAST.model_copy(update={"wait_seconds": 0.5})
        try:
            rows = [one.verdict async for one in sandbox.judge(source, [Call("1", TASK, response="2")])]
        finally:
            await sandbox.aclose()
        return [verdict.error.kind if verdict.error else None for verdict in rows]

    assert asyncio.run(run()) == [ErrorKind.HOST]


# -- the line alone ----------------------------------------------------------------------------------------------------


class PlayedProcess:
    """As much of a process as a link needs: what it says is fed by the test, what it hears is kept."""

    def __init__(self) -> None:
        self.stdout, self.stderr = asyncio.StreamReader(), asyncio.StreamReader()
        self.stdin = self
        self.heard = b""
        self.kills = 0
        self._ended = asyncio.Event()

    def write(self, data: bytes) -> None:
        self.heard += data

    def is_closing(self) -> bool:
        return self._ended.is_set()

    def say(self, *messages: bytes) -> None:
        self.stdout.feed_data(b"".join(messages))

    def end(self, words: str = "") -> None:
        if words:
            self.stderr.feed_data(words.encode())
        self.stderr.feed_eof()
        self.stdout.feed_eof()

    def kill(self) -> None:
        self.kills += 1
        if not self._ended.is_set():
            self._ended.set()
            self.end()

    async def wait(self) -> int:
        await self._ended.wait()
        return -9

    async def requests(self) -> list[WireMessage]:
        """What it has been asked so far."""
        reader = asyncio.StreamReader()
        reader.feed_data(self.heard)
        reader.feed_eof()
        found = []
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                found.append(await read_message(reader))
        return found


Play = Callable[[CommandLink, PlayedProcess], Coroutine[Any, Any, None]]
ROWS = pack_rows([(0, {"correct": 1.0}, {}, None, 1.0)])


def played(play: Play) -> None:
    async def run() -> None:
        process = PlayedProcess()
        link = CommandLink(cast("asyncio.subprocess.Process", process))
        try:
            await play(link, process)
        finally:
            await link.kill()

    run_without_waiting(run())


async def asking(link: CommandLink, method: str, *arguments: Any) -> "asyncio.Task[Any]":
    task = asyncio.ensure_future(link.ask(method, *arguments))
    await settled()
    return task


def test_answers_find_their_requests_in_any_order() -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        first, second = await asking(link, "tools", "x"), await asking(link, "image_digest", "y")
        process.say(packed(2, "over", ["sha256:2"]), packed(1, "over", [[{"name": "look"}]]))
        assert (await first, await second) == ([{"name": "look"}], "sha256:2")

    played(play)


def test_an_answer_that_comes_twice_late_or_for_nobody_is_dropped() -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        first = await asking(link, "image_digest", "x")
        process.say(packed(1, "over", ["one"]), packed(1, "over", ["two"]), packed(77, "over", ["who asked?"]))
        assert await first == "one"
        left = await asking(link, "image_digest", "x")
        left.cancel()
        await settled()
        assert [message.name for message in await process.requests()][-1] == "cancel"
        process.say(packed(2, "over", ["late"]))
        await settled()
        third = await asking(link, "image_digest", "x")
        process.say(packed(3, "over", ["three"]))
        assert await third == "three"

    played(play)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (packed(1, "over", [{"version": 3}]), "the answer to 'hello' is not what it must be"),
        (packed(1, "over"), "the answer to 'hello' is not what it must be"),
        (packed(1, "raised"), "an error is not"),
        (packed(1, "raised", ["words alone"]), "an error is not"),
        (packed(1, "raised", [["SystemExit", "0"]]), "a sandbox node failed: SystemExit"),
        (b"\xff" * 8, "larger than any of ours"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "larger than any of ours"),
        (struct.pack(">II", 4, 0) + b"[1,]", "is not JSON"),
        (struct.pack(">III", 2, 1, 2**31) + b"[]", "larger than any of ours"),
    ],
    ids=["wrong fields", "nothing", "no error", "half an error", "an exit", "noise", "HTTP", "no JSON", "2 GB"],
)
def test_an_answer_that_is_none_is_the_nodes_fault(said: bytes, words: str) -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        greeting = await asking(link, "hello")
        process.say(said)
        with pytest.raises(HostFaultError, match=words):
            await greeting

    played(play)


def test_a_node_that_talks_nonsense_is_ended_and_everybody_who_waits_is_told() -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        waiting = [await asking(link, "tools", "x") for _ in range(3)]
        process.say(b"\xff" * 64)
        for task in waiting:
            with pytest.raises(NodeLostError, match="a sandbox node is gone: a message of"):
                await task
        assert process.kills == 1
        with pytest.raises(NodeLostError, match="it has ended"):
            await link.ask("tools", "x")

    played(play)


def test_a_node_that_dies_amid_a_message_says_what_it_wrote_last() -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        waiting = await asking(link, "warm", "x", 1)
        process.say(packed(1, "over", ["x" * 100])[:-7])
        await settled()
        assert not waiting.done(), "half a message is no answer"
        process.end("Traceback …\nMemoryError")
        with pytest.raises(NodeLostError, match="MemoryError"):
            await waiting

    played(play)


def test_a_group_gives_its_rows_as_they_come_and_what_it_raises_after_them() -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        judged = link.judge("sha256:x", Isolation.CALL, [b"{}", b"{}"])
        first = asyncio.ensure_future(anext(judged))
        await settled()
        process.say(packed(1, "rows", attachments=[ROWS]))
        assert (await first)[0][0] == 0
        process.say(packed(1, "raised", [["BoxLostError", "its engine is gone"]]))
        with pytest.raises(BoxLostError, match="its engine is gone"):
            await anext(judged)

    played(play)


@pytest.mark.parametrize("rows", [b"[[0]]", b"\x80\x04", b'[[0, {"correct": 1.0}, {"x": NaN}, null, 1.0]]'])
def test_rows_that_are_no_verdicts_lose_the_node(rows: bytes) -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        judged = link.judge("sha256:x", Isolation.CALL, [b"{}"])
        first = asyncio.ensure_future(anext(judged))
        await settled()
        process.say(packed(1, "rows", attachments=[rows]))
        with pytest.raises(NodeLostError, match="not a list of verdicts"):
            await first

    played(play)


def test_leaving_a_group_cancels_it_on_the_node() -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        judged = link.judge("sha256:x", Isolation.CALL, [b"{}"])
        first = asyncio.ensure_future(anext(judged))
        await settled()
        process.say(packed(1, "rows", attachments=[ROWS]))
        await first
        await judged.aclose()
        assert [(message.number, message.name) for message in await process.requests()] == [(1, "judge"), (1, "cancel")]

    played(play)


def test_what_json_cannot_say_is_the_callers_error_and_the_line_goes_on() -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        with pytest.raises(ValueError, match="not JSON compliant"):
            await link.ask("call_tool", "x", "look", {"at": float("nan")})
        again = await asking(link, "image_digest", "x")
        process.say(packed(2, "over", ["well"]))
        assert await again == "well"

    played(play)


def test_a_wheel_that_is_gone_here_is_said_by_its_releases_name(source: Source) -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        source.wheel.unlink()
        sending = asyncio.ensure_future(link.send(source))
        await settled()
        process.say(packed(1, "over", [[source.digest.removeprefix("sha256:")]]))
        with pytest.raises(SandboxUnavailableError, match="sample/remote cannot be sent to a node"):
            await sending

    played(play)


def test_a_node_that_asks_for_files_of_ours_gets_only_the_releases_wheels(source: Source) -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        sending = asyncio.ensure_future(link.send(source))
        await settled()
        process.say(packed(1, "over", [["/etc/passwd", "0" * 64]]))
        await settled()
        [_, hold] = await process.requests()
        assert (hold.values[0], hold.attachments) == ("hold", [])
        process.say(packed(2, "over", [None]))
        await sending

    played(play)


def test_a_stuck_node_is_ended_though_it_does_not_answer_its_closing() -> None:
    async def play(link: CommandLink, process: PlayedProcess) -> None:
        await link.end()
        assert process.kills == 1
        assert [(message.name, message.values) for message in await process.requests()] == [
            ("ask", ["close"]),
            ("cancel", []),
        ]

    played(play)

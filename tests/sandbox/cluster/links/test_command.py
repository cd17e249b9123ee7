"""Sandboxes that a command reaches: a node in a process of its own, its standard streams the line."""

import asyncio
import os
import shlex
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from sandbox.checks.conformance import run_checks
from sandbox.checks.samples import TASK, Sample
from sandbox.cluster.links.command import CommandCluster, CommandLink
from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.cluster.settings import ClusterSettings, RemoteSettings
from sandbox.errors import SandboxUnavailableError
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind

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
def test_a_remote_sandbox_passes_the_conformance_suite() -> None:
    async def run() -> dict[str, str]:
        sandbox = sandbox_over([], "docker")
        try:
            return {outcome.name: outcome.problem async for outcome in run_checks(sandbox)}
        finally:
            await sandbox.aclose()

    outcomes = asyncio.run(run())
    assert {name: problem for name, problem in outcomes.items() if problem} == {}
    assert len(outcomes) >= 16


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

"""Routing, loss and repair over a cluster in this process: the node's own code, scripted boxes, lines that break."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.samples import TASK, Sample
from sandbox.cluster.link import NodeFacts
from sandbox.cluster.many_nodes_stream import ManyNodesStream
from sandbox.cluster.node_choice import Load, rank
from sandbox.cluster.nodes import Node
from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.cluster.sessions import NodeSessionHost
from sandbox.cluster.settings import ClusterSettings
from sandbox.errors import (
    NodeLostError,
    SandboxUnavailableError,
    SessionClosedError,
    VerifierFailedError,
)
from sandbox.host.scoring_stream import Judged
from sandbox.interface import Call, Source
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.ray_cluster import FakeCluster, FakeNode, until
from tests.sandbox.clocks import run_without_waiting

FAST = ClusterSettings(poll_seconds=0.02, join_seconds=5, wait_seconds=0.5, silence_seconds=0.2, spill_seconds=0.5)
Make = Callable[..., FakeNode]


@pytest.fixture
def make_node(tmp_path: Path) -> Make:
    """A node with scripted boxes that compare."""

    def make(name: str, *breaks: int | None, backend: ScriptedBackend | None = None) -> FakeNode:
        equal = ScriptedBackend(
            lambda task, response: {"correct": float(response == task["answer"])},
            values={"tool": lambda request: request["arguments"]},
        )
        return FakeNode(name, backend or equal, tmp_path, breaks)

    return make


def over(*nodes: FakeNode, settings: ClusterSettings = FAST) -> ClusterSandbox:
    return ClusterSandbox(FakeCluster(nodes), SandboxSettings(host_retries=2), settings)


def numbered(count: int) -> list[Call]:
    return [Call(str(number), TASK, response="2" if number % 3 else "9") for number in range(count)]


async def judge(sandbox: ClusterSandbox, source: Source, calls: Any) -> dict[str, Verdict]:
    """By id; fails when an id comes twice."""
    seen: Counter[str] = Counter()
    verdicts = {}
    async for ident, verdict in sandbox.score(source, calls):
        seen[ident] += 1
        verdicts[ident] = verdict
    assert set(seen.values()) <= {1}
    return verdicts


def expect_right(verdicts: dict[str, Verdict], count: int) -> None:
    assert {ident: verdict.rewards for ident, verdict in verdicts.items()} == {
        str(number): {"correct": float(number % 3 > 0)} for number in range(count)
    }


def run(work: Callable[[], Any]) -> Any:
    return run_without_waiting(work())


def test_a_releases_calls_stay_on_one_node(make_node: Make, equal_source: Source) -> None:
    nodes = [make_node(name) for name in "abc"]

    async def work() -> None:
        async with over(*nodes) as sandbox:
            for _ in range(3):
                expect_right(await judge(sandbox, equal_source, numbered(300)), 300)

    run(work)
    assert sorted(bool(node.groups) for node in nodes) == [False, False, True]
    assert sorted(len(node.shipped) for node in nodes) == [0, 0, 1]
    assert [node.ends for node in nodes] == [["end"]] * 3


def test_calls_are_answered_once_and_right_though_nodes_break_at_any_point(
    make_node: Make, equal_source: Source
) -> None:
    chance = random.Random(7)

    async def work() -> None:
        for _ in range(5):
            breaking = [
                make_node(name, *(chance.choice([None, 0, 1, 5, 40]) for _ in range(3))) for name in ("a", "b", "c")
            ]
            retries = SandboxSettings(host_retries=9)  # as many as may go wrong here
            async with ClusterSandbox(FakeCluster(breaking), retries, FAST) as sandbox:
                expect_right(await judge(sandbox, equal_source, numbered(500)), 500)

    run(work)


def test_a_lost_nodes_calls_go_elsewhere_and_it_is_taken_back_when_it_returns(
    make_node: Make, equal_source: Source
) -> None:
    nodes = [make_node(name) for name in "abc"]

    async def work() -> None:
        async with over(*nodes) as sandbox:
            expect_right(await judge(sandbox, equal_source, numbered(10)), 10)
            [home] = [node for node in nodes if node.groups]
            home.is_gone = True
            expect_right(await judge(sandbox, equal_source, numbered(200)), 200)
            assert {node.name for node in sandbox.nodes.alive} == {"a", "b", "c"} - {home.name}
            home.is_gone = False
            await until(lambda: len(sandbox.nodes.alive) == 3)
            before = len(home.groups)
            expect_right(await judge(sandbox, equal_source, numbered(10)), 10)
            assert len(home.groups) > before
            assert f'verihub_sandbox_node_lost_total{{node="{home.name}"}} 1' in sandbox.render_metrics()

    run(work)


def test_a_node_whose_engine_fails_is_rested_and_its_calls_go_elsewhere(make_node: Make, equal_source: Source) -> None:
    broken = {
        name: make_node(name, backend=ScriptedBackend(refuses=SandboxUnavailableError("no engine"))) for name in "ab"
    }
    good = make_node("c")

    async def work() -> None:
        async with over(*broken.values(), good) as sandbox:
            expect_right(await judge(sandbox, equal_source, numbered(100)), 100)
            assert await sandbox.call_tool(equal_source, "echo", {"x": 1}) == {"x": 1}

    run(work)
    assert sum(good.groups) == 100


def test_what_no_node_can_judge_is_null_and_host_never_zero(make_node: Make, equal_source: Source) -> None:
    async def work() -> dict[str, Verdict]:
        nodes = [make_node(name, *([0] * 20)) for name in "ab"]
        async with over(*nodes) as sandbox:
            return await judge(sandbox, equal_source, numbered(20))

    verdicts = run(work)
    assert len(verdicts) == 20
    for verdict in verdicts.values():
        assert verdict.rewards == {"correct": None}
        assert verdict.error is not None
        assert verdict.error.kind is ErrorKind.HOST
        assert "given up after 3 tries: the line broke" in verdict.error.message


def test_without_nodes_it_says_what_to_start(equal_source: Source) -> None:
    async def work() -> None:
        async with over() as sandbox:
            with pytest.raises(SandboxUnavailableError, match="no node is there: start one"):
                await sandbox.check()
            with pytest.raises(SandboxUnavailableError, match="start one"):
                await sandbox.warm(equal_source)
            [verdict] = (await judge(sandbox, equal_source, numbered(1))).values()
            assert verdict.rewards == {"correct": None}
            assert verdict.error is not None
            assert "start one" in verdict.error.message

    run(work)


def test_when_the_last_node_is_lost_the_rest_is_masked_and_says_why(make_node: Make, equal_source: Source) -> None:
    async def work() -> None:
        node = make_node("a")
        async with over(node) as sandbox:
            expect_right(await judge(sandbox, equal_source, numbered(5)), 5)
            node.is_gone = True
            verdicts = await judge(sandbox, equal_source, numbered(50))
            errors = {verdict.error.kind for verdict in verdicts.values() if verdict.error}
            assert len(verdicts) == 50
            assert errors == {ErrorKind.HOST}
            assert all(verdict.rewards == {"correct": None} for verdict in verdicts.values())
            with pytest.raises(SandboxUnavailableError, match="no node is there: start one"):
                await sandbox.warm(equal_source)

    run(work)


def test_a_node_that_joins_later_is_used(make_node: Make, equal_source: Source) -> None:
    first, later = make_node("a"), make_node("b")

    async def work() -> None:
        cluster = FakeCluster([first])
        async with ClusterSandbox(cluster, SandboxSettings(), FAST) as sandbox:
            await judge(sandbox, equal_source, numbered(3))
            cluster.nodes["b"] = later
            await until(lambda: len(sandbox.nodes.alive) == 2)
            first.is_gone = True
            expect_right(await judge(sandbox, equal_source, numbered(30)), 30)
        assert cluster.is_left

    run(work)
    assert sum(later.groups) == 30


def test_a_node_that_is_silent_is_given_up_and_its_calls_are_answered_elsewhere(
    make_node: Make, equal_source: Source
) -> None:
    nodes = [make_node(name) for name in "ab"]

    async def work() -> None:
        async with over(*nodes) as sandbox:
            await judge(sandbox, equal_source, numbered(3))
            [home] = [node for node in nodes if node.groups]
            home.is_silent = True
            expect_right(await judge(sandbox, equal_source, numbered(40)), 40)
            assert home.ends == ["kill"]
            home.is_silent = False

    run(work)


def test_a_node_with_another_version_is_not_used_and_says_so(make_node: Make, equal_source: Source) -> None:
    old, right = make_node("old"), make_node("right")
    old.version = "0.0.1"

    async def work() -> None:
        async with over(old, right) as sandbox:
            expect_right(await judge(sandbox, equal_source, numbered(9)), 9)
            assert [node.name for node in sandbox.nodes.alive] == ["right"]
        async with over(old) as sandbox:
            with pytest.raises(SandboxUnavailableError, match=r"old: it has Verihub 0\.0\.1, the driver has"):
                await sandbox.check()

    run(work)


def test_leaving_the_iterator_takes_the_calls_back_from_the_nodes(make_node: Make, equal_source: Source) -> None:
    node = make_node("a")

    async def work() -> None:
        async with over(node) as sandbox:
            await judge(sandbox, equal_source, numbered(3))
            [known] = sandbox.nodes.alive
            node.is_stuck = True
            async with aclosing(sandbox.judge(equal_source, numbered(2000))) as judged:
                waiting = asyncio.ensure_future(anext(judged))
                await until(lambda: known.load.calls > 500)
                waiting.cancel()
                await asyncio.wait([waiting])
            assert known.load.calls == 0
            assert node.cancelled_groups >= 2
            node.is_stuck = False
            expect_right(await judge(sandbox, equal_source, numbered(5)), 5)

    run(work)


def test_an_endless_stream_is_read_no_further_than_nodes_have_room(make_node: Make, equal_source: Source) -> None:
    nodes = [make_node(name) for name in "ab"]
    read = 0

    async def endless() -> AsyncIterator[Call]:
        nonlocal read
        while True:
            read += 1
            yield Call(str(read), TASK, response="2")

    async def work() -> None:
        narrow = FAST.model_copy(update={"calls_per_node": 300})
        async with over(*nodes, settings=narrow) as sandbox:
            await judge(sandbox, equal_source, numbered(3))
            for node in nodes:
                node.is_stuck = True
            judged = sandbox.judge(equal_source, endless())
            waiting = asyncio.ensure_future(anext(judged))
            await until(lambda: sum(node.load.calls for node in sandbox.nodes.alive) >= 600)
            await asyncio.sleep(0.3)  # time for reading too far; a slow machine only makes this test milder
            assert sum(node.load.calls for node in sandbox.nodes.alive) < 600 + 2 * 256
            waiting.cancel()
            await asyncio.wait([waiting])
            await judged.aclose()
            for node in nodes:
                node.is_stuck = False

    run(work)
    assert 600 <= read < 600 + 2 * 256 + 1024 + 2


def test_work_beyond_a_nodes_depth_goes_to_the_next_node(make_node: Make, equal_source: Source) -> None:
    nodes = [make_node(name) for name in "ab"]

    async def work() -> None:
        async with over(*nodes, settings=FAST.model_copy(update={"spill_seconds": 0.02})) as sandbox:
            expect_right(await judge(sandbox, equal_source, numbered(1500)), 1500)

    run(work)
    assert all(node.groups for node in nodes)


def test_the_callers_own_errors_are_raised(make_node: Make, equal_source: Source) -> None:
    def broken() -> Iterable[Call]:
        yield Call("1", TASK, response="2")
        raise LookupError("no more")

    async def work() -> None:
        async with over(make_node("a")) as sandbox:
            with pytest.raises(LookupError, match="no more"):
                await judge(sandbox, equal_source, broken())
            with pytest.raises((TypeError, ValueError)):
                await judge(sandbox, equal_source, [Call("1", {"answer": object()}, response="2")])
            [known] = sandbox.nodes.alive
            assert known.load.calls == 0

    run(work)


def test_a_release_without_a_verifier_is_refused_before_anything_travels(tmp_path: Path) -> None:
    async def work() -> None:
        async with over() as sandbox:
            source = Sample("X = 1\n", head='tools = ["PACKAGE:look"]', kind="tool", rewards=()).source(tmp_path)
            with pytest.raises(VerifierFailedError, match="no verifier of its own"):
                sandbox.judge(source, numbered(1))

    run(work)


def test_only_a_few_calls_go_out_before_it_is_known_how_long_they_take(make_node: Make, equal_source: Source) -> None:
    nodes = [make_node(name) for name in "ab"]

    async def work() -> None:
        async with over(*nodes) as sandbox:
            await sandbox.check()
            for node in nodes:
                node.is_stuck = True
            judging = asyncio.ensure_future(judge(sandbox, equal_source, numbered(900)))
            await until(lambda: sum(node.load.calls for node in sandbox.nodes.alive) >= 64)
            await asyncio.sleep(0.2)  # time for sending too much; a slow machine only makes this test milder
            assert sorted(node.load.calls for node in sandbox.nodes.alive) == [0, 64]
            for node in nodes:
                node.is_stuck = False
            expect_right(await judging, 900)

    run(work)


def test_metrics_of_all_nodes_stand_together_under_their_names(make_node: Make, equal_source: Source) -> None:
    nodes = [make_node(name) for name in "ab"]

    async def work() -> str:
        async with over(*nodes, settings=FAST.model_copy(update={"spill_seconds": 0.02})) as sandbox:
            await judge(sandbox, equal_source, numbered(1500))
            await until(lambda: all("calls_total" in node.report.metrics for node in sandbox.nodes.alive))
            return sandbox.render_metrics()

    lines = run(work).splitlines()
    assert lines.count("# TYPE verihub_sandbox_calls_total counter") == 1
    start = lines.index("# TYPE verihub_sandbox_calls_total counter") + 1
    named = [
        line.partition('node="')[2][0] for line in lines[start:] if line.startswith("verihub_sandbox_calls_total{")
    ]
    assert sorted(set(named)) == ["a", "b"]
    assert all(line.startswith("verihub_sandbox_calls_total{") for line in lines[start : start + len(named)])
    assert "verihub_sandbox_nodes 2.0" in lines


def test_a_closed_sandbox_says_so_at_once(make_node: Make, equal_source: Source) -> None:
    async def work() -> None:
        sandbox = over(make_node("a"))
        await judge(sandbox, equal_source, numbered(3))
        await sandbox.aclose()
        await sandbox.aclose()
        with pytest.raises(SandboxUnavailableError, match="closed"):
            await sandbox.warm(equal_source)
        [verdict] = (await judge(sandbox, equal_source, numbered(1))).values()
        assert verdict.error is not None
        assert "closed" in verdict.error.message

    run(work)


def test_a_session_whose_node_is_lost_says_so(make_node: Make, tmp_path: Path) -> None:
    class Gone:
        async def ask(self, method: str, *arguments: Any) -> Any:
            raise NodeLostError("the node is gone")

    async def work() -> None:
        async with over(make_node("a")) as sandbox:
            await sandbox.check()
            room = NodeSessionHost(Node("x", "x", Gone(), NodeFacts("1", 1, 1), Load()), sandbox.nodes, iter(range(9)))  # type: ignore[arg-type]
            with pytest.raises(SessionClosedError, match="open another session"):
                await room.ask(1, 0, b"{}")
            await room.close(1)

    run(work)


def lost_always() -> ScriptedBackend:
    """Boxes that end at each call, as they do under a package that ends its own zygote."""
    return ScriptedBackend(losses=range(1000))


def test_a_package_that_ends_its_own_boxes_on_every_node_cools_none_down(make_node: Make, equal_source: Source) -> None:
    """Whether a node or a package ended a box cannot be seen on that node. That no node can do it is seen."""

    async def work() -> None:
        nodes = [make_node(name, backend=lost_always()) for name in "abc"]
        async with over(*nodes) as sandbox:
            verdicts = await judge(sandbox, equal_source, numbered(12))
            assert {verdict.error and verdict.error.kind for verdict in verdicts.values()} == {ErrorKind.HOST}
            assert sandbox.nodes._cooldowns == {}
            assert len(sandbox.nodes.alive) == 3

    run(work)


def test_a_node_that_fails_what_others_judge_gets_a_cooldown(make_node: Make, equal_source: Source) -> None:
    async def work() -> None:
        home, *others = rank(equal_source.digest, ["a", "b", "c"])
        nodes = [make_node(home, backend=lost_always()), *map(make_node, others)]
        async with over(*nodes) as sandbox:
            expect_right(await judge(sandbox, equal_source, numbered(12)), 12)
            assert list(sandbox.nodes._cooldowns) == [(home, equal_source.digest)]

    run(work)


def test_verdicts_that_come_when_the_reader_has_just_left_are_dropped_without_a_word(equal_source: Source) -> None:
    """Between its leaving and the stream's being cancelled, nodes go on answering."""

    async def work() -> None:
        async with over() as sandbox:
            stream = ManyNodesStream(sandbox.nodes, equal_source, Isolation.CALL, 2)
            stream._verdicts.leave()
            stream._tell(Judged("1", Verdict(rewards={"correct": 1.0}), 1.0))

    run(work)

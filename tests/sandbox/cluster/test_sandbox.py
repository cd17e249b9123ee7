"""The methods of a sandbox over nodes that answer as told: what reaches a node, and what comes back for the caller."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sandbox.checks.samples import TASK, Sample
from sandbox.cluster.link import NodeReport
from sandbox.cluster.node_choice import rank
from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.cluster.settings import ClusterSettings
from sandbox.errors import BoxLostError, NodeLostError, SandboxUnavailableError, VerifierFailedError
from sandbox.interface import BoxInfo, Call, Source
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.node_link import ToldCluster, ToldLink
from tests.fakes.ray_cluster import until
from tests.sandbox.clocks import run_without_waiting

RIGHT = {"correct": 1.0}
LINES = "".join(f'{{"id": "t{number}", "prompt": "q", "answer": "{number}"}}\n' for number in range(5))


def run(cluster: ToldCluster, work: Callable[[ClusterSandbox], Coroutine[Any, Any, None]], retries: int = 1) -> None:
    async def inner() -> None:
        async with ClusterSandbox(cluster, SandboxSettings(host_retries=retries), ClusterSettings()) as sandbox:
            await work(sandbox)
        assert cluster.is_left

    run_without_waiting(inner())


async def judged(sandbox: ClusterSandbox, source: Source, count: int) -> dict[str, Verdict]:
    """By id; fails when an id comes twice."""
    found: dict[str, Verdict] = {}
    async for ident, verdict in sandbox.score(source, [Call(str(n), TASK, response="2") for n in range(count)]):
        assert ident not in found
        found[ident] = verdict
    return found


def rows(numbers: Any, rewards: Any = None, info: Any = None, error: Any = None) -> list[Any]:
    return [(number, rewards or RIGHT, info or {}, error, 1.0) for number in numbers]


def answers_all(calls: Any) -> list[Any]:
    return [rows(range(len(calls)))]


def test_closing_it_twice_ends_its_nodes_once() -> None:
    link = ToldLink()
    cluster = ToldCluster(a=link)

    async def work() -> None:
        sandbox = ClusterSandbox(cluster, SandboxSettings())
        await sandbox.check()
        await sandbox.aclose()
        await sandbox.aclose()

    run_without_waiting(work())
    assert link.ends == ["end"]


def test_a_request_goes_to_the_releases_own_node_with_its_arguments(equal_source: Source) -> None:
    home = rank(equal_source.digest, ["a", "b"])[0]
    cluster = ToldCluster(
        a=ToldLink(warm=BoxInfo("sha256:1"), tools=[], image_digest="sha256:1", call_tool={"said": 1}),
        b=ToldLink(warm=BoxInfo("sha256:1"), tools=[], image_digest="sha256:1", call_tool={"said": 1}),
    )

    async def work(sandbox: ClusterSandbox) -> None:
        assert await sandbox.warm(equal_source, 3) == BoxInfo("sha256:1")
        assert await sandbox.tools(equal_source) == []
        assert await sandbox.image_digest(equal_source) == "sha256:1"
        assert await sandbox.call_tool(equal_source, "look", {"x": 1}) == {"said": 1}

    run(cluster, work)
    digest = equal_source.digest
    asked = [one for one in cluster.nodes[home].asked if one[0] in ("warm", "tools", "image_digest", "call_tool")]
    assert asked == [
        ("warm", digest, 3),
        ("tools", digest),
        ("image_digest", digest),
        ("call_tool", digest, "look", {"x": 1}),
    ]
    assert cluster.nodes[home].sent == [digest], "it travels once"


def test_rows_of_a_file_are_read_here_and_no_node_is_asked(tmp_path: Path) -> None:
    head = 'verifier = "PACKAGE:verify"\ntasks = { train = "tasks.jsonl" }'
    source = Sample("X = 1\n", head=head, kind="environment", files={"tasks.jsonl": LINES}).source(tmp_path)
    cluster = ToldCluster()

    async def work(sandbox: ClusterSandbox) -> None:
        found = await sandbox.tasks(source, "train", start=1, count=2)
        assert [task["id"] for task in found] == ["t1", "t2"]

    run(cluster, work)
    assert cluster.opened == []


def test_generated_tasks_are_numbered_from_where_they_start(tmp_path: Path) -> None:
    head = 'verifier = "PACKAGE:verify"\ntasks = { train = "PACKAGE:make" }'
    source = Sample("X = 1\n", head=head, kind="environment").source(tmp_path)
    link = ToldLink(generate=lambda *_: [{"prompt": "q", "answer": "1"}, {"prompt": "r", "answer": "2"}])

    async def work(sandbox: ClusterSandbox) -> None:
        found = await sandbox.tasks(source, "train", start=7, count=2, seed=5)
        assert len({task["id"] for task in found}) == 2
        assert [task["prompt"] for task in found] == ["q", "r"]

    run(ToldCluster(a=link), work)
    [asked] = [one for one in link.asked if one[0] == "generate"]
    assert asked == ("generate", source.digest, "sample_sample:make", "train", 2, 7, 5)


@pytest.mark.parametrize(
    "said",
    [
        lambda calls: [rows(range(len(calls))), rows(range(len(calls)), {"correct": 0.0})],
        lambda calls: [rows([0, 0, 0, 10_000, -1]), rows(range(len(calls)))],
        lambda calls: [rows(range(len(calls))), NodeLostError("after its last word")],
    ],
    ids=["twice", "others' numbers", "dies late"],
)
def test_the_first_answer_to_a_call_counts_and_no_other(equal_source: Source, said: Any) -> None:
    async def work(sandbox: ClusterSandbox) -> None:
        found = await judged(sandbox, equal_source, 10)
        assert {ident: verdict.rewards for ident, verdict in found.items()} == {str(n): RIGHT for n in range(10)}
        assert all(node.load.calls == 0 for node in sandbox.nodes.alive)

    run(ToldCluster(a=ToldLink(judge=said)), work)


@pytest.mark.parametrize(
    "said",
    [
        lambda calls: [rows([0]), NodeLostError("the line broke")],
        lambda calls: [rows([0])],
        lambda _: [],
        lambda _: [BoxLostError("its engine has no room")],
    ],
    ids=["dies midway", "stops midway", "says nothing", "no room"],
)
def test_what_a_node_leaves_open_is_answered_by_another(equal_source: Source, said: Any) -> None:
    home, other = rank(equal_source.digest, ["a", "b"])
    cluster = ToldCluster(**{home: ToldLink(judge=said), other: ToldLink(judge=answers_all)})

    async def work(sandbox: ClusterSandbox) -> None:
        found = await judged(sandbox, equal_source, 40)
        assert {ident: verdict.rewards for ident, verdict in found.items()} == {str(n): RIGHT for n in range(40)}
        assert sandbox.nodes.counters["calls_elsewhere", f"node-{home}"] > 0

    run(cluster, work)


@pytest.mark.parametrize(
    "rewards", [{"correct": 2.0}, {"correct": -0.1}, {"other": 1.0}, {}, {"correct": 1.0, "more": 1.0}], ids=str
)
def test_a_vector_that_the_package_never_declared_is_the_hosts_fault_and_never_a_reward(
    equal_source: Source, rewards: dict[str, float]
) -> None:
    link = ToldLink(judge=lambda calls: [[(n, rewards, {}, None, 1.0) for n in range(len(calls))]])

    async def work(sandbox: ClusterSandbox) -> None:
        [verdict] = (await judged(sandbox, equal_source, 1)).values()
        assert verdict.rewards == {"correct": None}
        assert verdict.error is not None
        assert verdict.error.kind is ErrorKind.HOST
        assert "node-a answered with another vector than declared" in verdict.error.message

    run(ToldCluster(a=link), work)


@pytest.mark.parametrize("ms", [-5.0, 0.0, 1e308], ids=str)
def test_times_that_no_call_takes_stop_no_stream(equal_source: Source, ms: float) -> None:
    link = ToldLink(judge=lambda calls: [[(n, RIGHT, {}, None, ms) for n in range(len(calls))]])

    async def work(sandbox: ClusterSandbox) -> None:
        for _ in range(3):
            assert len(await judged(sandbox, equal_source, 70 if ms > 0 else 10)) >= 10

    run(ToldCluster(a=link), work)


def test_an_error_that_nobody_thought_of_reaches_the_caller(equal_source: Source) -> None:
    async def work(sandbox: ClusterSandbox) -> None:
        with pytest.raises(ZeroDivisionError):
            await judged(sandbox, equal_source, 3)
        assert all(node.load.calls == 0 for node in sandbox.nodes.alive)

    run(ToldCluster(a=ToldLink(judge=lambda _: [ZeroDivisionError("in our own code")])), work)


def test_replays_of_all_nodes_are_summed(equal_source: Source) -> None:
    digest = equal_source.digest
    cluster = ToldCluster(
        a=ToldLink(report=NodeReport("", {digest: (10, 1, 2), "sha256:other": (9, 9, 9)})),
        b=ToldLink(report=NodeReport("", {digest: (5, 0, 1)})),
        c=ToldLink(),
    )

    async def work(sandbox: ClusterSandbox) -> None:
        await sandbox.check()
        assert sandbox.replays(equal_source).compared == 0, "nobody has reported yet"
        await until(lambda: sum(bool(node.report.replays) for node in sandbox.nodes.alive) == 2)
        found = sandbox.replays(equal_source)
        assert (found.compared, found.mismatch_count, found.pending) == (15, 1, 3)

    run(cluster, work)


@pytest.mark.parametrize("fault", [VerifierFailedError("no module named 'x'"), SandboxUnavailableError("no engine")])
def test_why_a_package_cannot_be_loaded_is_raised_as_it_was(equal_source: Source, fault: Exception) -> None:
    async def work(sandbox: ClusterSandbox) -> None:
        with pytest.raises(type(fault), match=str(fault)):
            await sandbox.warm(equal_source)

    run(ToldCluster(a=ToldLink(warm=fault)), work)

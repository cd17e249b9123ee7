"""Sessions on many nodes: where they open, what becomes of them with their node, and that their names never meet."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sandbox.checks.benches.sessions import sample
from sandbox.checks.samples import TASK
from sandbox.cluster.node_choice import rank
from sandbox.cluster.nodes import Nodes
from sandbox.cluster.sessions import NodeSessions
from sandbox.cluster.settings import ClusterSettings
from sandbox.errors import (
    BoxLostError,
    NodeLostError,
    SandboxUnavailableError,
    SessionClosedError,
    TimeLimitError,
    VerifierFailedError,
)
from sandbox.interface import Source
from tests.fakes.node_link import ToldCluster, ToldLink
from tests.sandbox.clocks import run_without_waiting


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return sample("played", 0, 0).source(tmp_path)


def told(**answers: Any) -> ToldLink:
    usual = {"session_ask": lambda ident, request: {"messages": [], "ident": ident, "op": request["op"]}}
    return ToldLink(**{**usual, **answers})


def run(cluster: ToldCluster, work: Callable[[NodeSessions], Coroutine[Any, Any, None]], retries: int = 2) -> None:
    async def inner() -> None:
        nodes = Nodes(cluster, ClusterSettings())
        try:
            await work(NodeSessions(nodes, retries))
        finally:
            await nodes.aclose()

    run_without_waiting(inner())


def test_a_session_opens_asks_branches_and_closes_on_one_node_by_numbers_that_never_repeat(source: Source) -> None:
    cluster = ToldCluster(a=told(), b=told())

    async def work(sessions: NodeSessions) -> None:
        async with sessions.session(source, TASK, 3) as first, sessions.session(source, TASK, 4) as second:
            await first.reset()
            branch = await first.branch()
            await branch.close()
            await second.reset()

    run(cluster, work)
    [home] = [link for link in cluster.nodes.values() if link.count("session_open")]
    opened = [asked for asked in home.asked if asked[0] == "session_open"]
    assert [(digest, task, seed) for _, digest, _, task, seed in opened] == [
        (source.digest, TASK, 3),
        (source.digest, TASK, 4),
    ]
    [branched] = [asked[1:] for asked in home.asked if asked[0] == "session_branch"]
    idents = [asked[2] for asked in opened] + [branched[1]]
    assert len(set(idents)) == 3
    assert branched[0] == idents[0]
    assert {asked[1] for asked in home.asked if asked[0] == "session_close"} == set(idents)


@pytest.mark.parametrize("fault", [NodeLostError("gone"), BoxLostError("its engine has no room")])
def test_a_node_that_cannot_open_it_leaves_it_to_the_next(source: Source, fault: Exception) -> None:
    home, other = rank(source.digest, ["a", "b"])
    cluster = ToldCluster(**{home: told(session_open=fault), other: told()})

    async def work(sessions: NodeSessions) -> None:
        async with sessions.session(source, TASK, 0) as session:
            assert (await session.reset())["op"] == "reset"

    run(cluster, work)
    assert cluster.nodes[other].count("session_ask") == 1


def test_where_no_node_opens_it_the_reason_is_raised(source: Source) -> None:
    async def work(sessions: NodeSessions) -> None:
        with pytest.raises(SandboxUnavailableError, match="no runtime"):
            await sessions.open(source, TASK)

    run(ToldCluster(a=told(session_open=SandboxUnavailableError("no runtime"))), work, retries=1)


def test_a_session_whose_node_is_lost_says_so_and_no_other_node_is_asked(source: Source) -> None:
    """It cannot go on elsewhere: its memory was there."""
    home, other = rank(source.digest, ["a", "b"])
    cluster = ToldCluster(a=told(), b=told())

    async def work(sessions: NodeSessions) -> None:
        async with sessions.session(source, TASK, 0) as session:
            cluster.nodes[home].answers["session_ask"] = NodeLostError("its process ended")
            with pytest.raises(SessionClosedError, match=r"node was lost \(its process ended\): open another session"):
                await session.reset()
            assert cluster.nodes[other].count("session_ask") == 0
        async with sessions.session(source, TASK, 0) as session:
            assert await session.reset()

    run(cluster, work)
    assert cluster.nodes[home].ends[0] == "kill"
    assert cluster.nodes[other].count("session_open") == 1


@pytest.mark.parametrize("fault", [SessionClosedError("it has ended"), NodeLostError("gone"), BoxLostError("no")])
def test_closing_never_raises(source: Source, fault: Exception) -> None:
    link = told(session_close=fault)

    async def work(sessions: NodeSessions) -> None:
        session = await sessions.open(source, TASK)
        await session.close()

    run(ToldCluster(a=link), work)
    assert link.count("session_close") == 1


@pytest.mark.parametrize(
    "fault", [TimeLimitError("2 s"), VerifierFailedError("KeyError: 'door'"), SessionClosedError("ended")]
)
def test_what_the_package_did_wrong_is_the_sessions_own_and_its_node_stays(source: Source, fault: Exception) -> None:
    link = told(session_ask=fault)

    async def work(sessions: NodeSessions) -> None:
        async with sessions.session(source, TASK, 0) as session:
            with pytest.raises(type(fault), match=str(fault)):
                await session.reset()

    run(ToldCluster(a=link), work)
    assert "kill" not in link.ends


def test_a_package_without_a_session_is_refused_before_anything_travels(equal_source: Source) -> None:
    link = told()

    async def work(sessions: NodeSessions) -> None:
        with pytest.raises(VerifierFailedError, match="declares no session; score its responses instead"):
            await sessions.open(equal_source, TASK)

    run(ToldCluster(a=link), work)
    assert link.asked == []


@pytest.mark.parametrize(
    ("second", "is_same"), [({"messages": [], "seen": 1}, True), ({"messages": [], "seen": 2}, False)]
)
def test_a_replay_is_a_second_session_from_the_same_seed(source: Source, second: dict[str, Any], is_same: bool) -> None:
    said = iter([{"messages": [], "seen": 1}, second])
    link = told(session_ask=lambda _, request: next(said) if request["op"] == "step" else {"messages": []})

    async def work(sessions: NodeSessions) -> None:
        session = await sessions.open(source, TASK, 11)
        await session.reset()
        await session.step({"role": "assistant", "content": "x"})
        replay = await sessions.replay(source, session)
        assert replay.is_equal is is_same

    run(ToldCluster(a=link), work)
    assert [asked[-1] for asked in link.asked if asked[0] == "session_open"] == [11, 11]

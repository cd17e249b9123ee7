"""Nodes that lie about themselves, vanish, come late, or fail in the middle: who is used, who rests, who is given up."""

import asyncio
import dataclasses
import logging
from collections.abc import Callable, Coroutine
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sandbox.cluster.link import NodeReport
from sandbox.cluster.node_choice import Load, rank
from sandbox.cluster.nodes import Node, Nodes
from sandbox.cluster.settings import ClusterSettings
from sandbox.errors import (
    BoxLostError,
    HostFaultError,
    NodeLostError,
    SandboxUnavailableError,
    TimeLimitError,
    VerifierFailedError,
)
from sandbox.interface import Source
from tests.fakes.node_link import WELL, ToldCluster, ToldLink
from tests.fakes.ray_cluster import until
from tests.sandbox.clocks import run_without_waiting, settled

KNOBS = ClusterSettings(poll_seconds=1, join_seconds=30, wait_seconds=60, silence_seconds=30, calls_per_node=4)
DIGEST = "sha256:" + "0" * 64


def run(
    cluster: ToldCluster, work: Callable[[Nodes], Coroutine[Any, Any, None]], knobs: ClusterSettings = KNOBS
) -> None:
    async def inner() -> None:
        nodes = Nodes(cluster, knobs)
        try:
            await work(nodes)
        finally:
            await nodes.aclose()
        assert cluster.is_left

    run_without_waiting(inner())


async def later(seconds: float) -> None:
    """By a clock that does not wait."""
    await asyncio.sleep(seconds)
    await settled()


def a_node(link: ToldLink | None = None, name: str = "a") -> Node:
    return Node(name, name, link or ToldLink(), WELL, Load(2))


def names(nodes: Nodes) -> set[str]:
    return {node.ident for node in nodes.alive}


# -- one node ------------------------------------------------------------------------------------------------------------


def test_work_on_a_node_that_is_given_up_ends_at_once_whatever_it_waits_for() -> None:
    async def work() -> None:
        node, ended = a_node(), []

        async def endless() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cancelled")

        asking = asyncio.ensure_future(node.while_there(endless()))
        await settled()
        node.gone.set_result("it was switched off")
        with pytest.raises(NodeLostError, match="it was switched off"):
            await asking
        assert ended == ["cancelled"]

    run_without_waiting(work())


def test_an_answer_that_is_there_when_the_node_is_lost_still_counts() -> None:
    async def work() -> None:
        node = a_node()

        async def answer() -> int:
            node.gone.set_result("lost in the same moment")
            return 7

        assert await node.while_there(answer()) == 7

    run_without_waiting(work())


def test_a_caller_that_leaves_takes_its_work_along() -> None:
    async def work() -> None:
        node, ended = a_node(), []

        async def endless() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cancelled")

        asking = asyncio.ensure_future(node.while_there(endless()))
        await settled()
        asking.cancel()
        await asyncio.wait([asking])
        assert ended == ["cancelled"]

    run_without_waiting(work())


def test_a_release_travels_once_however_many_wait_for_it(equal_source: Source) -> None:
    arrive = asyncio.Event()
    link = ToldLink(send=lambda _: arrive.wait())

    async def work() -> None:
        node = a_node(link)
        waiting = [asyncio.ensure_future(node.hold(equal_source)) for _ in range(3)]
        await settled()
        waiting[0].cancel()  # whoever leaves does not stop it for the others
        await settled()
        arrive.set()
        await asyncio.gather(*waiting[1:])
        await node.hold(equal_source)

    run_without_waiting(work())
    assert link.sent == [equal_source.digest]


def test_a_transfer_that_failed_is_tried_again_by_the_next(equal_source: Source) -> None:
    async def work() -> None:
        link = ToldLink(send=BoxLostError("a wheel arrived with other bytes"))
        node = a_node(link)
        for _ in range(2):
            with pytest.raises(BoxLostError, match="other bytes"):
                await node.hold(equal_source)
        link.answers["send"] = None
        await node.hold(equal_source)
        assert len(link.sent) == 3

    run_without_waiting(work())


# -- coming ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (dataclasses.replace(WELL, version="9.9.9"), r"it has Verihub 9\.9\.9, and we have"),
        (dataclasses.replace(WELL, boxes_per_package=0), "it says that a release has 0 boxes there"),
        (dataclasses.replace(WELL, boxes_per_package=-3), "-3 boxes"),
        (NodeLostError("the answer to 'hello' is not what it must be: 2 faults"), "is not what it must be"),
        (SandboxUnavailableError("no Docker engine answers"), "no Docker engine answers"),
        (RuntimeError("an error that nobody thought of"), "nobody thought of"),
        (None, "has no attribute"),
    ],
    ids=["another version", "no boxes", "fewer than none", "garbage", "no engine", "anything", "nothing"],
)
def test_a_node_that_cannot_be_used_says_why_and_the_others_are_used(answer: Any, words: str) -> None:
    bad = ToldLink(hello=answer)

    async def work(nodes: Nodes) -> None:
        with pytest.raises(SandboxUnavailableError, match=f"no node can run a sandbox: node-bad: .*{words}"):
            await nodes.ready()
        await settled()
        assert bad.ends == ["kill"]
        cluster.nodes["good"] = ToldLink()
        await nodes.ready()
        assert names(nodes) == {"good"}
        assert (await nodes.choose(DIGEST)).ident == "good"

    cluster = ToldCluster(bad=bad)
    run(cluster, work)


def test_a_node_that_does_not_even_open_is_one_of_those(caplog: pytest.LogCaptureFixture) -> None:
    async def work(nodes: Nodes) -> None:
        with caplog.at_level(logging.WARNING), pytest.raises(SandboxUnavailableError, match="node-x: no such host"):
            await nodes.ready()
        assert "the node node-x cannot be used: no such host" in caplog.text

    run(ToldCluster(x=OSError("no such host")), work)


def test_a_node_that_says_nothing_is_waited_for_as_long_as_the_setting_says() -> None:
    silent = ToldLink(hello=lambda: asyncio.Event().wait())

    async def work(nodes: Nodes) -> None:
        began = asyncio.get_running_loop().time()
        with pytest.raises(SandboxUnavailableError, match="not ready within 30 s; perhaps other programs"):
            await nodes.ready()
        assert asyncio.get_running_loop().time() - began == pytest.approx(30)
        await settled()
        assert silent.ends == ["kill"]

    run(ToldCluster(silent=silent), work)


def test_a_node_that_fails_again_and_again_is_asked_ever_less_often() -> None:
    cluster = ToldCluster(good=ToldLink(), bad=ToldLink(hello=BoxLostError("no")))

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        times = []
        for _ in range(300):
            before = cluster.opened.count("bad")
            await later(1)
            times += [asyncio.get_running_loop().time()] * (cluster.opened.count("bad") - before)
        pauses = [round(b - a) for a, b in pairwise(times)]
        assert pauses[:4] == sorted(pauses[:4])
        assert pauses[0] < 10
        assert 55 <= max(pauses) <= 63, "a minute at most, and a look each second"
        assert len(times) < 12

    run(cluster, work)


def test_a_node_that_leaves_while_it_joins_is_not_waited_for() -> None:
    joining = ToldLink(hello=lambda: asyncio.Event().wait())
    cluster = ToldCluster(good=ToldLink())

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        cluster.nodes["late"] = joining
        await until(lambda: "late" in cluster.opened)
        del cluster.nodes["late"]
        await until(lambda: bool(joining.ends))
        assert joining.ends == ["kill"]
        assert names(nodes) == {"good"}

    run(cluster, work)


def test_closing_kills_what_is_joining_and_ends_what_is_there() -> None:
    good, joining = ToldLink(), ToldLink(hello=lambda: asyncio.Event().wait())
    cluster = ToldCluster(good=good)

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        cluster.nodes["late"] = joining
        await until(lambda: "late" in cluster.opened)
        await nodes.aclose()
        assert (good.ends, joining.ends) == (["end"], ["kill"])
        for asked in (nodes.ready(), nodes.choose(DIGEST)):
            with pytest.raises(SandboxUnavailableError, match="closed: make a new one"):
                await asked

    run(cluster, work)


# -- going -----------------------------------------------------------------------------------------------------------------


def test_a_node_that_leaves_the_cluster_is_given_up_and_counted_once() -> None:
    cluster = ToldCluster(a=ToldLink(), b=ToldLink())

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        [gone] = [node for node in nodes.alive if node.ident == "a"]
        link = cluster.nodes.pop("a")
        await until(lambda: names(nodes) == {"b"})
        nodes.failed(gone, NodeLostError("again"))
        await settled()
        assert nodes.counters["lost", "node-a"] == 1
        assert link.ends == ["kill"]
        assert gone.gone.result() == "the node node-a has left the cluster"

    run(cluster, work)


def test_a_cluster_that_does_not_answer_for_a_while_loses_no_node() -> None:
    cluster = ToldCluster(a=ToldLink())

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        cluster.fault = HostFaultError("the head is starting")
        await later(20)
        assert cluster.looks > 15
        assert names(nodes) == {"a"}
        cluster.fault = None
        cluster.nodes["b"] = ToldLink()
        await until(lambda: names(nodes) == {"a", "b"})

    run(cluster, work)


@pytest.mark.parametrize(
    "error", [ValueError("x"), TypeError("y"), KeyError("z"), VerifierFailedError("w"), RuntimeError("v")]
)
def test_a_node_that_cannot_say_how_it_is_lives_and_its_last_report_stays(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """It has answered. An exception that nobody takes would stand in the log of each second instead."""
    link = ToldLink(report=NodeReport("verihub_x 1\n"))

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        await until(lambda: nodes.alive[0].report.metrics != "")
        link.answers["report"] = error
        asked = link.count("report")
        await until(lambda: link.count("report") > asked + 3)
        assert names(nodes) == {"a"}
        assert nodes.alive[0].report.metrics == "verihub_x 1\n"

    with caplog.at_level(logging.WARNING):
        run(ToldCluster(a=link), work)
    assert f"the node node-a cannot say how it is: {type(error).__name__}" in caplog.text


def test_a_node_whose_line_breaks_at_a_report_is_given_up_and_opened_again() -> None:
    link = ToldLink(report=NodeLostError("a sandbox node is gone: its process ended"))
    cluster = ToldCluster(a=link)

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        await until(lambda: nodes.counters["lost", "node-a"] == 1)
        link.answers["report"] = NodeReport()
        await until(lambda: nodes.counters["joined", "node-a"] == 2)

    run(cluster, work)


@pytest.mark.parametrize(("seconds", "is_lost"), [(29.0, False), (30.5, False), (32.0, True)])
def test_a_silent_node_is_given_up_after_its_time_and_a_second_chance(seconds: float, is_lost: bool) -> None:
    """After a pause of our own loop the answer is there, though the time is over."""
    link = ToldLink(report=lambda: asyncio.sleep(seconds, NodeReport("late 1\n")))

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        await later(40)
        assert nodes.counters["lost", "node-a"] == int(is_lost)

    run(ToldCluster(a=link), work)


# -- choosing --------------------------------------------------------------------------------------------------------------


def test_a_full_node_is_passed_over_and_when_all_are_full_the_next_free_place_is_waited_for() -> None:
    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        home, other = rank(DIGEST, ["a", "b"])
        taken = []
        for _ in range(8):
            node = await nodes.choose(DIGEST)
            nodes.started(node, 1, 0.1)
            taken.append(node)
        assert [node.ident for node in taken] == [home] * 4 + [other] * 4
        waiting = asyncio.ensure_future(nodes.choose(DIGEST))
        await later(1000)
        assert not waiting.done(), "there are nodes, so nobody gives up"
        nodes.ended(taken[-1], 1, 0.1)
        assert (await waiting).ident == other

    run(ToldCluster(a=ToldLink(), b=ToldLink()), work)


def test_a_node_that_failed_on_these_calls_is_taken_only_when_there_is_no_other() -> None:
    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        home, other = rank(DIGEST, ["a", "b"])
        assert (await nodes.choose(DIGEST)).ident == home
        assert (await nodes.choose(DIGEST, frozenset([home]))).ident == other
        assert (await nodes.choose(DIGEST, frozenset("ab"))).ident == home

    run(ToldCluster(a=ToldLink(), b=ToldLink()), work)


def test_a_node_rests_for_five_seconds_after_a_fault_of_its_host() -> None:
    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        home, other = rank(DIGEST, ["a", "b"])
        nodes.failed(await nodes.choose(DIGEST), HostFaultError("no room on the engine's disk"))
        assert (await nodes.choose(DIGEST)).ident == other
        await later(4)
        assert (await nodes.choose(DIGEST)).ident == other
        await later(2)
        assert (await nodes.choose(DIGEST)).ident == home

    run(ToldCluster(a=ToldLink(), b=ToldLink()), work)


def test_without_nodes_the_wait_ends_with_the_reason() -> None:
    cluster = ToldCluster(a=ToldLink())

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        del cluster.nodes["a"]
        await until(lambda: not nodes.alive)
        began = asyncio.get_running_loop().time()
        with pytest.raises(SandboxUnavailableError, match="there is no node: start one"):
            await nodes.choose(DIGEST)
        assert asyncio.get_running_loop().time() - began == pytest.approx(60)

    run(cluster, work)


# -- one request -----------------------------------------------------------------------------------------------------------


def asked_of(link_answers: dict[str, Any]) -> ToldCluster:
    return ToldCluster(**{name: ToldLink(warm=answer) for name, answer in link_answers.items()})


@pytest.mark.parametrize("fault", [NodeLostError("gone"), BoxLostError("its box died")])
def test_a_request_that_a_node_fails_goes_to_the_next(equal_source: Source, fault: Exception) -> None:
    home, other = rank(equal_source.digest, ["a", "b"])
    cluster = asked_of({home: fault, other: "warm"})

    async def work(nodes: Nodes) -> None:
        node, value = await nodes.attempt(equal_source, 2, lambda node: node.link.ask("warm"))
        assert (node.ident, value) == (other, "warm")
        assert all(node.load.calls == 0 for node in nodes.alive)

    run(cluster, work)


def test_when_every_try_fails_the_last_fault_is_raised(equal_source: Source) -> None:
    cluster = asked_of({"a": BoxLostError("no"), "b": BoxLostError("no")})

    async def work(nodes: Nodes) -> None:
        with pytest.raises(BoxLostError):
            await nodes.attempt(equal_source, 2, lambda node: node.link.ask("warm"))
        assert sum(link.count("warm") for link in cluster.nodes.values()) == 3
        assert all(node.load.calls == 0 for node in nodes.alive)

    run(cluster, work)


@pytest.mark.parametrize("fault", [VerifierFailedError("no tool"), TimeLimitError("5 s"), ValueError("x")])
def test_what_the_package_or_the_caller_did_wrong_is_raised_at_once(equal_source: Source, fault: Exception) -> None:
    cluster = asked_of({"a": fault, "b": fault})

    async def work(nodes: Nodes) -> None:
        with pytest.raises(type(fault)):
            await nodes.attempt(equal_source, 5, lambda node: node.link.ask("warm"))
        assert sum(link.count("warm") for link in cluster.nodes.values()) == 1
        assert all(node.load.calls == 0 for node in nodes.alive)

    run(cluster, work)


def test_a_release_that_cannot_be_sent_is_tried_elsewhere(equal_source: Source, tmp_path: Path) -> None:
    home, other = rank(equal_source.digest, ["a", "b"])
    cluster = asked_of({"a": 1, "b": 1})
    cluster.nodes[home].answers["send"] = SandboxUnavailableError(f"a node cannot keep a wheel in {tmp_path}")

    async def work(nodes: Nodes) -> None:
        node, _ = await nodes.attempt(equal_source, 1, lambda node: node.link.ask("warm"))
        assert node.ident == other

    run(cluster, work)

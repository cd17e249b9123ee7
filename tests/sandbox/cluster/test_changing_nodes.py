"""Nodes that come and go: which are used, and what is said of those that lie about themselves, vanish or fall silent."""

import asyncio
import dataclasses
import logging
from itertools import pairwise
from typing import Any

import pytest

from sandbox.cluster.link import NodeReport
from sandbox.cluster.nodes import Nodes
from sandbox.errors import (
    BoxLostError,
    HostFaultError,
    NodeLostError,
    SandboxUnavailableError,
    VerifierFailedError,
)
from tests.fakes.node_link import WELL, ToldCluster, ToldLink
from tests.fakes.ray_cluster import until
from tests.sandbox.clocks import settled
from tests.sandbox.cluster.told_nodes import later, names, run

DIGEST = "sha256:" + "0" * 64


# -- coming ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (dataclasses.replace(WELL, version="9.9.9"), r"it has Verihub 9\.9\.9, the driver has"),
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


# -- going -------------------------------------------------------------------------------------------------------------


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

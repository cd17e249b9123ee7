"""One node, the choice among several, and a request that nodes fail."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandbox.cluster.node_choice import Load, rank
from sandbox.cluster.nodes import Node, Nodes
from sandbox.errors import (
    BoxLostError,
    NodeLostError,
    SandboxUnavailableError,
    TimeLimitError,
    VerifierFailedError,
)
from sandbox.interface import Source
from tests.fakes.node_link import WELL, ToldCluster, ToldLink
from tests.fakes.ray_cluster import until
from tests.sandbox.clocks import run_without_waiting, settled
from tests.sandbox.cluster.told_nodes import KNOBS, later, names, run

DIGEST = "sha256:" + "0" * 64


def a_node(link: ToldLink | None = None, name: str = "a") -> Node:
    return Node(name, name, link or ToldLink(), WELL, Load(2))


# -- one node ----------------------------------------------------------------------------------------------------------


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


# -- choosing ----------------------------------------------------------------------------------------------------------


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


def test_a_node_that_fails_three_calls_in_a_row_which_another_judges_cools_down_five_seconds_for_that_release() -> None:
    other_release = "sha256:" + "1" * 64

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        home = await nodes.choose(DIGEST)
        [other] = [node for node in nodes.alive if node is not home]
        blamed = frozenset([home.ident])
        nodes.judged(other, DIGEST, blamed)
        nodes.judged(other, DIGEST, blamed)
        nodes.judged(home, DIGEST)  # it can
        nodes.judged(other, DIGEST, blamed)
        nodes.judged(other, DIGEST, blamed)
        assert await nodes.choose(DIGEST) is home
        nodes.judged(other, DIGEST, blamed)
        assert await nodes.choose(DIGEST) is other
        assert (await nodes.choose(other_release)).ident == rank(other_release, ["a", "b"])[0]
        await later(4.9)
        assert await nodes.choose(DIGEST) is other
        await later(0.2)
        assert await nodes.choose(DIGEST) is home

    run(ToldCluster(a=ToldLink(), b=ToldLink()), work)


def test_a_node_that_is_gone_is_blamed_for_nothing() -> None:
    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        [node] = nodes.alive
        for _ in range(5):
            nodes.judged(node, DIGEST, frozenset(["long gone"]))
        assert await nodes.choose(DIGEST) is node

    run(ToldCluster(a=ToldLink()), work)


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


# -- one request -------------------------------------------------------------------------------------------------------


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
        assert await nodes.choose(equal_source.digest) is node, "the first is to blame, since it can be done"

    run(cluster, work)


def test_when_every_try_fails_the_last_fault_is_raised(equal_source: Source) -> None:
    cluster = asked_of({"a": BoxLostError("no"), "b": BoxLostError("no")})

    async def work(nodes: Nodes) -> None:
        with pytest.raises(BoxLostError):
            await nodes.attempt(equal_source, 2, lambda node: node.link.ask("warm"))
        assert sum(link.count("warm") for link in cluster.nodes.values()) == 3
        assert all(node.load.calls == 0 for node in nodes.alive)
        home = rank(equal_source.digest, ["a", "b"])[0]
        assert (await nodes.choose(equal_source.digest)).ident == home, "the package may have brought it on itself"

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


def test_a_hundred_nodes_cost_no_more_watching_than_eight() -> None:
    """Each is asked all the same, only less often; and the cluster is looked at once a round."""
    cluster = ToldCluster(**{f"n{number}": ToldLink() for number in range(100)})

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        before = cluster.looks
        await later(65)
        links = [cluster.nodes[ident] for ident in names(nodes)]
        asked = [link.count("report") for link in links]
        assert sum(asked) <= 65 * 8
        assert min(asked) >= 4
        assert cluster.looks - before <= 6

    run(cluster, work)


def test_one_of_a_hundred_that_falls_silent_is_given_up() -> None:
    cluster = ToldCluster(**{f"n{number}": ToldLink() for number in range(100)})
    cluster.nodes["n50"] = ToldLink(report=lambda: asyncio.sleep(10_000))

    async def work(nodes: Nodes) -> None:
        await nodes.ready()
        await later(13 + KNOBS.silence_seconds + 2)
        assert {ident for ident, link in cluster.nodes.items() if link.ends} == {"n50"}

    run(cluster, work)

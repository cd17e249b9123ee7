"""Nodes of a cluster that does what a test tells it, by a clock that does not wait."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from sandbox.cluster.nodes import Nodes
from sandbox.cluster.settings import ClusterSettings
from tests.fakes.node_link import ToldCluster
from tests.sandbox.clocks import run_without_waiting, settled

KNOBS = ClusterSettings(poll_seconds=1, join_seconds=30, wait_seconds=60, silence_seconds=30, calls_per_node=4)


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


def names(nodes: Nodes) -> set[str]:
    return {node.ident for node in nodes.alive}

"""Whose code a driver's time goes to, on a profile of known functions. Ray itself is not there: a module stands in."""

import asyncio
import cProfile
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from sandbox.cluster.link import NodeFacts, unpack_rows
from schemas.manifest import Isolation

NAME = "sandbox.checks.benches.actors"


@pytest.fixture(scope="module")
def bench() -> Iterator[Any]:
    patch = pytest.MonkeyPatch()
    links: Any = ModuleType("sandbox.cluster.links.ray")
    links.RayCluster = links.RayLink = object
    for fake in (ModuleType("ray"), links):
        patch.setitem(sys.modules, fake.__name__, fake)
    patch.delitem(sys.modules, NAME, raising=False)
    yield importlib.import_module(NAME)
    sys.modules.pop(NAME, None)
    patch.undo()


def test_a_tiny_node_says_hello_and_judges_every_call_once(bench: Any) -> None:
    async def ask() -> None:
        node = bench.TinyNode()
        hello, error = await node.ask("hello")
        assert isinstance(hello, NodeFacts)
        assert error is None
        assert await node.ask("missing", ["sha256:0"]) == ([], None)
        [packed] = [part async for part in node.judge("sha256:0", Isolation.BATCH, [b"a", b"b", b"c"])]
        assert [(row[0], row[1]) for row in unpack_rows(packed)] == [(n, {"correct": 1.0}) for n in range(3)]

    asyncio.run(ask())


def test_the_time_of_a_profile_is_shared_among_packages_and_adds_up_to_one(bench: Any) -> None:
    profile = cProfile.Profile()
    profile.enable()
    asyncio.run(asyncio.sleep(0))
    unpack_rows(b"[]")
    sorted(range(10_000))
    profile.disable()
    shares = bench.shares(profile)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert {"asyncio", "builtins", "sandbox"} <= set(shares)
    assert all(share >= 0 for share in shares.values())


@pytest.mark.parametrize(
    ("path", "package"),
    [
        ("/x/site-packages/ray/actor.py", "ray"),
        ("/x/sandbox/cluster/nodes.py", "sandbox"),
        ("/usr/lib/python3.11/asyncio/events.py", "asyncio"),
        ("~", "builtins"),
        ("/usr/lib/python3.11/json/decoder.py", "other"),
    ],
)
def test_a_function_belongs_to_the_package_of_its_file(bench: Any, path: str, package: str) -> None:
    assert bench._package_of(path) == package

"""Whose code a driver's time goes to, on a profile of known functions. Ray itself is not there: a module stands in."""

import asyncio
import cProfile
import importlib
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, Self

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


class PlayedCluster:
    """Stands in for the cluster: one node, which is this process, judges every call once."""

    def __init__(self, *_: Any) -> None:
        self.nodes = SimpleNamespace(alive=[SimpleNamespace(facts=NodeFacts("1", os.getpid(), 2))])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def check(self) -> None:
        pass

    async def judge(self, _source: object, calls: list[Any], **_: object) -> AsyncIterator[Any]:
        for call in calls:
            yield call


def test_what_is_measured_of_a_driver_and_ray_is_let_go_of(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(bench.ray, "init", lambda **_: said.append("init"), raising=False)
    monkeypatch.setattr(bench.ray, "shutdown", lambda: said.append("shutdown"), raising=False)
    monkeypatch.setattr(bench, "ClusterSandbox", PlayedCluster)
    monkeypatch.setattr(bench, "_Actors", lambda count: count)
    figures = asyncio.run(bench.measure(actors=1, calls=50, idle_seconds=0.01))
    assert said == ["init", "shutdown"]
    assert figures["actors"] == 1
    assert figures["actor_mb"] > 1
    assert figures["driver_us_per_call"] > 0
    assert sum(share for name, share in figures.items() if name.startswith("profile_")) == pytest.approx(1.0)


def test_the_command_prints_its_figures(bench: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    async def measured(*numbers: float) -> dict[str, float]:
        return {"given": float(sum(numbers))}

    monkeypatch.setattr(bench, "measure", measured)
    bench.main(["--actors", "2", "--calls", "3", "--idle-seconds", "4", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["given"] == 9.0

"""Boxes on an event loop that is not asyncio's own: programs with uvloop, and Ray's actors where it is installed."""

from pathlib import Path

import pytest

from sandbox.backends import make_backend
from sandbox.checks.samples import TASK, Sample
from sandbox.interface import Call
from sandbox.sandbox import Sandbox
from tests.sandbox.conftest import SETTINGS

uvloop = pytest.importorskip("uvloop")


@pytest.mark.parametrize("backend", ["local", pytest.param("docker", marks=pytest.mark.docker)])
def test_boxes_open_on_uvloop_too(backend: str, tmp_path: Path) -> None:
    source = Sample("def verify(task, response):\n    return {'correct': float(response == '2')}\n").source(tmp_path)

    async def work() -> dict[str, float | None]:
        async with Sandbox(make_backend(backend, SETTINGS), SETTINGS) as sandbox:
            [(_, verdict)] = [answer async for answer in sandbox.score(source, [Call("1", TASK, response="2")])]
            return verdict.rewards

    assert uvloop.run(work()) == {"correct": 1.0}

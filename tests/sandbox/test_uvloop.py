"""A host may run on uvloop: many servers do."""

from pathlib import Path

import pytest
import uvloop

from sandbox.backends import make_backend
from sandbox.checks.samples import TASK, Sample
from sandbox.interface import Call
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings

EQUAL = Sample("def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n", name="uv")


@pytest.mark.docker
@pytest.mark.parametrize("use_sockets", [True, False])
def test_verdicts_come_on_uvloop_as_well(tmp_path: Path, use_sockets: bool) -> None:
    settings = SandboxSettings(state_folder=tmp_path / "state", use_sockets=use_sockets, start_timeout_seconds=30)

    async def run() -> list[float | None]:
        async with Sandbox(make_backend("docker", settings), settings) as sandbox:
            calls = [Call(str(number), TASK, response=str(number)) for number in range(3)]
            return [verdict.rewards["correct"] async for _, verdict in sandbox.score(EQUAL.source(tmp_path), calls)]

    assert sorted(uvloop.run(run()), key=str) == [0.0, 0.0, 1.0]

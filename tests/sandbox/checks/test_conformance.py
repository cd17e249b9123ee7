from pathlib import Path

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.conformance import CHECKS, run_checks


@pytest.mark.parametrize("name", [name for name, _ in CHECKS])
def test_every_backend_passes_the_conformance_check(any_sandbox: BlockingSandbox, name: str, tmp_path: Path) -> None:
    async def run() -> list[str]:
        return [outcome.problem async for outcome in run_checks(any_sandbox.inner, name, limit_seconds=1.0)]

    assert any_sandbox.run(run()) == [""]

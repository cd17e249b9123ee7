import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.checks.samples import Sample
from sandbox.errors import OutputLimitError
from sandbox.guest.call import Package, failure
from sandbox.interface import Source
from sandbox.sandbox import Sandbox

MOST = 1000


@pytest.fixture
def generating(tmp_path: Path) -> Source:
    head = 'verifier = "PACKAGE:verify"\ntasks = { train = "PACKAGE:generate" }'
    return Sample("", name="maker", kind="environment", head=head).source(tmp_path)


class Limited(ScriptedBackend):
    """Its boxes answer with so many bytes at most, as real ones do with a megabyte."""

    def answer(self, package: Package, request: bytes) -> bytes:
        reply = super().answer(package, request)
        return reply if len(reply) <= MOST else failure("output", "the reply is too large")


def backend_of(prompt: str) -> ScriptedBackend:
    def generate(request: dict[str, Any]) -> list[dict[str, str]]:
        return [{"prompt": f"{prompt}{request['start'] + index}"} for index in range(request["count"])]

    return Limited(values={"generate": generate})


def generated(source: Source, prompt: str, count: int) -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        async with Sandbox(backend_of(prompt)) as sandbox:
            return await sandbox.tasks(source, "train", count=count)

    return asyncio.run(run())


@pytest.mark.parametrize("prompt", ["x", "x" * 90, "x" * 400])
def test_prompts_too_long_for_one_reply_are_generated_in_parts(generating: Source, prompt: str) -> None:
    rows = generated(generating, prompt, 250)
    assert [row["prompt"] for row in rows] == [f"{prompt}{index}" for index in range(250)]


def test_one_prompt_that_is_too_long_is_the_packages_fault(generating: Source) -> None:
    with pytest.raises(OutputLimitError):
        generated(generating, "x" * 2000, 3)

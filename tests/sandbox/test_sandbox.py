import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.scripted import ScriptedBackend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.samples import TASK, Sample
from sandbox.errors import OutputLimitError, TimeLimitError
from sandbox.guest.call import Package, failure
from sandbox.interface import Call, Source
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


class SlowSandbox(Sandbox):
    """Its boxes make so many tasks in time."""

    in_time = 25

    async def _value(self, source: Source, request: dict[str, Any]) -> Any:
        if request["count"] > self.in_time:
            raise TimeLimitError("too slow")
        return [{"prompt": str(request["start"] + index)} for index in range(request["count"])]


def test_tasks_that_together_take_too_long_are_made_in_parts_and_those_that_take_long_alone_are_not(
    generating: Source,
) -> None:
    slow = SlowSandbox(ScriptedBackend())
    rows = asyncio.run(slow.tasks(generating, "train", count=110))
    assert [row["prompt"] for row in rows] == [str(index) for index in range(110)]
    slow.in_time = 24
    with pytest.raises(TimeLimitError):
        asyncio.run(slow.tasks(generating, "train", count=110))


def test_one_prompt_that_is_too_long_is_the_packages_fault(generating: Source) -> None:
    with pytest.raises(OutputLimitError):
        generated(generating, "x" * 2000, 3)


def test_tasks_have_a_limit_of_their_own(local_sandbox: BlockingSandbox, tmp_path: Path) -> None:
    code = """
    import time

    def verify(task, response):
        time.sleep(float(response))
        return {"correct": 1.0}

    def generate(split, seed, index):
        time.sleep(0.4)
        return {"prompt": "?"}
    """
    head = 'verifier = "PACKAGE:verify"\ntasks = { train = "PACKAGE:generate" }'
    source = Sample(code, name="slow-maker", kind="environment", head=head, timeout_seconds=0.2).source(tmp_path)
    assert len(local_sandbox.tasks(source, "train", count=1)) == 1
    needs = source.manifest.sandbox.model_copy(update={"generate_timeout_seconds": 0.2})
    hasty = replace(source, manifest=source.manifest.model_copy(update={"sandbox": needs}))
    with pytest.raises(TimeLimitError):
        local_sandbox.tasks(hasty, "train", count=1)
    [(_, verdict)] = local_sandbox.score(source, [Call("1", TASK, response="9")])
    assert verdict.error is not None
    assert "took longer than 0.2 s" in verdict.error.message


def test_what_replays_have_found_is_kept_of_so_many_releases(
    generating: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.sandbox._KEPT_REPLAYS", 2)
    sandbox = Sandbox(ScriptedBackend())
    releases = [replace(generating, digest=f"sha256:{number}") for number in range(3)]
    first, second = (sandbox.replays(one) for one in releases[:2])
    assert sandbox.replays(releases[0]) is first
    sandbox.replays(releases[2])
    assert sandbox.replays(releases[0]) is first, "used more recently than the second"
    assert sandbox.replays(releases[1]) is not second

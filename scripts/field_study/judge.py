"""Judges cases with an outside verifier, in a process of its package's environment, with a time limit for each call."""

import asyncio
import contextlib
import hashlib
import json
import math
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.interface import Call, Source
from schemas.manifest import Isolation, Manifest
from schemas.verdict import ErrorKind, Verdict
from scripts.field_study.subjects import Verifier

REWARD = "accepted"
SECONDS = 10.0
"""Time limit of a call. A call that took longer is repeated alone by the audit before it counts as late."""
START_SECONDS = 600.0
WARM_UP, WARM_UP_SECONDS = "1", 120.0
WORKER = Path(__file__).with_name("worker.py")


class StartError(Exception):
    """The adapter could not be loaded. The text is what the process printed last."""


@dataclass(frozen=True)
class Judged:
    """A verdict, and the milliseconds between question and answer."""

    id: str
    verdict: Verdict
    milliseconds: float


def source_of(verifier: Verifier) -> Source:
    """The verifier as the audit wants it: one reward with its threshold. Its digest is that of its description."""
    text = (
        'format = 1\nid = "field/subject"\nkind = "verifier"\nverifier = "field_subject:verify"\n'
        f"[rewards.{REWARD}]\nthreshold = {verifier.threshold}\nrange = [-1000000.0, 1000000.0]\n"
    )
    digest = "sha256:" + hashlib.sha256(repr(verifier).encode()).hexdigest()
    return Source(digest=digest, wheel=Path("outside.whl"), manifest=Manifest.from_toml(text))


@dataclass
class OutsideJudge:
    """One process at a time. It is started anew after a call that did not answer, or that ended it."""

    verifier: Verifier
    python: Path
    seconds: float = SECONDS
    _process: asyncio.subprocess.Process | None = field(default=None, repr=False)
    _folder: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)

    async def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[Judged]:
        """A verdict for each call, in order; none for a response in a form that the verifier does not read.

        Such a response is sent as well: one that raises or takes too long is what the verifier does, and is kept.
        """
        del source, isolation
        for call in calls:
            began = time.perf_counter()
            verdict = await self.ask(call.task, call.response)
            if not self.verifier.reads(call.response) and verdict.error is None:
                verdict = Verdict(rewards={REWARD: None})
            yield Judged(call.id, verdict, (time.perf_counter() - began) * 1000)

    async def ask(self, task: dict[str, Any], response: str | None) -> Verdict:
        """One verdict. A raise, a death and a late answer are not judged, each with its reason.

        Raises:
            StartError: the adapter cannot be loaded.

        """
        is_new = self._process is None or self._process.returncode is not None
        process = await self._started()
        try:
            if is_new:  # The first call imports the package, which says nothing about the time that a verdict takes.
                await self._sent(process, {"task": task, "response": WARM_UP}, WARM_UP_SECONDS)
            answer = await self._sent(process, {"task": task, "response": response}, self.seconds)
        except TimeoutError:
            await self.close()
            return Verdict.unjudged([REWARD], ErrorKind.TIMEOUT, f"no answer within {self.seconds:g} s")
        except (ConnectionError, EOFError):
            await self.close()
            return Verdict.unjudged([REWARD], ErrorKind.VERIFIER_FAILED, "its process ended")
        if "error" in answer:
            return Verdict.unjudged([REWARD], ErrorKind.VERIFIER_FAILED, answer["error"])
        score = answer["score"]
        if score is not None and not math.isfinite(score):
            return Verdict.unjudged([REWARD], ErrorKind.OUTPUT, f"it returned {score}, which is no number")
        return Verdict(rewards={REWARD: score})

    async def image_digest(self, source: Source) -> str:
        """No image: the environment is named by what is installed in it."""
        return source.digest

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]:
        """Outside verifiers make no cases."""
        raise NotImplementedError(entry)

    async def close(self) -> None:
        """End the process and whatever it started."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        await self.close()
        self._folder = tempfile.TemporaryDirectory(prefix="field-", ignore_cleanup_errors=True)
        self._process = await asyncio.create_subprocess_exec(
            str(self.python), str(WORKER), self.verifier.adapter, json.dumps(self.verifier.options),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            cwd=self._folder.name, start_new_session=True, limit=1 << 24, env=surroundings(),
        )  # fmt: skip
        try:
            await self._line(self._process, START_SECONDS)
        except (EOFError, TimeoutError) as error:
            await self.close()
            raise StartError(f"{self.verifier.name}: its adapter cannot be loaded") from error
        return self._process

    async def _sent(self, process: asyncio.subprocess.Process, call: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert process.stdin is not None
        process.stdin.write(json.dumps(call).encode() + b"\n")
        await process.stdin.drain()
        return await self._line(process, seconds)

    async def _line(self, process: asyncio.subprocess.Process, seconds: float) -> dict[str, Any]:
        assert process.stdout is not None
        async with asyncio.timeout(seconds):
            line = await process.stdout.readline()
        if not line:
            raise EOFError
        return dict(json.loads(line))


def surroundings() -> dict[str, str]:
    """No key of any service: a verifier that asks a model must fail here, not ask."""
    kept = ("PATH", "HOME", "LANG", "OMP_NUM_THREADS", "TOKENIZERS_PARALLELISM", "XDG_CACHE_HOME")
    return {name: os.environ[name] for name in kept if name in os.environ} | {
        "HF_HUB_OFFLINE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # what draws from a set must draw the same in each process
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "RAGAS_DO_NOT_TRACK": "true",
    }

"""A judge that runs a Python function in this process: what the audit's tests measure is the audit."""

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.guest.call import _both_views
from sandbox.interface import Call, Source
from schemas.manifest import Isolation, Manifest
from schemas.verdict import ErrorKind, Verdict

Verify = Callable[[Call], dict[str, float | None]]


@dataclass(frozen=True)
class Judged:
    id: str
    verdict: Verdict
    milliseconds: float


class FunctionJudge:
    """Answers in reverse order, so that nobody may rely on order."""

    def __init__(self, verify: Verify, rows: list[dict[str, Any]] | None = None) -> None:
        self.verify = verify
        self.rows = rows or []
        self.calls: list[Call] = []
        self.isolations: list[Isolation | None] = []

    async def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[Judged]:
        self.isolations.append(isolation)
        for number, call in enumerate(reversed(list(calls))):
            self.calls.append(call)
            yield Judged(call.id, self._verdict(source, call), 1.0 + number % 10)

    def _verdict(self, source: Source, call: Call) -> Verdict:
        try:
            return Verdict(rewards=self.verify(call))
        except TimeoutError:
            return Verdict.unjudged(list(source.manifest.rewards), ErrorKind.TIMEOUT, "took too long")
        except Exception as error:  # noqa: BLE001 -- as the sandbox does: whatever the author's code raises
            return Verdict.unjudged(list(source.manifest.rewards), ErrorKind.VERIFIER_FAILED, repr(error))

    async def image_digest(self, source: Source) -> str:
        return "sha256:" + "1" * 64

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]:
        return self.rows[start : start + count]


def with_text(verify: Verify) -> Verify:
    """``verify`` with the text of the last message as the response, as in a box."""

    def judged(call: Call) -> dict[str, float | None]:
        text, _ = _both_views({"task": call.task, "response": call.response, "messages": call.messages})
        return verify(replace(call, response=text))

    return judged


def source_of(rewards: str = "[rewards.correct]", extra: str = "", top: str = "") -> Source:
    text = f'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n{top}\n{rewards}\n{extra}\n'
    digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    return Source(digest=digest, wheel=Path("al_check.whl"), manifest=Manifest.from_toml(text))


@pytest.fixture
def make_source() -> Callable[..., Source]:
    return source_of


@pytest.fixture
def judge_of() -> type[FunctionJudge]:
    return FunctionJudge

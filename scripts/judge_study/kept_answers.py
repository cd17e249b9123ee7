"""Asks a judge model what the packages would ask it, and keeps each answer: a study goes on where it stopped."""

import hashlib
import json
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from sandbox.models.port import JudgeModel, ModelAnswer
from schemas.manifest import Manifest
from scripts.judge_study.questions import COLLECTION, Question, imported

_OWN_TOKENS = 60


class TimeOverError(Exception):
    """No more is asked, and this answer was not kept before."""


class KeptAnswers:
    """A judge model whose answers are kept in a file, one JSON line each. The same request is asked once.

    After ``seconds`` only answers that are kept are given; for others :class:`TimeOverError` is raised.
    """

    def __init__(self, judge: JudgeModel, file: Path | None, seconds: float = float("inf")) -> None:
        self._ends_at = time.monotonic() + seconds
        self.name, self.address = judge.name, judge.address
        self._judge, self._file, self._lock = judge, file, Lock()
        self._known: dict[str, ModelAnswer] = {}
        self.asked = 0
        if file is not None and file.exists():
            for line in file.read_text(encoding="utf-8").split("\n"):
                if line.endswith("}"):  # a line that a stop cut off is asked again
                    row = json.loads(line)
                    key = row.pop("key")
                    self._known[key] = ModelAnswer(**row)

    def complete(self, messages: Sequence[dict[str, str]], *, max_tokens: int, seed: int) -> ModelAnswer:
        """The kept answer, or else the model's."""
        key = hashlib.sha256(json.dumps([list(messages), max_tokens, seed]).encode()).hexdigest()[:24]
        with self._lock:
            known = self._known.get(key)
        if known is not None:
            return known
        if time.monotonic() > self._ends_at:
            raise TimeOverError
        said = self._judge.complete(messages, max_tokens=max_tokens, seed=seed)
        with self._lock:
            self.asked += 1
            self._known[key] = said
            if self._file is not None:
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, **vars(said)}) + "\n")
        return said

    def close(self) -> None:
        """Let go of the model."""
        self._judge.close()


@dataclass(frozen=True)
class Verdict:
    """What came of a question. ``reward`` is None where the judge's words could not be read.

    ``words``: of a pair, what the judge chose in each of the two orders; empty where it could not be read.
    """

    question: Question
    response: str
    reward: float | None
    words: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool | None:
        """Whether the response is accepted, by the package's own threshold."""
        if self.reward is None:
            return None
        threshold = manifest(self.question.package).rewards[self.question.reward].threshold
        return self.reward >= (0.5 if threshold is None else threshold)


@cache
def manifest(package: str) -> Manifest:
    """What the package declares."""
    file = next((COLLECTION / package / "src").glob("*/verihub.toml"))
    return Manifest.from_toml(file.read_text(encoding="utf-8"))


def ask(judge: JudgeModel, question: Question) -> Verdict | None:
    """The verdict; None where the judge's own answer is needed and is right, or empty."""
    response = question.response
    if question.is_own:
        asked = [{"role": "user", "content": question.task["prompt"]}]
        response = judge.complete(asked, max_tokens=_OWN_TOKENS, seed=0).text.strip()
        if not response or question.task["answer"] in response:
            return None
    rewards, info = verdict_of(judge, question.package, question.task, response)
    words = tuple(info["said"]) if info.get("mode") == "pairwise" else ()
    return Verdict(question, response, rewards[question.reward], words)


def verdict_of(
    judge: JudgeModel, package: str, task: dict[str, Any], response: str
) -> tuple[dict[str, float | None], dict[str, Any]]:
    """Rewards and info of a package, run in this process, with the model asked as the sandbox would."""
    needs = manifest(package).model
    assert needs is not None
    info: dict[str, Any] = {}
    generator, answer = imported(package).verify(task, response, info), None
    while True:
        try:
            wanted = generator.send(answer)
        except StopIteration as end:
            return end.value, info
        messages = needs.prompts[wanted["complete"]].messages(wanted["values"])
        said = judge.complete(messages, max_tokens=needs.max_tokens, seed=needs.seed)
        answer = {"content": said.text, "finish_reason": "length" if said.is_cut else "stop"}


def ask_all(judge: JudgeModel, questions: Iterable[Question], *, workers: int = 1) -> list[Verdict]:
    """The verdicts, in the order of the questions; those for which the time was over are left out."""

    def one(question: Question) -> Verdict | None:
        with suppress(TimeOverError):
            return ask(judge, question)
        return None

    with ThreadPoolExecutor(workers) as pool:
        found = []
        for number, verdict in enumerate(pool.map(one, questions)):
            if verdict is not None:
                found.append(verdict)
            if number % 100 == 99:
                print(f"  {number + 1} questions", file=sys.stderr, flush=True)
    return found

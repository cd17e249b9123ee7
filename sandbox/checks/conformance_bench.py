"""What a check of conformance uses: a package that does a bit of everything, ways to send calls, and what to expect."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sandbox.checks.samples import TASK, Sample
from sandbox.errors import SandboxError
from sandbox.interface import Call
from sandbox.protocol import SandboxProtocol
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict

LIMIT_SECONDS = 5.0
"""The time limit in checks where some calls must exceed it. Quick calls must stay below it on a busy machine. Three
checks wait for it, one of them twice.
"""

MAIN = Sample(
    name="conforming",
    isolation="worker",
    timeout_seconds=20.0,
    rewards=("correct", "short"),
    kind="environment",
    head='verifier = "PACKAGE:verify"\nsession = "PACKAGE:Session"\ntools = ["PACKAGE:lookup"]\n'
    'tasks = { train = "tasks.jsonl", made = "PACKAGE:generate" }\naudit = ["audit.jsonl"]',
    files={
        "tasks.jsonl": "".join(f'{{"id": "t{i}", "prompt": "{i}+1?", "answer": "{i + 1}"}}\n' for i in range(5)),
        "audit.jsonl": '{"id": "a1", "task_id": "t1", "response": "2", "label": "correct"}\n',
    },
    code="""
    import os, signal, sys, time
    from sandbox.guest import run_solution

    seen = []

    def verify(task, response, messages, info):
        good = {"correct": float(response == task["answer"]), "short": float(len(response) < 10)}
        command, _, rest = response.partition(" ")
        if command == "seen":
            seen.append(1)
            info["seen"] = len(seen)
        elif command == "file":
            info["files"] = os.listdir(".")
            open("left", "w").write("x")
        elif command == "order":
            info["order"] = list({f"word {number}" for number in range(20)})
        elif command == "path":
            info["path"] = [*sys.path, os.getcwd()]
            info["flags"] = [sys.flags.safe_path, sys.flags.no_user_site]
        elif command == "raise":
            raise ValueError("on purpose")
        elif command == "sleep":
            time.sleep(float(rest))
        elif command == "spin":
            while True:
                pass
        elif command == "exit":
            sys.exit(0)
        elif command == "vanish":
            os._exit(0)
        elif command == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif command == "eat":
            x = bytearray(int(rest) << 20)
        elif command == "talk":
            info["text"] = "x" * int(rest)
        elif command == "nan":
            good["correct"] = float("nan")
        elif command == "extra":
            good["other"] = 1.0
        elif command == "missing":
            del good["short"]
        elif command == "bool":
            good["correct"] = True
        elif command == "large":
            good["correct"] = 2.0
        elif command == "null":
            good["short"] = None
        elif command == "solve":
            info["got"] = run_solution(code=rest, entry="f", calls=[[1], [2]], timeout_seconds=10).results
        elif command == "hang":
            seconds, _, code = rest.partition(" ")
            answer = run_solution(code=code, entry="f", calls=[[1], [2]], timeout_seconds=float(seconds))
            info["got"] = answer.results
        elif command == "echo":
            info["roles"] = [message["role"] for message in messages]
        return good

    def generate(split, seed, index):
        return {"prompt": f"{seed}+{index}?", "answer": str(seed + index)}

    def lookup(city: str, count: int = 1) -> dict:
        \"\"\"Find a city.\"\"\"
        return {"city": city, "count": count}

    class Session:
        def reset(self, task, seed):
            self.total = seed
            return {"messages": [{"role": "user", "content": task["prompt"]}], "tools": []}

        def step(self, message):
            if message["content"] == "die":
                os._exit(1)
            self.total += int(message["content"])
            open("steps", "a").write(message["content"])
            done = self.total >= 10
            answer = {"messages": [{"role": "user", "content": str(self.total)}], "done": done}
            return {**answer, "rewards": {"correct": 1.0, "short": None}} if done else answer

        def state(self):
            return {"total": self.total, "steps": open("steps").read() if os.path.exists("steps") else ""}
    """,
)


class NotConformingError(SandboxError):
    """A check failed. The message says what it saw."""


class Bench:
    """What a check uses: a sandbox, the sample package, and methods to send calls."""

    def __init__(self, sandbox: SandboxProtocol, folder: Path, python: str, limit_seconds: float) -> None:
        self.sandbox = sandbox
        self.limit_seconds = limit_seconds
        sample = replace(MAIN, requires_python=f"=={python}.*")
        self.source = sample.source(folder)
        (folder / "limited").mkdir()
        self._limited = replace(sample, timeout_seconds=limit_seconds).source(folder / "limited")

    async def judge(
        self, responses: Iterable[str], isolation: Isolation | None = None, *, is_limited: bool = False
    ) -> dict[str, Verdict]:
        """Response -> verdict on the sample task. ``is_limited``: use the release with the short time limit."""
        source = self._limited if is_limited else self.source
        calls = [Call(text, TASK, response=text) for text in responses]
        return {ident: verdict async for ident, verdict in self.sandbox.score(source, calls, isolation=isolation)}

    async def judge_one(
        self, response: str, isolation: Isolation = Isolation.CALL, *, is_limited: bool = False
    ) -> Verdict:
        """One verdict."""
        return (await self.judge([response], isolation, is_limited=is_limited))[response]


def expect(is_so: bool, saw: Any) -> None:
    """Raise NotConformingError with what was seen, unless ``is_so``."""
    if not is_so:
        raise NotConformingError(f"saw {saw!r}")


def expect_error(verdict: Verdict, kind: ErrorKind, words: str = "") -> None:
    """Check that every reward is null, with an error of that kind and ``words`` in its message."""
    nulls = all(value is None for value in verdict.rewards.values()) and len(verdict.rewards) == 2
    error = verdict.error
    expect(nulls and error is not None and error.kind is kind and words in error.message, verdict)

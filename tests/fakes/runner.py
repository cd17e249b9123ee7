"""A runner that judges in this process, for tests of what stands above it."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from schemas.verdict import ScoreRequest, Verdict


class FakeRunner:
    """``judge`` gives each verdict; None leaves that one out, as a broken sandbox would. Answers come in reverse."""

    place = "here"
    most_sessions = 0

    def __init__(
        self, judge: Callable[[ScoreRequest], Verdict | None], tasks: list[dict[str, Any]] | None = None
    ) -> None:
        self.judge = judge
        self.made = tasks or []
        self.asked: list[tuple[int, int]] = []
        self.is_closed = False

    def score(
        self, package: Any, calls: Iterable[ScoreRequest], isolation: Any = None
    ) -> Iterator[tuple[str, Verdict]]:
        for call in reversed(list(calls)):
            verdict = self.judge(call)
            if verdict is not None:
                yield call.id, verdict

    async def score_stream(
        self, package: Any, calls: AsyncIterator[ScoreRequest], isolation: Any = None
    ) -> AsyncIterator[tuple[str, Verdict]]:
        async for call in calls:
            verdict = self.judge(call)
            if verdict is not None:
                yield call.id, verdict

    def tasks(self, package: Any, split: str, *, start: int, count: int, seed: int) -> list[dict[str, Any]]:
        self.asked.append((start, count))
        return self.made[start : start + count]

    @contextmanager
    def session(self, package: Any, task: dict[str, Any], *, seed: int) -> Iterator["FakeSession"]:
        session = FakeSession(task, seed)
        try:
            yield session
        finally:
            session.close()

    def image_digest(self, package: Any) -> str:
        return "sha256:" + "0" * 64

    def close(self) -> None:
        self.is_closed = True


class FakeSession:
    """Remembers its messages."""

    def __init__(self, task: dict[str, Any], seed: int) -> None:
        self.task, self.seed = task, seed
        self.said: list[Any] = []
        self.is_closed = False

    def reset(self) -> dict[str, Any]:
        self.said.clear()
        return {"messages": [{"role": "user", "content": self.task["prompt"]}]}

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        self.said.append(message)
        return {"messages": [], "done": len(self.said) == 2}

    def state(self) -> dict[str, Any]:
        return {"said": list(self.said)}

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        return {name: arguments}

    def branch(self) -> "FakeSession":
        twin = FakeSession(self.task, self.seed)
        twin.said = list(self.said)
        return twin

    def undo(self) -> None:
        self.said.pop()

    def close(self) -> None:
        self.is_closed = True

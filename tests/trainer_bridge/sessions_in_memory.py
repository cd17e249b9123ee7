"""Session environments in memory: a runner that plays them as a sandbox does, without a box."""

from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from hub_client.errors import CheckFailedError
from schemas.verdict import Verdict
from tests.trainer_bridge.conftest import FakeEnvironment, FakeHub


class Counting:
    """Three turns; each answer is told how many digits it had. The state keeps them."""

    turns = 3

    def __init__(self, task: dict[str, Any], seed: int) -> None:
        self.task, self.seed, self.digits = task, seed, []
        self.branches: list[Counting] = []
        self.is_closed = False

    def reset(self) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": self.task["prompt"]}], "tools": []}

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        text = message["content"]
        self.digits.append(sum(character.isdigit() for character in text) / max(len(text), 1))
        said = {"role": "user", "content": f"ZZ{len(self.digits)}"}
        return {"messages": [said], "done": len(self.digits) >= self.turns, "rewards": {"digits": self.digits[-1]}}

    def state(self) -> dict[str, Any]:
        return {"digits": self.digits, "seed": self.seed}

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        raise CheckFailedError(f"there is no tool {name!r}")

    def branch(self) -> "Counting":
        twin = type(self)(self.task, self.seed)
        twin.digits = list(self.digits)
        self.branches.append(twin)
        return twin

    def undo(self) -> None:
        self.digits.pop()

    def close(self) -> None:
        self.is_closed = True


class Dying(Counting):
    """Its box is lost in the second turn of odd tasks."""

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.digits and int(self.task["id"].rpartition("-")[2]) % 2:
            raise CheckFailedError("the session's process has ended")
        return super().step(message)


class Runner:
    """What a harness uses of a runner."""

    most_sessions = 0

    def __init__(self, make: Callable[[dict[str, Any], int], Any]) -> None:
        self.make, self.opened, self.closed = make, [], 0

    @contextmanager
    def session(self, package, task, *, seed):
        live = self.make(task, seed)
        self.opened.append(live)
        try:
            yield live
        finally:
            self.closed += 1


class SessionEnvironment(FakeEnvironment):
    """Judged by the state that the session left: the mean share of digits."""

    def __init__(self, **given):
        super().__init__(name="test/counting", **given)
        self.manifest = self.manifest.model_copy(update={"session": "test_counting:Session"})
        self.package = None
        self.states: list[dict[str, Any]] = []
        self.outcome: float | None = None
        """What every rollout earns in the end; None: the mean share of digits."""

    async def score_stream(self, pairs):
        index = 0
        async for _, request in pairs:
            self.states.append(request.state)
            digits = request.state["digits"]
            mean = sum(digits) / max(len(digits), 1)
            yield index, Verdict(rewards={"digits": mean if self.outcome is None else self.outcome})
            index += 1


class SessionHub(FakeHub):
    """A hub of one such environment."""

    def __init__(self, make=Counting):
        super().__init__(SessionEnvironment())
        self.played = Runner(make)

    def runner(self):
        return self.played

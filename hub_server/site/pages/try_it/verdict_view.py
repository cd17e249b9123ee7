"""The view model of a verdict: the sum and its maximum, what was not judged, and whose fault an error was."""

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.weighted_sum import sum_range
from schemas.verdict import ErrorKind, Verdict


@dataclass(frozen=True)
class Fault:
    """One kind of error, as readers see it."""

    title: str
    whose: str


FAULTS: Mapping[str, Fault] = {
    ErrorKind.VERIFIER_FAILED: Fault(
        "The verifier failed", "Its own code raised, or broke the vector that it declares. This is its author's fault."
    ),
    ErrorKind.TIMEOUT: Fault("The time limit was reached", "The verifier did not answer within its declared limit."),
    ErrorKind.MEMORY: Fault("The memory limit was reached", "The verifier needed more memory than it declares."),
    ErrorKind.OUTPUT: Fault(
        "The output limit was reached", "The verifier said more than an answer may hold, or nothing that can be read."
    ),
    ErrorKind.MODEL: Fault(
        "No model answered",
        "The verifier asks a model, and none is offered here, or its answer did not come, was empty, or would cost "
        "more than is allowed.",
    ),
    ErrorKind.HOST: Fault(
        "The sandbox failed", "That is this hub's fault, not the verifier's: nothing was judged. Try again."
    ),
}


@dataclass(frozen=True)
class VerdictView:
    """What came out of judging one response."""

    verdict: Verdict
    sum: float | None
    most: float
    unjudged: list[str]
    closed_gates: list[str]
    accepted: bool | None
    below: list[str]
    """Scores and gates that do not reach their threshold."""
    milliseconds: float | None
    opposite: str
    """The label of a counter-example that says this verdict is wrong."""


def view_of_verdict(
    verdict: Verdict, declared: Mapping[str, RewardDeclaration], milliseconds: float | None = None
) -> VerdictView:
    """Sum, its maximum over *all* scores, and what was left out of it."""
    judged = dict(verdict.rewards)
    closed = [
        name
        for name, reward in declared.items()
        if reward.role is RewardRole.GATE and (value := judged.get(name)) is not None and value < reward.threshold
    ]
    accepted = verdict.accepts(dict(declared))
    return VerdictView(
        verdict=verdict,
        sum=verdict.weighted_sum(dict(declared)),
        most=sum_range(declared.values())[1],
        unjudged=[name for name in declared if judged.get(name) is None],
        closed_gates=closed,
        accepted=accepted,
        below=[
            name
            for name, reward in declared.items()
            if reward.role is not RewardRole.METRIC
            and (value := judged.get(name)) is not None
            and value < reward.threshold
        ],
        milliseconds=milliseconds,
        opposite="incorrect" if accepted else "correct",
    )

"""A verdict: named rewards, each a number or null, and an error that says whose fault a null is."""

from enum import StrEnum
from typing import Any, Self

from pydantic import Field

from schemas.base import WireModel
from schemas.judge_model import JudgeCall
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.weighted_sum import weighted_sum


class ErrorKind(StrEnum):
    """Why something could not be judged. Only ``host`` is a fault of the sandbox, and only it is retried elsewhere."""

    VERIFIER_FAILED = "verifier_failed"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    MODEL = "model"
    """The model that the verifier asks was not offered, did not answer, or had no budget left."""
    HOST = "host"


class VerdictError(WireModel):
    """Why a verdict, or a part of it, is null. ``message`` may hold the author's traceback and is safe to show."""

    kind: ErrorKind
    message: str = ""


class Verdict(WireModel):
    """The reward vector. ``None`` = could not be judged. It is counted apart and never treated as 0."""

    rewards: dict[str, float | None]
    info: dict[str, Any] = Field(default_factory=dict)
    error: VerdictError | None = None
    asked: list[JudgeCall] = Field(default_factory=list)
    """What the verifier asked a model for this verdict, in order. Recorded by the sandbox, not by the package."""

    @classmethod
    def unjudged(cls, names: list[str], kind: ErrorKind, message: str) -> Self:
        """Every reward null, with the reason."""
        return cls(rewards=dict.fromkeys(names), error=VerdictError(kind=kind, message=message))

    def accepts(self, declared: dict[str, RewardDeclaration]) -> bool | None:
        """Does every score and gate reach its threshold? ``None`` when one of them was not judged."""
        judged = [
            (self.rewards.get(name), reward.threshold)
            for name, reward in declared.items()
            if reward.role is not RewardRole.METRIC
        ]
        if any(value is not None and value < threshold for value, threshold in judged):
            return False
        return None if any(value is None for value, _ in judged) else True

    def weighted_sum(self, declared: dict[str, RewardDeclaration]) -> float | None:
        """The sum of the weighted scores, 0 if a gate is closed; ``None`` when it is not known.

        What was not judged never counts as 0: the rule is :func:`schemas.measures.weighted_sum.weighted_sum`.
        """
        return weighted_sum(self.rewards, declared)


class JudgeRequest(WireModel):
    """What to judge: a task (whole, or by id within the release) and what the model did."""

    id: str = ""
    """Not needed here: one request has one answer."""
    task: dict[str, Any] | None = None
    task_id: str | None = None
    split: str | None = None
    response: str | None = None
    messages: list[dict[str, Any]] | None = None
    state: dict[str, Any] | None = None
    files: dict[str, str] | None = None


class ScoreRequest(JudgeRequest):
    """One line of a scoring stream. Answers come in any order; ``id`` says which request an answer belongs to."""

    id: str


class ScoreLine(WireModel):
    """One line of the answer, in completion order."""

    id: str
    verdict: Verdict

"""Two verifiers on the same cases: where they agree, where they part, how far their rewards are from each other."""

from typing import Any, Literal

from schemas.audit import Label, Rate
from schemas.base import WireModel


class Disagreement(WireModel):
    """One case that one accepts and the other does not; ``None`` = not judged. ``sides_with`` is the label's side."""

    case: str
    label: Label
    first: bool | None
    second: bool | None
    first_rewards: dict[str, float | None]
    second_rewards: dict[str, float | None]
    sides_with: Literal["first", "second", "neither"]
    task: dict[str, Any] | None = None
    response: str | None = None


class RewardDistance(WireModel):
    """0: the same preferences over responses to each task; 1: the opposite ones. With a 95 % bootstrap interval."""

    value: float
    low: float
    high: float


class VerifierComparison(WireModel):
    """``counts["accepted/rejected"]``: accepted by the first, rejected by the second; ``null`` = not judged."""

    first: str
    second: str
    case_count: int
    counts: dict[str, int]
    agreement: Rate
    kappa: float | None
    """Cohen's kappa: agreement beyond chance. None where chance already explains all."""
    distance: RewardDistance | None
    """None where too few tasks have two judged responses."""
    disagreements: list[Disagreement]

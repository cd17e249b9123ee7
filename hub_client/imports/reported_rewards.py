"""What a stranger's environment says of itself in a box, and the reward declarations that this makes."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, FiniteFloat, StringConstraints, ValidationError

from hub_client.imports.draft import ImportRefusedError
from schemas.names import RewardName

_METRIC = 1e6
"""A metric may lie within this, unless more was seen."""


class RewardReport(BaseModel):
    """Nothing in it is taken on trust."""

    rewards: dict[RewardName, tuple[FiniteFloat, FiniteFloat, FiniteFloat]] = Field(min_length=1)
    """Name -> weight, lowest and highest value seen. Weight 0: a metric."""
    form: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^`]*\{answer\}[^`]*$")] | None = None
    """How a right answer is written."""
    tasks: int = Field(ge=0)
    turns: bool = False
    """Whether an episode has several turns."""
    same: tuple[int, int] = (0, 0)
    """Of the results that the source recorded, so many are the same again, of so many."""


def read_report(told: Mapping[str, Any]) -> RewardReport:
    """``told`` as it is meant. Raises :class:`ImportRefusedError` with the reason that it gives, or for nonsense."""
    if told.get("refused"):
        raise ImportRefusedError(" ".join(str(told["refused"]).split())[:300])
    try:
        return RewardReport.model_validate(told)
    except ValidationError as error:
        raise ImportRefusedError(f"what its code told of itself cannot be read: {error.errors()[0]['msg']}") from None


def declared(told: RewardReport, said: str) -> dict[str, dict[str, Any]]:
    """Name -> declaration. The heaviest decides what is accepted; ``said`` describes each."""
    heaviest = max(weight for weight, _, _ in told.rewards.values())
    if heaviest <= 0:
        raise ImportRefusedError("none of its rewards has a positive weight")
    made: dict[str, dict[str, Any]] = {}
    for name, (weight, low, high) in told.rewards.items():
        span = [min(0.0, low), max(1.0, high)]
        if weight == 0:
            made[name] = {"description": said, "role": "metric", "range": [min(-_METRIC, low), max(_METRIC, high)]}
        else:
            threshold = span[1] if weight == heaviest else span[0]
            made[name] = {"description": said, "weight": weight, "range": span, "threshold": threshold}
    return made


def form_words(form: str | None) -> str:
    """A sentence for the README: how right answers are written among the cases."""
    if form is None:
        return "No form of the tasks' answers got full marks, so that no right answer is among the cases."
    return f"Right answers among the cases are written as `{form}`: the usual form that is accepted most often."

"""What an imported environment's code reports from a box about its rewards, and the declarations made of it."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, FiniteFloat, StringConstraints, ValidationError

from hub_client.imports.draft import ImportRefusedError
from schemas.judge_model import JudgeNeeds, JudgePrompt
from schemas.names import RewardName

_METRIC = 1e6
"""The range of a metric, unless larger values were seen."""


class RewardReport(BaseModel):
    """The report. It comes from a stranger's code, so every field is validated."""

    rewards: dict[RewardName, tuple[FiniteFloat, FiniteFloat, FiniteFloat]] = Field(min_length=1)
    """Name -> weight, lowest and highest value seen. Weight 0: a metric."""
    form: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^`]*\{answer\}[^`]*$")] | None = None
    """The form of a response that the rewards accept; ``{answer}`` stands for the answer."""
    tasks: int = Field(ge=0)
    turns: bool = False
    """Whether an episode has several turns."""
    prompts: list[JudgePrompt] = Field(default=[], max_length=20)
    """What a model is asked to judge a response; ``{place}`` stands for a text of the task or the response."""
    calls: int = Field(default=0, ge=0, le=64)
    """The most model calls for one response."""
    same: tuple[int, int] = (0, 0)
    """(results that came out the same again, results that the source had recorded)."""


def read_report(told: Mapping[str, Any]) -> RewardReport:
    """Parse the report. Raises :class:`ImportRefusedError` where it refuses with a reason, or cannot be read."""
    if told.get("refused"):
        raise ImportRefusedError(" ".join(str(told["refused"]).split())[:300])
    try:
        return RewardReport.model_validate(told)
    except ValidationError as error:
        raise ImportRefusedError(f"what its code reported cannot be read: {error.errors()[0]['msg']}") from None


def declared(told: RewardReport, said: str) -> dict[str, dict[str, Any]]:
    """Reward -> its declaration in the manifest. The reward with the largest weight decides what is accepted."""
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


def asked_model(told: RewardReport, max_tokens: int) -> dict[str, Any]:
    """``[model]`` of the manifest, without the model's name; empty where no model is asked."""
    if not told.prompts:
        return {}
    prompts = {f"judge_{number}": prompt for number, prompt in enumerate(told.prompts, 1)}
    try:
        needs = JudgeNeeds(calls=max(told.calls, 1), max_tokens=max_tokens, prompts=prompts)
    except ValidationError as error:
        raise ImportRefusedError(
            f"it asks a model in a way that cannot be pinned: {error.errors()[0]['msg']}"
        ) from None
    return {"max_tokens": max_tokens, **needs.model_dump(mode="json", exclude_defaults=True)}


def form_words(form: str | None) -> str:
    """A sentence for the README about the form of right answers in the cases."""
    if form is None:
        return "No form of the tasks' answers got the full reward, so the cases hold no right answer."
    return f"Right answers among the cases are written as `{form}`: the usual form that is accepted most often."

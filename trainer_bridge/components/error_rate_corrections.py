"""Shapers that correct rewards of 0 or 1 for the known error rates of the verifier.

Without correction and with constant rates, the expected policy gradient is (1 - fpr - fnr) times the right one. In one
environment that is a smaller step in the same direction. With several environments of different rates, their gradients
are added in the wrong proportion, so the direction is wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from schemas.known_audit import KnownAudit, rate_in_words
from schemas.manifest import RewardRole
from schemas.wording import counted
from trainer_bridge.batch import Batch
from trainer_bridge.components.advantages import refuse_normalised_utility
from trainer_bridge.components.contract import RunFacts, Share
from trainer_bridge.errors import RecipeError
from trainer_bridge.rewards import RewardSpace

Rates = Share | tuple[Share, ...]
"""One rate for all environments, or one for each in the order of the run's targets."""
LEAST_SURE = 0.5
"""Least lower end of the 95 % interval of 1 - FPR - FNR, as a share of the estimate. Below it nothing is corrected.

The correction divides by that number. At one half, the corrected reward may be twice what it should be.
"""
_CANCELLING = ("ones", "token_group")


@dataclass(frozen=True)
class BackwardCorrection:
    """u' = (u - fpr) / (1 - fpr - fnr): its mean is 1 over verdicts on a right answer and 0 on a wrong one.

    So the policy gradient is unbiased if the verifier errs at these rates independently of the answer. ``rates``
    "audit" takes both rates from the independent evidence of the audit; "given" takes ``fpr`` and ``fnr`` of the
    recipe. An advantage that divides by the group's standard deviation cancels the correction, so it is refused. With
    one that subtracts the group's mean, only the factor 1 / (1 - fpr - fnr) remains. Source: arXiv 2510.00915, backward
    correction [C].
    """

    name: ClassVar[str] = "backward_correction"
    rates: Literal["given", "audit"] = "given"
    fpr: Rates | None = None
    fnr: Rates | None = None

    def __post_init__(self) -> None:
        _refuse_useless(self.fpr, self.fnr)

    def check(self, recipe: Any) -> None:
        refuse_normalised_utility(self.name, recipe)
        advantage = recipe.advantage
        if advantage.name in _CANCELLING or getattr(advantage, "scale", None) in ("group", True):
            raise RecipeError(
                f"backward_correction does nothing under advantage {advantage.name}, which divides a group's utilities "
                'by their spread: use { name = "group", scale = "none" }, rloo or identity'
            )

    def for_run(self, facts: RunFacts) -> "BackwardCorrection":
        if self.rates == "given":
            return self
        found = audited_rates(facts, self.name)
        return replace(self, fpr=tuple(fpr for fpr, _ in found), fnr=tuple(fnr for _, fnr in found))

    def check_run(self, facts: RunFacts) -> None:
        _refuse_no_rates(self.name, {"fpr": self.fpr, "fnr": self.fnr}, facts)
        refuse_other_rewards(self.name, facts)

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        _refuse_between(self.name, utility_B)
        fpr_B, fnr_B = _by_row(self.fpr, batch, utility_B), _by_row(self.fnr, batch, utility_B)
        return (utility_B - fpr_B) / (1 - fpr_B - fnr_B)


@dataclass(frozen=True)
class ForwardCorrection:
    """u' = fnr - 1 where the verdict is 0, and fnr where it is 1: weights of the score function, under ``identity``.

    On average a right answer has weight 0 and a wrong one -(1 - fpr - fnr). So the expected gradient is (1 - fpr - fnr)
    times the right one. Only the FNR is needed, and the variance is lower than with the backward correction. The factor
    is not removed, so gradients of environments with different rates stay in the wrong proportion. A baseline would
    cancel the shift, so every advantage except ``identity`` is refused. Source: arXiv 2510.00915, forward correction
    [C]; the weights follow from the two means, which a test checks.
    """

    name: ClassVar[str] = "forward_correction"
    rates: Literal["given", "audit"] = "given"
    fnr: Rates | None = None

    def check(self, recipe: Any) -> None:
        refuse_normalised_utility(self.name, recipe)
        if recipe.advantage.name != "identity":
            raise RecipeError(
                f"forward_correction shifts every reward alike, and advantage {recipe.advantage.name} takes the shift "
                "out again: use advantage 'identity', or backward_correction"
            )

    def for_run(self, facts: RunFacts) -> "ForwardCorrection":
        if self.rates == "given":
            return self
        return replace(self, fnr=tuple(fnr for _, fnr in audited_rates(facts, self.name)))

    def check_run(self, facts: RunFacts) -> None:
        _refuse_no_rates(self.name, {"fnr": self.fnr}, facts)
        refuse_other_rewards(self.name, facts)

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        _refuse_between(self.name, utility_B)
        return utility_B - 1 + _by_row(self.fnr, batch, utility_B)


def audited_rates(facts: RunFacts, name: str) -> list[tuple[float, float]]:
    """(FPR, FNR) of each environment's verifier, from the independent evidence of its audit.

    Raises:
        RecipeError: there is no audit or no independent evidence on a side, the verifier is no better than chance, or
            too little was measured to correct by it (see ``LEAST_SURE``).

    """
    found = []
    for package in facts.environments:
        known = facts.audits.get(package)
        fault = _why_not(known)
        if fault or known is None or known.independent is None:
            raise RecipeError(
                f'{name} with rates = "audit": the verifier of {package} {fault}. Give rates of your own (rates = '
                '"given", fpr, fnr), or leave the correction out'
            )
        fpr, fnr = known.independent.fpr.value, known.independent.fnr.value
        assert fpr is not None
        assert fnr is not None
        found.append((fpr, fnr))
    return found


def _why_not(known: KnownAudit | None) -> str:
    """Why an audit's rates cannot be used to correct rewards, or an empty string."""
    if known is None:
        return "has no audit that could be read"
    evidence = known.independent
    if evidence is None or evidence.fpr.value is None or evidence.fnr.value is None:
        return "has no independent evidence on both sides: its author's own cases are no sample of answers"
    words = f"FPR {rate_in_words(evidence.fpr)}, FNR {rate_in_words(evidence.fnr)}"
    left = 1 - evidence.fpr.value - evidence.fnr.value
    if left <= 0:
        return f"is no better than chance ({words}): FPR + FNR is at least 1, which would turn the sign of rewards"
    if evidence.j is None or evidence.j.low < LEAST_SURE * left:
        low = "is unknown" if evidence.j is None else f"may be as low as {evidence.j.low:.2f}"
        return f"is measured on too few cases ({words}): 1 - FPR - FNR is {left:.2f} and {low}, less than half of it"
    return ""


def refuse_other_rewards(name: str, facts: RunFacts) -> None:
    """Raise RecipeError for an environment whose utility is not one verdict of 0 or 1."""
    for package, space in facts.environments.items():
        if int((space.weights_K() != 0).sum()) > 1:
            raise RecipeError(f"{name} is for one reward of 0 or 1; {package} declares several scores")
        if _is_scaled(space):
            raise RecipeError(
                f"{name} is for one reward of 0 or 1 with weight 1 and a threshold above 0; {package} declares "
                "another weight, range or threshold"
            )


def _is_scaled(space: RewardSpace) -> bool:
    scores = [one for one in space.declarations.values() if one.role is RewardRole.SCORE and one.weight != 0]
    return any(one.weight != 1 or tuple(one.range) != (0, 1) or not 0 < one.threshold <= 1 for one in scores)


def _refuse_between(name: str, utility_B: Tensor) -> None:
    """Raise for a verdict between 0 and 1, for which there is no error rate."""
    judged = utility_B[~utility_B.isnan()]
    between = judged[(judged != 0) & (judged != 1)]
    if len(between):
        raise RecipeError(f"{name} is for rewards of 0 or 1, and a verifier gave {float(between[0]):g}: leave it out")


def _refuse_no_rates(name: str, rates: Mapping[str, Rates | None], facts: RunFacts) -> None:
    for parameter, rate in rates.items():
        if rate is None:
            raise RecipeError(f'{name} needs {parameter}: give it, or take it from the audit with rates = "audit"')
        if isinstance(rate, tuple) and len(rate) != len(facts.environments):
            raise RecipeError(
                f"{name}.{parameter} has {counted(len(rate), 'rate')} for {counted(len(facts.environments), 'target')}"
            )


def _refuse_useless(fpr: Rates | None, fnr: Rates | None) -> None:
    if fpr is None or fnr is None:
        return
    first, second = _spread(fpr, fnr)
    if not all(one + other < 1 for one, other in zip(first, second, strict=False)):
        raise ValueError("fpr + fnr must be below 1: otherwise the verifier is no better than chance")


def _spread(fpr: Rates, fnr: Rates) -> tuple[Sequence[float], Sequence[float]]:
    """Both rates as tuples with one rate for each environment."""
    size = max(len(rate) if isinstance(rate, tuple) else 1 for rate in (fpr, fnr))
    first, second = (rate if isinstance(rate, tuple) else (rate,) * size for rate in (fpr, fnr))
    return first, second


def _by_row(rates: Rates | None, batch: Batch, like_B: Tensor) -> Tensor:
    """Each row's rate, by its environment."""
    if rates is None:
        raise RuntimeError("the correction was not given its rates")
    if isinstance(rates, float | int):
        return torch.full_like(like_B, float(rates))
    if batch.environment_B is None:
        return torch.full_like(like_B, rates[0])
    return torch.tensor(rates, dtype=like_B.dtype, device=like_B.device)[batch.environment_B]

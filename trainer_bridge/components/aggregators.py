"""Aggregators compute one number for each row from its reward vector: rewards_BK -> utility_B (NaN: the row is left
out).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from schemas.manifest import RewardRole
from trainer_bridge.batch import Batch, group_mean, group_std, is_constant
from trainer_bridge.components.contract import NotNegative, Positive, RunFacts, Share
from trainer_bridge.errors import RecipeError
from trainer_bridge.rewards import behind_gates, has_unjudged_gate, weighted_sum

# Each reward normalised within its group, the first half of MO-GRPO and GDPO


def refuse_second_normalisation(name: str, recipe: Any, wanted: str) -> None:
    """Raise RecipeError if the advantage would normalise within the group again after the aggregator."""
    if getattr(recipe.advantage, "normalises", False):
        raise RecipeError(
            f"aggregator {name} normalises each reward in its group, and advantage {recipe.advantage.name} would do so "
            f"again: use advantage {wanted!r}"
        )


def normalised_sum(batch: Batch, eps: float) -> Tensor:
    """sum_k w_k (R_k - mean_g R_k) / (std_g R_k + eps), float64 [B]; NaN if no score or not every gate was judged.

    A reward that does not vary within a group, or was not judged, contributes exactly 0 there. In rows with a closed
    gate every reward counts as the minimum of its range, so an easy reward is earned only together with the gate.
    """
    weights_K = batch.space.weights_K().to(batch.rewards_BK.device)
    rewards_BK = behind_gates(batch.rewards_BK, batch.space)
    total_B = torch.zeros(len(batch.group_B), dtype=torch.float64, device=batch.rewards_BK.device)
    judged_B = torch.zeros(len(batch.group_B), dtype=torch.bool, device=batch.rewards_BK.device)
    for column, weight in enumerate(weights_K.tolist()):
        if weight == 0:
            continue
        values_B = rewards_BK[:, column]
        valid_B = ~values_B.isnan()
        values_B = values_B.nan_to_num(0.0)
        centred_B = values_B - group_mean(values_B, batch.group_B, valid_B)
        scaled_B = centred_B / (group_std(values_B, batch.group_B, valid_B) + eps)
        silent_B = ~valid_B | is_constant(values_B, batch.group_B, valid_B)
        total_B += torch.where(silent_B, torch.zeros_like(scaled_B), weight * scaled_B)
        judged_B |= valid_B
    judged_B &= ~has_unjudged_gate(batch.rewards_BK, batch.space, batch.declared_BK)
    return torch.where(judged_B, total_B, torch.full_like(total_B, float("nan")))


# The declared weighted sum, 0 behind a closed gate


@dataclass(frozen=True)
class WeightedSum:
    """u = sum_k w_k R_k, 0 behind a closed gate, NaN where no score or not every gate was judged.

    Weights, roles and thresholds are those that the environment declares. If some scores were not judged, the sum over
    the others is scaled up to the weight of all, as in ``Verdict.weighted_sum`` (TRL counts such a score as 0).
    """

    name: ClassVar[str] = "weighted_sum"

    def __call__(self, batch: Batch) -> Tensor:
        return weighted_sum(batch.rewards_BK, batch.space, batch.declared_BK)


# Soft gates times weighted utility, after SearchLLM


@dataclass(frozen=True)
class Gated:
    """u = exp(mean_i log((s_i + d) / (1 + d))) * sum_j w_j R_j / sum_j w_j, s over gates, j over scores.

    One failed gate of m does not zero the sum: it leaves (d / (1 + d))^(1/m). Without gates the factor is 1.
    Source: arXiv 2603.10473 [B]. Default d = 0.01. Rows with an unjudged gate or no judged score are NaN.
    """

    name: ClassVar[str] = "gated"
    floor: Positive = 0.01

    def __call__(self, batch: Batch) -> Tensor:
        rewards_BK, weights_K = batch.rewards_BK, batch.space.weights_K().to(batch.rewards_BK.device)
        gates_BK = batch.declared_BK & batch.space.has_role_K(RewardRole.GATE).to(rewards_BK.device)
        logs_BK = ((rewards_BK + self.floor) / (1 + self.floor)).log()
        logs_BK = torch.where(gates_BK, logs_BK, torch.zeros_like(logs_BK))  # a gate that was not judged stays NaN
        factor_B = (logs_BK.sum(-1) / gates_BK.sum(-1).clamp(min=1)).exp()
        total_B = (~rewards_BK.isnan() * weights_K).sum(-1)
        utility_B = (rewards_BK.nan_to_num(0.0) * weights_K).sum(-1) / total_B
        return factor_B * utility_B


# C-GRPO: the rubric reward counts only with a right outcome


@dataclass(frozen=True)
class OutcomeGated:
    """u = 0 if R_out = 0, else (1 - a) R_out + a R_rubric.

    Source: arXiv 2601.06021, THUDM/CaRR [A]; a = 0.3. ``variant``: "official_code" takes the rubric reward as it is
    (its scripts' normalise flag has no effect there); "normalised" divides it by the group's largest.
    """

    name: ClassVar[str] = "outcome_gated"
    outcome: str = "correct"
    rubric: str = "rubric"
    share: Share = 0.3
    variant: Literal["official_code", "normalised"] = "official_code"

    def check_run(self, facts: RunFacts) -> None:
        for package, space in facts.environments.items():
            for wanted in (self.outcome, self.rubric):
                if wanted not in space.names:
                    known = ", ".join(space.names)
                    raise RecipeError(f"outcome_gated needs a reward {wanted!r}; those of {package} are {known}")

    def __call__(self, batch: Batch) -> Tensor:
        outcome_B = batch.rewards_BK[:, batch.space.names.index(self.outcome)]
        rubric_B = batch.rewards_BK[:, batch.space.names.index(self.rubric)]
        if self.variant == "normalised":
            rubric_B = rubric_B / _group_max(rubric_B, batch.group_B).clamp(min=1e-12)
        mixed_B = (1 - self.share) * outcome_B + self.share * rubric_B
        return torch.where(outcome_B == 0, torch.zeros_like(mixed_B), mixed_B)


def _group_max(values_B: Tensor, group_B: Tensor) -> Tensor:
    size = int(group_B.max()) + 1
    highest = torch.zeros(size, dtype=values_B.dtype, device=values_B.device)
    return highest.scatter_reduce(0, group_B, values_B.nan_to_num(0.0), "amax")[group_B]


# GDPO: normalise each reward within its group, sum, then whiten over the batch (advantage ``batch_norm``)


@dataclass(frozen=True)
class Gdpo:
    """u = sum_k w_k (R_k - mean_g) / (std_g + eps); advantage ``batch_norm`` is the other half.

    Unlike a normalised sum, it tells reward vectors apart: (1,1)/(0,0) gets twice the advantage of (0,1)/(0,0).
    Gates are applied first. The paper conditions easy rewards on hard ones; doing it by gates is our choice [D].
    Source: arXiv 2601.05242, NVlabs/GDPO [A]. eps 1e-4 (its TRL fork); verl has 1e-6.
    """

    name: ClassVar[str] = "gdpo"
    normalises: ClassVar[bool] = True
    eps: NotNegative = 1e-4

    def check(self, recipe: Any) -> None:
        refuse_second_normalisation(self.name, recipe, "batch_norm")

    def __call__(self, batch: Batch) -> Tensor:
        return normalised_sum(batch, self.eps)


# MO-GRPO: normalise each reward within its group, then sum


@dataclass(frozen=True)
class MoGrpo:
    """u = sum_k w_k (R_k - mean_g) / (std_g + eps); use with advantage ``identity``.

    A weight is then the importance of a reward: scaling a reward's values changes nothing.
    Source: arXiv 2509.22047 [C]. std unbiased, eps 1e-4 as in TRL.
    """

    name: ClassVar[str] = "mo_grpo"
    normalises: ClassVar[bool] = True
    eps: NotNegative = 1e-4

    def check(self, recipe: Any) -> None:
        refuse_second_normalisation(self.name, recipe, "identity")

    def __call__(self, batch: Batch) -> Tensor:
        return normalised_sum(batch, self.eps)


# Rewards in strict order of importance


@dataclass(frozen=True)
class Lexicographic:
    """u ranks rows of the batch by the first reward, ties by the second, and so on; u in [0, 1].

    ``order`` names the rewards, most important first (default: by falling declared weight). Values closer than
    ``tolerance`` count as equal. u is the share of distinct vectors that a row's vector beats, so equal vectors get
    equal utility. Rows are ranked among those of their own environment, by the rewards that it declares. A row with an
    unjudged ordered reward is NaN. Source: own, in the spirit of lexicographic RL [D].
    """

    name: ClassVar[str] = "lexicographic"
    order: tuple[str, ...] = ()
    tolerance: Positive = 1e-6

    def check_run(self, facts: RunFacts) -> None:
        for name in self.order:
            if not any(name in space.names for space in facts.environments.values()):
                known = sorted({known for space in facts.environments.values() for known in space.names})
                raise RecipeError(f"lexicographic.order names {name!r}; the rewards are {', '.join(known)}")
        for package, space in facts.environments.items():
            if self.order and not set(self.order) & set(space.names):
                raise RecipeError(f"lexicographic.order names no reward of {package}: its samples could not be ranked")

    def __call__(self, batch: Batch) -> Tensor:
        columns = [batch.space.names.index(name) for name in self._ordered(batch)]
        declared_BK = batch.declared_BK[:, columns]
        # A reward that the row's environment does not declare has the same value in all its rows, so it cannot change
        # their order.
        values_BK = torch.where(
            declared_BK, batch.rewards_BK[:, columns], torch.zeros_like(batch.rewards_BK[:, columns])
        )
        utility_B = torch.full((len(values_BK),), float("nan"), dtype=torch.float64, device=values_BK.device)
        ordered_BK = (values_BK / self.tolerance).round()
        for declared_K in declared_BK.unique(dim=0):  # environments that declare the same rewards are ranked together
            rows_B = (declared_BK == declared_K).all(-1) & ~ordered_BK.isnan().any(-1) & declared_K.any()
            distinct, place = torch.unique(ordered_BK[rows_B], dim=0, return_inverse=True)
            utility_B[rows_B] = place.double() / max(len(distinct) - 1, 1)
        return utility_B

    def _ordered(self, batch: Batch) -> tuple[str, ...]:
        if self.order:
            return self.order
        weights = dict(zip(batch.space.names, batch.space.weights_K().tolist(), strict=True))
        return tuple(sorted((name for name in weights if weights[name]), key=lambda name: -weights[name]))

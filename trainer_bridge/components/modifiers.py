"""Modifiers change advantages token by token: advantages_BT -> advantages_BT."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, group_count, group_mean, need, quantile_of
from trainer_bridge.components.advantages import Group, refuse_normalised_utility
from trainer_bridge.components.contract import Count, NotNegative, Positive, Share
from trainer_bridge.errors import RecipeError

# GRPO-LEAD: hard prompts have more weight


def difficulty_weight(x: Tensor) -> Tensor:
    """w(x) = 0.4 + 1.1 / (1 + exp(10 (x - 0.75)))."""
    return 0.4 + 1.1 / (1 + torch.exp(10 * (x - 0.75)))


@dataclass(frozen=True)
class Lead:
    """A > 0 is multiplied by w(q), A <= 0 by w(1 - q); q = share of the group's rows with positive utility.

    Source: arXiv 2504.09696, GRPO-LEAD [A]. Goes with shaper ``lead_length``.
    """

    name: ClassVar[str] = "lead"

    def check(self, recipe: Any) -> None:
        refuse_normalised_utility(self.name, recipe)

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        solved_B = group_mean((utility_B.nan_to_num(0.0) > 0).double(), batch.group_B, valid_B)
        up_B, down_B = difficulty_weight(solved_B), difficulty_weight(1 - solved_B)
        return advantages_BT * torch.where(advantages_BT > 0, up_B[:, None], down_B[:, None]).to(advantages_BT)


# HAPO's entropy score, and the advantages scaled by it


def entropy_score(entropy_N: Tensor, quantile: float = 0.8, variant: str = "intent") -> Tensor:
    """H in [-1, 1] for the batch's tokens: negative below the quantile of log entropy, positive above.

    l = log max(H, 1e-8), Q its nearest-rank quantile, s = sqrt(mean (l - Q)^2), z = (l - Q) / s; h = z / max z+ above,
    z / |min z-| below. ``variant`` "official_code" divides by min z- itself: h >= 0 everywhere, the low branch is dead.
    """
    logs_N = entropy_N.clamp(min=1e-8).log()
    if not len(logs_N):
        return logs_N
    centre = quantile_of(logs_N, quantile, nearest=True)
    scale = (logs_N - centre).pow(2).mean().sqrt()
    if scale == 0:
        return torch.zeros_like(logs_N)
    z_N = (logs_N - centre) / scale
    low = z_N.min() if variant == "official_code" else z_N.min().abs()
    positive_N = z_N / z_N.max().clamp(min=1e-12)
    negative_N = z_N / (low if low != 0 else torch.ones_like(low))
    return torch.where(z_N > 0, positive_N, negative_N)


@dataclass(frozen=True)
class HapoScale:
    """A (1 + b h) where (h > 0 and the ratio left the half-width clip band) or (h <= 0 and it did not).

    Source: arXiv 2509.16591 [A for the code, C for the paper]. b = 1, band .2/.28, variant "intent" or "official_code".
    """

    name: ClassVar[str] = "hapo"
    needs: ClassVar[frozenset[str]] = frozenset({"current", "old", "entropy"})
    strength: NotNegative = 1.0
    epsilon: Positive = 0.2
    epsilon_high: Positive = 0.28
    variant: Literal["intent", "official_code"] = "intent"

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every modifier has this shape
        entropy_BT = need(batch.entropy_BT, "entropy")
        score_BT = torch.zeros_like(entropy_BT)
        score_BT[batch.mask_BT] = entropy_score(entropy_BT[batch.mask_BT], variant=self.variant)
        ratio_BT = (need(batch.current_logprobs_BT, "current") - need(batch.old_logprobs_BT, "old")).exp()
        outside_BT = (ratio_BT < 1 - self.epsilon / 2) | (ratio_BT > 1 + self.epsilon_high / 2)
        chosen_BT = torch.where(score_BT > 0, outside_BT, ~outside_BT)
        return advantages_BT * torch.where(chosen_BT, 1 + self.strength * score_BT, torch.ones_like(score_BT))


# Process Reward Learning: token credit from how far the policy has moved from the reference


@dataclass(frozen=True)
class Prl:
    """A_t <- A_t - (1/eta) S[e(t)], S[t] = sum over j >= t of (lp_old - lp_ref), e(t) the first step end at or after t.

    A step ends every ``step_length`` tokens and at the completion's end. Source: arXiv 2601.10201, its code's mode
    "orm" [A]; eta 200, step length 256. Its quirk that a step of value exactly 0 takes the next step's is left out.
    """

    name: ClassVar[str] = "prl"
    needs: ClassVar[frozenset[str]] = frozenset({"old", "reference"})
    eta: Positive = 200.0
    step_length: Count = 256

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every modifier has this shape
        moved_BT = need(batch.old_logprobs_BT, "old") - need(batch.reference_logprobs_BT, "reference")
        moved_BT = moved_BT * batch.mask_BT
        suffix_BT = moved_BT.flip(-1).cumsum(-1).flip(-1)
        positions_T = torch.arange(moved_BT.shape[1], device=moved_BT.device)
        ends_T = (positions_T // self.step_length + 1) * self.step_length - 1
        ends_BT = torch.minimum(ends_T[None], (batch.length_B - 1).clamp(min=0)[:, None])
        return (advantages_BT - suffix_BT.gather(-1, ends_BT) / self.eta) * batch.mask_BT


# RLOO: the KL to the reference is paid out of the reward


@dataclass(frozen=True)
class KlReward:
    """A_i - beta (kl_i - mean of the group's other rows' kl), kl_i = sum_t (lp_old - lp_ref).

    The same as taking beta kl_i from each reward before advantage ``rloo``, which is linear; that comes too early to
    know it. A row that was not judged, or alone was judged in its group, keeps 0. Source: arXiv 2402.14740, TRL's RLOO
    trainer, whose beta is 0.05 [A].
    """

    name: ClassVar[str] = "kl_reward"
    needs: ClassVar[frozenset[str]] = frozenset({"old", "reference"})
    beta: NotNegative = 0.05

    def check(self, recipe: Any) -> None:
        if recipe.advantage.name != "rloo":
            raise RecipeError(f"{self.name} is for advantage rloo, not {recipe.advantage.name}: use regularizer kl")

    def estimate(self, logprobs_BT: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- as that of regularizer kl
        """kl_BT of the policy before this batch's updates, which is also what metric ``kl`` is the mean of."""
        return need(batch.old_logprobs_BT, "old") - need(batch.reference_logprobs_BT, "reference")

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:
        kl_B = (self.estimate(advantages_BT, batch) * batch.mask_BT).sum(-1).double()
        valid_B = ~utility_B.isnan()
        count_B = group_count(batch.group_B, valid_B)
        against_others_B = (kl_B - group_mean(kl_B, batch.group_B, valid_B)) * count_B / (count_B - 1).clamp(min=1)
        paid_B = torch.where(valid_B & (count_B > 1), self.beta * against_others_B, torch.zeros_like(kl_B))
        return advantages_BT - paid_B[:, None] * batch.mask_BT


# Rewards by turn: the tokens of a turn get its own reward and those of later turns


@dataclass(frozen=True)
class TurnReturns:
    """outcome A_i + weight Z(G[i, m]) for the tokens of turn m; G[i, m] = sum over k >= m of gamma^(k - m) r[i, k].

    r[i, k] is what the environment gave for turn k. Z subtracts the mean of the group's samples in the same turn and,
    with ``scale`` "group", divides by their std + 1e-4, as advantage ``group`` does; 0 if fewer than two samples
    reached the turn. A turn that has an unjudged reward at or after it has no return: its tokens get only the outcome's
    advantage.
    Source: arXiv 2505.11821, MT-GRPO [C]: two turns, the first of which is rewarded; 2510.01132 for more turns.
    """

    name: ClassVar[str] = "turn_returns"
    gamma: Share = 1.0
    weight: NotNegative = 1.0
    outcome: NotNegative = 1.0
    scale: Literal["group", "none"] = "group"

    def check(self, recipe: Any) -> None:
        if any(part.name == "zero_variance" for part in recipe.filters):
            raise RecipeError(
                "turn_returns also learns from groups whose outcomes are equal, which filter zero_variance drops: "
                "leave one of them out"
            )

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:
        rewards_BM, turn_BT = batch.turn_rewards_BM, batch.turn_BT
        if rewards_BM is None or turn_BT is None:  # supervised answers have no turns
            return self.outcome * advantages_BT
        turns = rewards_BM.shape[1]
        number_M = torch.arange(turns, device=rewards_BM.device)
        reached_BM = (number_M <= turn_BT.max(-1).values[:, None]) & ~utility_B.isnan()[:, None]
        returns_BM = torch.where(reached_BM, discounted_returns(rewards_BM, self.gamma), torch.nan)
        same_turn_BM = batch.group_B[:, None] * turns + number_M
        by_turn = replace(batch, group_B=same_turn_BM.flatten())
        advantages_BM = Group(scale=self.scale)(returns_BM.flatten(), by_turn).view_as(returns_BM)
        own_BT = advantages_BM.gather(1, turn_BT.clamp(min=0)) * (turn_BT >= 0)
        return self.outcome * advantages_BT + self.weight * own_BT.to(advantages_BT)


def discounted_returns(rewards_BM: Tensor, gamma: float) -> Tensor:
    """returns_BM: each turn's own reward plus the discounted later ones.

    A NaN makes the returns of this turn and of all earlier ones NaN.
    """
    returns_BM = rewards_BM.clone()
    for turn in range(rewards_BM.shape[1] - 2, -1, -1):
        returns_BM[:, turn] += gamma * returns_BM[:, turn + 1]
    return returns_BM


# EMPG: turns of low entropy get more weight, and so do the turns before them


@dataclass(frozen=True)
class Empg:
    """A g[i, m] + zeta f[i, m] for the tokens of turn m, less its mean over all turns of the batch.

    Hn[i, m] is the mean entropy of the turn's tokens, min-max normalised over the batch's turns. g = exp(-k Hn) over
    its mean over those turns; f = exp(-k_future Hn[i, m + 1]), 0 for a row's last turn. Rows that were not judged and
    turns without trained tokens are in none of these. Source: arXiv 2509.09265, project page [C].
    """

    name: ClassVar[str] = "empg"
    needs: ClassVar[frozenset[str]] = frozenset({"entropy"})
    k: NotNegative = 1.0
    k_future: NotNegative = 1.0
    zeta: NotNegative = 0.1

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:
        turn_BT = batch.turn_BT
        inside_BT = batch.mask_BT & ~utility_B.isnan()[:, None]
        if turn_BT is None or not inside_BT.any():  # supervised answers have no turns
            return advantages_BT
        place_BT = turn_BT.clamp(min=0)
        # One more turn, which is empty: the last turn has nothing after it.
        shape = (len(turn_BT), int(turn_BT.max()) + 2)

        def turn_sum(values_BT: Tensor) -> Tensor:
            sums_BM = advantages_BT.new_zeros(shape, dtype=torch.float64)
            return sums_BM.scatter_add_(1, place_BT, torch.where(inside_BT, values_BT, 0.0).double())

        count_BM = turn_sum(torch.ones_like(advantages_BT))
        is_turn_BM = count_BM > 0
        entropy_BM = turn_sum(need(batch.entropy_BT, "entropy")) / count_BM.clamp(min=1)
        low, high = entropy_BM[is_turn_BM].min(), entropy_BM[is_turn_BM].max()
        normed_BM = (entropy_BM - low) / (high - low + 1e-8)
        scale_BM = (-self.k * normed_BM).exp()
        scale_BM = scale_BM / scale_BM[is_turn_BM].mean()
        lead_BM = torch.where(is_turn_BM, (-self.k_future * normed_BM).exp(), 0.0)
        bonus_BM = self.zeta * torch.nn.functional.pad(lead_BM[:, 1:], (0, 1))
        found_BM = turn_sum(advantages_BT) / count_BM.clamp(min=1) * scale_BM + bonus_BM
        moved_BM = bonus_BM - found_BM[is_turn_BM].mean()
        found_BT = advantages_BT * scale_BM.gather(1, place_BT) + moved_BM.gather(1, place_BT)
        return torch.where(inside_BT, found_BT, 0.0).to(advantages_BT)


# An entropy term in the advantage: tokens of high entropy get more


@dataclass(frozen=True)
class EntropyAdvantage:
    """A + min(alpha H, |A| / kappa); H is not differentiated.

    Source: a baseline in the SIREN repository [A]: alpha 0.4, kappa 1.
    """

    name: ClassVar[str] = "entropy_advantage"
    needs: ClassVar[frozenset[str]] = frozenset({"entropy"})
    alpha: NotNegative = 0.4
    kappa: Positive = 1.0

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every modifier has this shape
        entropy_BT = need(batch.entropy_BT, "entropy")
        return advantages_BT + torch.minimum(self.alpha * entropy_BT, advantages_BT.abs() / self.kappa) * batch.mask_BT

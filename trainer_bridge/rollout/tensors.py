"""Converts judged rollouts to training data: a batch of tensors, and token sequences to pack."""

from collections.abc import Sequence

import torch

from schemas.verdict import Verdict
from trainer_bridge.batch import (
    Batch,
    RewardSpace,
    Rollout,
    TokenSequence,
    is_accepted,
    rewards_matrix,
    weighted_sum,
)
from trainer_bridge.learn.micro_batches import BatchRow, Piece


def as_sample(group: int, sequences: Sequence[TokenSequence]) -> BatchRow:
    """One row of a batch, from all sequences of one rollout."""
    if not sequences:
        return BatchRow(group, (), ())
    first, *others = sequences
    return BatchRow(group, first.prompt, first.tokens, tuple(Piece(one.prompt, one.tokens) for one in others))


def as_batch(rollouts: Sequence[Rollout], space: RewardSpace, device: torch.device) -> Batch:
    """A batch with one row for each rollout. Groups are renumbered from 0.

    The T axis holds the tokens of all sequences of a row, one after the other. The mask is true on tokens that the
    policy wrote, so text of an environment or a tool is never trained on.
    """
    numbers = {group: index for index, group in enumerate(dict.fromkeys(rollout.group for rollout in rollouts))}
    turn_BT, logprobs_BT = masked([rollout.sequences for rollout in rollouts])
    return Batch(
        group_B=torch.tensor([numbers[rollout.group] for rollout in rollouts]).to(device),
        mask_BT=(turn_BT >= 0).to(device),
        rewards_BK=rewards_matrix([rollout.verdict for rollout in rollouts], space).to(device),
        space=space,
        truncated_B=torch.tensor([rollout.truncated for rollout in rollouts]).to(device),
        sampler_logprobs_BT=logprobs_BT.to(device),
        environment_B=torch.tensor([rollout.draw.environment for rollout in rollouts]).to(device),
        turn_BT=turn_BT.to(device),
        turn_rewards_BM=_turn_rewards(rollouts, space).to(device),
    )


def masked(rows: Sequence[Sequence[TokenSequence]]) -> tuple[torch.Tensor, torch.Tensor]:
    """(turn_BT, logprobs_BT): the number of the model call that wrote each token (-1: only read), and its
    log-probability.
    """
    width = max(1, *(sum(len(one.tokens) for one in sequences) for sequences in rows))
    turn_BT = torch.full((len(rows), width), -1)
    logprobs_BT = torch.zeros(len(rows), width)
    for row, sequences in enumerate(rows):
        calls = torch.tensor([number for one in sequences for number in one.call], dtype=torch.long)
        turn_BT[row, : len(calls)] = calls
        logprobs_BT[row, : len(calls)] = torch.tensor([value for one in sequences for value in one.logprobs])
    return turn_BT, logprobs_BT


def _turn_rewards(rollouts: Sequence[Rollout], space: RewardSpace) -> torch.Tensor:
    """turn_rewards_BM: the weighted sum of the rewards of each turn's steps, by the same rules as for a verdict.

    A reward that an environment gives for no step is left out of the sum: it is judged only at the end.
    """
    totals_BM = torch.zeros(len(rollouts), max(1, *(rollout.turns for rollout in rollouts)), dtype=torch.float64)
    steps = [(row, turn, rewards) for row, one in enumerate(rollouts) for turn, rewards in one.turn_rewards]
    if steps:
        rewards_NK = rewards_matrix([Verdict(rewards=dict(rewards)) for _, _, rewards in steps], space)
        environment_N = torch.tensor([rollouts[row].draw.environment for row, _, _ in steps])
        given_NK = torch.zeros_like(rewards_NK, dtype=torch.bool)
        for number in environment_N.unique():
            own_N = environment_N == number
            given_NK[own_N] = (~rewards_NK[own_N].isnan()).any(0)
        where = (torch.tensor([row for row, _, _ in steps]), torch.tensor([turn for _, turn, _ in steps]))
        totals_BM.index_put_(where, weighted_sum(rewards_NK, space, given_NK), accumulate=True)
    return totals_BM


def pass_rates(rollouts: Sequence[Rollout], space: RewardSpace) -> dict[str, float]:
    """Durable task key -> share of its judged samples whose every score reached its threshold."""
    passed: dict[str, list[bool]] = {}
    for rollout in rollouts:
        accepted = is_accepted(rollout.verdict, space)
        if accepted is not None:
            passed.setdefault(rollout.draw.task.key, []).append(accepted)
    return {key: sum(flags) / len(flags) for key, flags in passed.items()}


def as_samples(rollouts: Sequence[Rollout]) -> list[BatchRow]:
    """The token sequences of rollouts, for packing."""
    return [as_sample(rollout.group, rollout.sequences) for rollout in rollouts]

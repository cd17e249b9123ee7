"""What came of tasks: a rollout's calls as token sequences, and judged rollouts as tensors and as rows for the hub."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from schemas.run import RolloutRow
from schemas.texts import prompt_text
from schemas.verdict import Verdict
from schemas.wording import counted
from trainer_bridge.batch import Batch
from trainer_bridge.learn.micro_batches import BatchRow, Piece
from trainer_bridge.rewards import RewardSpace, is_accepted, rewards_matrix, weighted_sum
from trainer_bridge.rollout.task_stream import Draw


@dataclass(frozen=True)
class TokenCall:
    """One call of the policy: the tokens it read, those it wrote, and their log-probabilities when it wrote them."""

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]


@dataclass(frozen=True)
class TokenSequence:
    """``tokens`` follow ``prompt``. ``is_written`` says which of them the policy wrote: only those are learnt from.

    The others came from the environment or the template between two calls. Their log-probability is given as 0.
    ``call`` is the number of the call that wrote a token, and -1 where none did.
    """

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    call: tuple[int, ...]

    @property
    def is_written(self) -> tuple[bool, ...]:
        """Which tokens the policy wrote."""
        return tuple(number >= 0 for number in self.call)


def merge(calls: Sequence[TokenCall]) -> tuple[TokenSequence, ...]:
    """Join each call to the sequence that its prompt continues, token by token; the longest, where several fit.

    A call that continues nothing begins a sequence. So does a second call that continues the same answer (a branch, or
    a step that was taken back): the first has gone on already. What an earlier call wrote is then only read, so that
    every written token is learnt from exactly once.
    """
    whole: list[tuple[int, ...]] = []
    found: list[TokenSequence] = []
    for number, call in enumerate(calls):
        fits = [place for place, tokens in enumerate(whole) if call.prompt[: len(tokens)] == tokens]
        new = (number,) * len(call.tokens)
        if fits:
            place = max(fits, key=lambda one: len(whole[one]))
            read = call.prompt[len(whole[place]) :]
            before = found[place]
            found[place] = TokenSequence(
                before.prompt,
                before.tokens + read + call.tokens,
                before.logprobs + (0.0,) * len(read) + call.logprobs,
                before.call + (-1,) * len(read) + new,
            )
            whole[place] = call.prompt + call.tokens
        else:
            found.append(TokenSequence(call.prompt, call.tokens, call.logprobs, new))
            whole.append(call.prompt + call.tokens)
    return tuple(found)


def as_sample(group: int, sequences: Sequence[TokenSequence]) -> BatchRow:
    """All sequences of one rollout as one row of a batch."""
    if not sequences:
        return BatchRow(group, (), ())
    first, *others = sequences
    return BatchRow(group, first.prompt, first.tokens, tuple(Piece(one.prompt, one.tokens) for one in others))


@dataclass(frozen=True)
class Rollout:
    """One judged sample: everything that the policy wrote for one task. ``group`` numbers its prompt within the step.

    ``sequences`` is empty where the rollout broke before the policy was asked.
    """

    draw: Draw
    group: int
    sequences: tuple[TokenSequence, ...]
    text: str
    verdict: Verdict
    held_out: Verdict | None = None
    """What a second verifier says that is never learnt from."""
    truncated: bool = False
    """Whether its last answer was cut off, or a limit of turns or tokens ended it."""
    turns: int = 1
    tool_calls: int = 0
    turn_rewards: tuple[tuple[int, Mapping[str, float | None]], ...] = ()
    """What the environment said of single steps: the turn that the step followed, from 0, and the rewards."""

    @property
    def tokens(self) -> int:
        """How many tokens the policy wrote."""
        return sum(sum(sequence.is_written) for sequence in self.sequences)


def as_batch(rollouts: Sequence[Rollout], space: RewardSpace, device: torch.device) -> Batch:
    """Rollouts as tensors, row by row; groups renumbered from 0.

    A row's T axis holds the tokens of all its sequences, one after the other. The mask is true on those that the
    policy wrote, so what an environment or a tool said is read and never learnt from.
    """
    numbers = {group: index for index, group in enumerate(dict.fromkeys(rollout.group for rollout in rollouts))}
    width = max(1, *(sum(len(one.tokens) for one in rollout.sequences) for rollout in rollouts))
    logprobs_BT = torch.zeros(len(rollouts), width)
    turn_BT = torch.full((len(rollouts), width), -1)
    for row, rollout in enumerate(rollouts):
        calls = torch.tensor([number for one in rollout.sequences for number in one.call], dtype=torch.long)
        turn_BT[row, : len(calls)] = calls
        logprobs_BT[row, : len(calls)] = torch.tensor([value for one in rollout.sequences for value in one.logprobs])
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


def _turn_rewards(rollouts: Sequence[Rollout], space: RewardSpace) -> torch.Tensor:
    """turn_rewards_BM: the weighted sum of what each turn's steps earned, by the same rules as a verdict's.

    A reward that an environment gives for none of its steps is no part of the sum: it judges that at the end alone.
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


def as_rows(rollouts: Sequence[Rollout], step: int, phase: str, advantages: Sequence[float] = ()) -> list[RolloutRow]:
    """Rollouts as the hub keeps them."""
    return [
        RolloutRow(
            step=step,
            phase=phase,
            package=rollout.draw.package,
            task_id=rollout.draw.task.id,
            prompt=prompt_text(rollout.draw.task),
            response=rollout.text,
            rewards=rollout.verdict.rewards,
            held_out=rollout.held_out.rewards if rollout.held_out is not None else {},
            error=_shown_error(rollout.verdict),
            advantage=advantages[row] if advantages else None,
            tokens=rollout.tokens,
        )
        for row, rollout in enumerate(rollouts)
    ]


def pass_rates(rollouts: Sequence[Rollout], space: RewardSpace) -> dict[str, float]:
    """Durable task key -> share of its judged samples whose every score reached its threshold."""
    passed: dict[str, list[bool]] = {}
    for rollout in rollouts:
        accepted = is_accepted(rollout.verdict, space)
        if accepted is not None:
            passed.setdefault(rollout.draw.task.key, []).append(accepted)
    return {key: sum(flags) / len(flags) for key, flags in passed.items()}


def why_unjudged(rollouts: Sequence[Rollout]) -> str:
    """For a step in which no sample could be judged: how many of each kind, the first reason, and what to do."""
    kinds = Counter(_unjudged_kind(rollout.verdict) for rollout in rollouts)
    counts = ", ".join(f"{count} x {kind}" for kind, count in kinds.most_common())
    said = next((rollout.verdict.error.message for rollout in rollouts if rollout.verdict.error), "")
    lines = [f"not one of {counted(len(rollouts), 'sample')} could be judged ({counts}), so there is nothing to learn"]
    if said:
        lines.append("  The first says: " + " ".join(said.split())[:400])
    lines.append("  " + _REMEDIES.get(kinds.most_common(1)[0][0], _REMEDIES[_NULL]))
    return "\n".join(lines)


_NULL = "null"
_REMEDIES = {
    _NULL: "The verifier runs and says null: try it on one response with `verihub score`, and ask its author.",
    "verifier_failed": "The verifier raised: try it on one response with `verihub score`; mend it, or ask its author.",
    "timeout": "The verifier took too long: its verihub.toml sets the limit, timeout_seconds under [sandbox].",
    "memory": "The verifier ran out of memory: its verihub.toml sets the limit, memory_mb under [sandbox].",
    "output": "The verifier's answer is not what it declares: `verihub check` on its project says what is wrong.",
    "host": "The package could not be run, which is no fault of its code: `verihub doctor` says what is missing here.",
}


def _unjudged_kind(verdict: Verdict) -> str:
    return verdict.error.kind.value if verdict.error else _NULL


def _shown_error(verdict: Verdict) -> str:
    return f"{verdict.error.kind}: {verdict.error.message}" if verdict.error else ""


def as_samples(rollouts: Sequence[Rollout]) -> list[BatchRow]:
    """Rollouts as token sequences for packing."""
    return [as_sample(rollout.group, rollout.sequences) for rollout in rollouts]


def shown(messages: Sequence[Mapping[str, Any]], opening: int) -> str:
    """What was said after the first ``opening`` messages: the answer itself, or who said what in a conversation."""
    said = messages[opening:]
    if len(said) == 1:
        return _words(said[0])
    return "\n\n".join(f"[{message.get('role')}] {_words(message)}" for message in said)


def _words(message: Mapping[str, Any]) -> str:
    calls = [call["function"] for call in message.get("tool_calls") or []]
    told = [f"{function['name']}({function['arguments']})" for function in calls]
    return "\n".join([str(message.get("content") or ""), *told]).strip() if told else str(message.get("content") or "")

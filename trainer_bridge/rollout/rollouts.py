"""Rollouts: what was drawn, written and judged, and the tensors and token sequences to learn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from hub_client.evaluation.harness import Transcript
from schemas.task import Task
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from trainer_bridge.batch import Batch
from trainer_bridge.learn.micro_batches import BatchRow, Piece
from trainer_bridge.rewards import RewardSpace, is_accepted, rewards_matrix, weighted_sum
from trainer_bridge.rollout.chat import ModelCall

BROKEN = "the rollout broke"
"""How the reason begins of a rollout that no verifier was asked about."""


@dataclass(frozen=True)
class Draw:
    """One task to sample on, and the number of its environment."""

    environment: int
    package: str
    task: Task

    @property
    def row(self) -> dict[str, Any]:
        """The task's row, as the verifier gets it."""
        return self.task.model_dump(mode="json")


@dataclass(frozen=True)
class TokenSequence:
    """A prompt and the ``tokens`` after it. ``is_written`` marks those that the policy wrote: only they are trained on.

    The other tokens came from the environment or the chat template between two model calls. Their log-probability is 0.
    ``call`` is the number of the model call that wrote a token, or -1.
    """

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    call: tuple[int, ...]

    @property
    def is_written(self) -> tuple[bool, ...]:
        """Which tokens the policy wrote."""
        return tuple(number >= 0 for number in self.call)


@dataclass(frozen=True)
class Rollout:
    """One judged sample: all that the policy wrote for one task. ``group`` is the number of its task within the step.

    ``sequences`` is empty if the rollout failed before the first model call.
    """

    draw: Draw
    group: int
    sequences: tuple[TokenSequence, ...]
    text: str
    verdict: Verdict
    held_out: Verdict | None = None
    """The verdict of the held-out verifier, which is never trained on."""
    truncated: bool = False
    """Whether its last answer was cut off, or a limit of turns or tokens ended the rollout."""
    ended_by_limit: bool = False
    """Whether a limit of turns or tokens ended the rollout before its harness did."""
    turns: int = 1
    tool_calls: int = 0
    judged: ScoreRequest | None = None
    """What the verifiers saw. Kept only in runs with a held-out verifier."""
    turn_rewards: tuple[tuple[int, Mapping[str, float | None]], ...] = ()
    """The environment's rewards for single steps: the number of the turn before the step, from 0, and the rewards."""
    lost: int = 0
    """How many of its tries were lost. They are not learnt from; a policy that ends boxes shows here."""

    @property
    def tokens(self) -> int:
        """How many tokens the policy wrote."""
        return sum(sum(sequence.is_written) for sequence in self.sequences)


@dataclass(frozen=True)
class PlayedRollout:
    """A rollout before its verdict: the model calls, and the transcript. ``failure``: why there is nothing to judge."""

    calls: Sequence[ModelCall]
    transcript: Transcript | None
    failure: str = ""
    kind: ErrorKind = ErrorKind.VERIFIER_FAILED
    lost: int = 0
    """How many tries were lost with their process, box, engine or hub."""

    def request(self, key: str, draw: Draw) -> ScoreRequest:
        """What a verifier is asked about it. There is a transcript."""
        assert self.transcript is not None
        return ScoreRequest(id=key, task=draw.row, messages=self.transcript.messages, state=self.transcript.state)


def judged_rollout(
    draw: Draw, group: int, played: PlayedRollout, verdict: Verdict, held_out: Verdict | None
) -> Rollout:
    """The rollout with its verdicts."""
    calls, transcript = played.calls, played.transcript
    return Rollout(
        draw=draw,
        group=group,
        sequences=merge(
            [TokenCall(call.request.prompt, call.generated.tokens, call.generated.logprobs) for call in calls]
        ),
        text=shown(transcript.messages, [call.message for call in calls]) if transcript is not None else "",
        verdict=verdict,
        held_out=held_out,
        judged=played.request("", draw) if held_out is not None and transcript is not None else None,
        truncated=bool(transcript is not None and transcript.overflow) or bool(calls and calls[-1].generated.truncated),
        ended_by_limit=bool(transcript is not None and transcript.overflow),
        turns=len(calls),
        tool_calls=transcript.tool_calls if transcript is not None else 0,
        turn_rewards=tuple((said - 1, rewards) for said, rewards in transcript.step_rewards if said)
        if transcript is not None
        else (),
        lost=played.lost,
    )


# Of model calls


@dataclass(frozen=True)
class TokenCall:
    """One model call: the tokens it read, the tokens it wrote, and the sampler's log-probabilities of those."""

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]


def merge(calls: Sequence[TokenCall]) -> tuple[TokenSequence, ...]:
    """Join each call to the sequence that its prompt continues token by token; to the longest if there are several.

    A call that continues nothing starts a new sequence. So does a second call that continues the same answer, after a
    branch or an undone step, because that sequence already has a continuation. The tokens of the earlier call then only
    count as read, so that every written token is trained on exactly once.
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


def shown(messages: Sequence[Mapping[str, Any]], said: Sequence[Mapping[str, Any]]) -> str:
    """The text of a rollout for display, from the policy's first message on: only the answer, or all messages with
    roles.

    ``said``: the policy's messages. A harness may put other messages into the transcript than it sent to the policy,
    and may leave some out. A message to which it only added tool calls is the policy's. If there is none of the
    policy's in the transcript, its first assistant message counts as the first. In a rollout with several messages,
    those that are missing from the transcript come last.
    """
    written = {_words(message) for message in said}
    spoken = [place for place, message in enumerate(messages) if message.get("role") == "assistant"]
    own = [place for place in spoken if written.intersection(_forms(messages[place]))]
    told = messages[next(iter(own or spoken), len(messages)) :]
    if len(told) == 1:
        return _words(told[0])
    sent = {form for place in spoken for form in _forms(messages[place])}
    unsent = [words for words in map(_words, said) if words not in sent]
    return "\n\n".join(
        [f"[{message.get('role')}] {_words(message)}" for message in told] + [f"[not sent] {words}" for words in unsent]
    )


def _forms(message: Mapping[str, Any]) -> set[str]:
    """The message's words, and the same without its tool calls, which a harness may have added."""
    content = str(message.get("content") or "")
    return {_words(message), content} if content else {_words(message)}


def _words(message: Mapping[str, Any]) -> str:
    calls = [call["function"] for call in message.get("tool_calls") or []]
    told = [f"{function['name']}({function['arguments']})" for function in calls]
    return "\n".join([str(message.get("content") or ""), *told]).strip() if told else str(message.get("content") or "")


# To learn from


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

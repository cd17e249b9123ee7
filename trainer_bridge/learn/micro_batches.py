"""Packs a batch into micro-batches of limited size. A prompt is computed once for all samples that continue it."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Piece:
    """One token sequence: ``tokens`` are predicted, ``prompt`` is only read."""

    prompt: Sequence[int]
    tokens: Sequence[int]


@dataclass(frozen=True)
class BatchRow:
    """One row of a batch as token ids: a prompt and what follows it. Samples of one group with the same prompt share
    it.

    A rollout has several sequences if its model calls do not continue each other; ``more`` holds the second and later
    ones. Their tokens follow one another on the row's T axis, so that a rollout is always one row.
    """

    group: int
    prompt: Sequence[int]
    tokens: Sequence[int]
    more: tuple[Piece, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All sequences, in the order of the T axis."""
        return (Piece(self.prompt, self.tokens), *self.more)

    @property
    def width(self) -> int:
        """Positions on the T axis."""
        return sum(len(piece.tokens) for piece in self.pieces)

    @property
    def size(self) -> int:
        """Tokens of all sequences with their prompts."""
        return sum(len(piece.prompt) + len(piece.tokens) for piece in self.pieces)


@dataclass(frozen=True)
class MicroBatch:
    """R packed rows of length L, and the positions at which the N completion tokens are predicted.

    A row is a prompt followed by several completions. Each completion attends to the prompt and to itself, and its
    positions continue those of the prompt. So every log-probability is the same as for the plain sequence.
    ``samples`` are indices into the whole batch; ``sample_N``/``token_N`` index [len(samples), width].
    """

    samples: tuple[int, ...]
    width: int
    input_ids_RL: Tensor
    position_ids_RL: Tensor
    attention_mask_R1LL: Tensor
    source_row_N: Tensor
    source_position_N: Tensor
    target_N: Tensor
    sample_N: Tensor
    token_N: Tensor


@dataclass(frozen=True)
class _Placed:
    """A sequence and its place in the batch: row ``sample``, from position ``offset``."""

    sample: int
    offset: int
    piece: Piece


@dataclass(frozen=True)
class _Row:
    """One packed row: sequences that share a prompt."""

    placed: tuple[_Placed, ...]
    length: int


def pack(
    samples: Sequence[BatchRow],
    *,
    max_tokens: int,
    max_row_tokens: int = 2048,
    width: int | None = None,
    device: torch.device,
) -> list[MicroBatch]:
    """Cut a batch into micro-batches of at most ``max_tokens`` padded tokens. A single sample may exceed that.

    ``max_row_tokens`` limits a row, because its attention mask is dense. ``width`` is T of the batch (default: its
    widest sample). Rows of similar length are put together. No sample is split, since sequence-level losses need it
    whole. A sample without tokens is in no micro-batch.
    """
    width = width or max(sample.width for sample in samples)
    units = sorted(_units(_rows(samples, max_row_tokens)), key=_longest)
    micro: list[MicroBatch] = []
    pending: list[_Row] = []
    for unit in units:
        if pending and _longest(unit) * (len(pending) + len(unit)) > max_tokens:
            micro.append(_build(pending, width, device))
            pending = []
        pending += unit
    if pending:
        micro.append(_build(pending, width, device))
    return micro


def empty_micro_batch(width: int, device: torch.device) -> MicroBatch:
    """A micro-batch in which one token is read and none is predicted. It has no rows and no loss, and its gradients are
    0.
    """
    one = torch.zeros(1, 1, dtype=torch.long, device=device)
    none = torch.zeros(0, dtype=torch.long, device=device)
    mask = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=device)
    return MicroBatch((), width, one, one, mask, none, none, none, none, none)


def _longest(unit: Sequence[_Row]) -> int:
    return max(row.length for row in unit)


def _rows(samples: Sequence[BatchRow], max_row_tokens: int) -> list[_Row]:
    by_prompt: dict[tuple[int, tuple[int, ...]], list[_Placed]] = {}
    for index, sample in enumerate(samples):
        offset = 0
        for piece in sample.pieces:
            if piece.tokens:
                by_prompt.setdefault((sample.group, tuple(piece.prompt)), []).append(_Placed(index, offset, piece))
            offset += len(piece.tokens)
    rows = []
    for (_, prompt), members in by_prompt.items():
        current: list[_Placed] = []
        length = 0
        for member in members:
            extra = len(member.piece.tokens) - 1  # the last token is only a target, never an input
            if current and length + extra > max_row_tokens:
                rows.append(_Row(tuple(current), length))
                current = []
            length = length + extra if current else len(prompt) + extra
            current.append(member)
        rows.append(_Row(tuple(current), length))
    return rows


def _units(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Groups of rows that must stay together, because they hold sequences of the same samples."""
    unit_of: dict[int, list[_Row]] = {}
    for row in rows:
        joined = [row]
        for unit in {id(unit_of[placed.sample]): unit_of[placed.sample] for placed in row.placed
                     if placed.sample in unit_of}.values():  # fmt: skip
            joined = [*unit, *joined]
        for member in joined:
            unit_of.update(dict.fromkeys((placed.sample for placed in member.placed), joined))
    return list({id(unit): unit for unit in unit_of.values()}.values())


def _build(rows: Sequence[_Row], width: int, device: torch.device) -> MicroBatch:
    length = _longest(rows)
    ids = torch.zeros(len(rows), length, dtype=torch.long)
    positions = torch.zeros(len(rows), length, dtype=torch.long)
    segment = torch.full((len(rows), length), -1, dtype=torch.long)  # 0 prompt, 1.. completions, -1 padding
    order: dict[int, int] = {}
    sources: list[Tensor] = []
    for number, row in enumerate(rows):
        prompt = row.placed[0].piece.prompt
        ids[number, : len(prompt)] = torch.tensor(prompt)
        positions[number, : len(prompt)] = torch.arange(len(prompt))
        segment[number, : len(prompt)] = 0
        start = len(prompt)
        for branch, placed in enumerate(row.placed, start=1):
            tokens = placed.piece.tokens
            fed = len(tokens) - 1
            ids[number, start : start + fed] = torch.tensor(tokens[:fed], dtype=torch.long)
            positions[number, start : start + fed] = torch.arange(len(prompt), len(prompt) + fed)
            segment[number, start : start + fed] = branch
            local = order.setdefault(placed.sample, len(order))
            places = torch.arange(len(tokens))
            source = torch.where(places == 0, len(prompt) - 1, start + places - 1)
            same = torch.ones_like(places)
            target = torch.tensor(tokens, dtype=torch.long)
            sources.append(torch.stack([same * number, source, target, same * local, placed.offset + places]))
            start += fed
    columns = torch.cat(sources, dim=1).to(device).unbind(0)
    return MicroBatch(
        tuple(order), width, ids.to(device), positions.to(device), _branch_mask(segment.to(device)), *columns
    )


def _branch_mask(segment_RL: Tensor) -> Tensor:
    """The attention mask: causal, and only within the same completion or the prompt. Padding attends to itself, so that
    no softmax is empty.
    """
    length = segment_RL.shape[1]
    own = segment_RL[:, :, None] == segment_RL[:, None, :]
    prompt = (segment_RL == 0)[:, None, :] & (segment_RL > 0)[:, :, None]
    causal = torch.ones(length, length, dtype=torch.bool, device=segment_RL.device).tril()
    return ((own | prompt) & causal).unsqueeze(1)

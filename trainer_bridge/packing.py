"""Micro-batches under a token budget, each prompt computed once for all samples that continue it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor


@dataclass(frozen=True)
class Sample:
    """One prompt and one completion, as token ids. Samples that are neighbours and of one group share a prompt."""

    group: int
    prompt: Sequence[int]
    tokens: Sequence[int]


@dataclass(frozen=True)
class MicroBatch:
    """R packed rows of length L, and where in them the N completion tokens are predicted.

    A row is a prompt followed by several completions of it. Each completion sees the prompt and itself, and its
    positions go on where the prompt's end, so that every log-probability is that of the plain sequence.
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
class _Row:
    """One packed row: the indices of samples that share a prompt."""

    samples: tuple[int, ...]
    length: int


def pack(
    samples: Sequence[Sample],
    *,
    max_tokens: int,
    max_row_tokens: int = 2048,
    width: int | None = None,
    device: torch.device,
) -> list[MicroBatch]:
    """Cut a batch into micro-batches of at most ``max_tokens`` padded tokens (one row may exceed it alone).

    ``max_row_tokens`` bounds a row, whose attention mask is dense. ``width`` is T of the batch (default: its longest
    completion). Rows of similar length go together; no sample is ever split, since sequence-level losses need it whole.
    """
    width = width or max(len(sample.tokens) for sample in samples)
    rows = sorted(_rows(samples, max_row_tokens), key=lambda row: row.length)
    micro: list[MicroBatch] = []
    pending: list[_Row] = []
    for row in rows:
        if pending and row.length * (len(pending) + 1) > max_tokens:
            micro.append(_build(samples, pending, width, device))
            pending = []
        pending.append(row)
    if pending:
        micro.append(_build(samples, pending, width, device))
    return micro


def _rows(samples: Sequence[Sample], max_row_tokens: int) -> list[_Row]:
    rows = []
    for _, members in groupby(
        range(len(samples)), key=lambda index: (samples[index].group, tuple(samples[index].prompt))
    ):
        current: list[int] = []
        length = 0
        for index in members:
            extra = len(samples[index].tokens) - 1  # the last token is only ever a target
            if current and length + extra > max_row_tokens:
                rows.append(_Row(tuple(current), length))
                current = []
            length = length + extra if current else len(samples[index].prompt) + extra
            current.append(index)
        rows.append(_Row(tuple(current), length))
    return rows


def _build(samples: Sequence[Sample], rows: Sequence[_Row], width: int, device: torch.device) -> MicroBatch:
    length = max(row.length for row in rows)
    ids = torch.zeros(len(rows), length, dtype=torch.long)
    positions = torch.zeros(len(rows), length, dtype=torch.long)
    segment = torch.full((len(rows), length), -1, dtype=torch.long)  # 0 prompt, 1.. completions, -1 padding
    order: list[int] = []
    sources: list[tuple[int, int, int, int, int]] = []
    for number, row in enumerate(rows):
        prompt = samples[row.samples[0]].prompt
        ids[number, : len(prompt)] = torch.tensor(prompt)
        positions[number, : len(prompt)] = torch.arange(len(prompt))
        segment[number, : len(prompt)] = 0
        start = len(prompt)
        for branch, index in enumerate(row.samples, start=1):
            tokens = samples[index].tokens
            fed = len(tokens) - 1
            ids[number, start : start + fed] = torch.tensor(tokens[:fed], dtype=torch.long)
            positions[number, start : start + fed] = torch.arange(len(prompt), len(prompt) + fed)
            segment[number, start : start + fed] = branch
            for place, target in enumerate(tokens):
                source = len(prompt) - 1 if place == 0 else start + place - 1
                sources.append((number, source, target, len(order), place))
            order.append(index)
            start += fed
    columns = torch.tensor(sources, dtype=torch.long).to(device).unbind(-1)
    return MicroBatch(
        tuple(order), width, ids.to(device), positions.to(device), _branch_mask(segment).to(device), *columns
    )


def _branch_mask(segment_RL: Tensor) -> Tensor:
    """Causal, and only within the own completion or the prompt; padding sees itself, so that no softmax is empty."""
    length = segment_RL.shape[1]
    own = segment_RL[:, :, None] == segment_RL[:, None, :]
    prompt = (segment_RL == 0)[:, None, :] & (segment_RL > 0)[:, :, None]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    return ((own | prompt) & causal).unsqueeze(1)

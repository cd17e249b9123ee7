"""The own decoder: one prefill a prompt, keys and values expanded to its group, slots refilled as samples end."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainer_bridge.decoding.completions import Completion, Request, cut_at_end
from trainer_bridge.decoding.graphs import DecodeStep
from trainer_bridge.decoding.llama_forward import LlamaForward, Prefilled
from trainer_bridge.decoding.sampling import sample
from trainer_bridge.decoding.static_cache import CacheShape, StaticCache


@dataclass(frozen=True)
class StaticDecoder:
    """Decodes any model that :func:`llama_forward.is_supported` accepts, with the weights being trained.

    ``slots`` sequences run at once. The host looks for finished ones every ``steps_between_looks`` tokens: 1 on a
    CPU; more on an accelerator, where every look waits for the device.
    """

    forward: LlamaForward
    eos_ids: tuple[int, ...]
    slots: int = 64
    steps_between_looks: int = 1
    cuda_graphs: bool = False

    def generate(self, request: Request, generator: torch.Generator) -> Iterator[Completion]:
        """Yield every completion as its slot frees. Raises ValueError for an empty prompt."""
        if any(len(prompt) == 0 for prompt in request.prompts):
            raise ValueError("a prompt without tokens cannot be continued")
        run = _Run(self, request, generator)
        while run.is_busy:
            run.admit()
            yield from run.retire()
            run.step()
            yield from run.retire()


class _Run:
    """The state of one call of ``generate``: which sample sits in which slot, and what it has written."""

    def __init__(self, decoder: StaticDecoder, request: Request, generator: torch.Generator) -> None:
        self._decoder, self._request, self._generator = decoder, request, generator
        forward = decoder.forward
        self._waiting = deque(
            (group, member) for group in range(len(request.prompts)) for member in range(request.copies)
        )
        self._prefilled: tuple[int, Prefilled] | None = None
        self._owners: list[tuple[int, int]] = []
        self._written: list[int] = []
        slots = min(decoder.slots, len(self._waiting))
        room = request.max_completion_length + decoder.steps_between_looks
        longest = max((len(prompt) for prompt in request.prompts), default=0)
        shape = CacheShape(forward.layers, slots, forward.kv_heads, longest + room, forward.head_dim)
        # Plain no_grad tensors, not inference tensors: a generator must not leave a mode switched on for its caller.
        with torch.no_grad():
            self._cache = StaticCache(shape, forward.dtype, forward.device)
            self._current_S = torch.zeros(slots, dtype=torch.long, device=forward.device)
            self._ended_S = torch.zeros(slots, dtype=torch.bool, device=forward.device)
            self._tokens_ST = torch.zeros(slots, room, dtype=torch.long, device=forward.device)
            self._logprobs_ST = torch.zeros(slots, room, dtype=torch.float32, device=forward.device)
            self._eos = torch.tensor(decoder.eos_ids, device=forward.device)
        self._decode = DecodeStep(forward, self._cache, use_graphs=decoder.cuda_graphs)

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting or self._owners)

    @torch.no_grad()
    def admit(self) -> None:
        """Fill free slots: members of one group at a time, its prompt run once."""
        while self._waiting and len(self._owners) < self._cache.shape.slots:
            group = self._waiting[0][0]
            start = len(self._owners)
            while self._waiting and self._waiting[0][0] == group and len(self._owners) < self._cache.shape.slots:
                self._owners.append(self._waiting.popleft())
                self._written.append(0)
            slots = slice(start, len(self._owners))
            prompt = self._prompt(group)
            self._cache.place(slots, prompt.keys, prompt.values)
            self._ended_S[slots] = False
            self._draw(prompt.logits.expand(slots.stop - slots.start, -1), slots)

    @torch.no_grad()
    def step(self) -> None:
        """Decode one token, or a few between two looks, for every running slot."""
        for _ in range(self._decoder.steps_between_looks if self._owners else 0):
            running = slice(0, len(self._owners))
            window = 1 + max(
                len(self._request.prompts[group]) + written - 1
                for (group, _), written in zip(self._owners, self._written, strict=True)
            )
            logits_SV = self._decode(self._current_S[running], window)
            self._cache.filled[running] += 1
            self._draw(logits_SV, running)

    @torch.no_grad()
    def retire(self) -> list[Completion]:
        """Take finished samples out; the last running slot moves into each gap."""
        limit = self._request.max_completion_length
        ended = self._ended_S[: len(self._owners)].tolist()
        done = [slot for slot, end in enumerate(ended) if end or self._written[slot] >= limit]
        completions = [self._completion(slot) for slot in done]
        for slot in reversed(done):
            self._remove(slot)
        return completions

    def _prompt(self, group: int) -> Prefilled:
        if self._prefilled is None or self._prefilled[0] != group:
            ids = torch.tensor(self._request.prompts[group], dtype=torch.long, device=self._decoder.forward.device)
            self._prefilled = (group, self._decoder.forward.prefill(ids))
        return self._prefilled[1]

    def _draw(self, logits_SV: Tensor, slots: slice) -> None:
        """Sample the next token of ``slots`` and write it down."""
        tokens_S, logprobs_S = sample(logits_SV, self._request.sampling, self._generator)
        rows = torch.arange(slots.start, slots.stop, device=tokens_S.device)
        columns = torch.tensor(self._written[slots], device=tokens_S.device)
        self._tokens_ST[rows, columns] = tokens_S
        self._logprobs_ST[rows, columns] = logprobs_S
        self._current_S[slots] = tokens_S
        self._ended_S[slots] |= torch.isin(tokens_S, self._eos)
        for slot in range(slots.start, slots.stop):
            self._written[slot] += 1

    def _completion(self, slot: int) -> Completion:
        group, member = self._owners[slot]
        written = self._written[slot]
        tokens, truncated = cut_at_end(
            self._tokens_ST[slot, :written].tolist(), self._decoder.eos_ids, self._request.max_completion_length
        )
        logprobs: Sequence[float] = self._logprobs_ST[slot, : len(tokens)].tolist()
        return Completion(group, member, tokens, tuple(logprobs), truncated)

    def _remove(self, slot: int) -> None:
        last = len(self._owners) - 1
        if slot != last:
            self._cache.move(last, slot)
            for state in (self._current_S, self._ended_S, self._tokens_ST, self._logprobs_ST):
                state[slot] = state[last]
            self._owners[slot], self._written[slot] = self._owners[last], self._written[last]
        self._owners.pop()
        self._written.pop()

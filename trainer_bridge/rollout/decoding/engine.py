"""Generation with continuous batching: requests join and leave at any token, and later turns reuse the cache.

One thread steps the engine. A step assigns waiting requests to free slots, decodes one token for each running request
(several on an accelerator), and returns the finished ones. A slot whose request has finished *rests*: its keys and
values stay until the space is needed, so that the next turn of that conversation computes only its new tokens.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import groupby

import torch
from torch import Tensor

from trainer_bridge.rollout.decoding.forward import Forward, decode_one
from trainer_bridge.rollout.decoding.graphs import DecodeStep
from trainer_bridge.rollout.decoding.kv_cache import Slot, SlotStates, StaticCache, Table
from trainer_bridge.rollout.decoding.requests import Ended, Generated, GenerationRequest, cut_at_end
from trainer_bridge.rollout.decoding.sampling import Ways, sample

_PREFILL_TOKENS = {"cpu": 2048}  # of prompts in one forward pass; chosen, as the next: both bound memory
_FIRST_ROOM, _FIRST_SLOTS = 64, 8  # the cache grows from here


@dataclass(frozen=True)
class EngineSettings:
    """``slots``: how many sequences run at once. The host looks for finished ones every ``steps_between_looks`` tokens.

    To look, the host waits for the device. On a CPU that costs nothing, so it looks after every token; on an
    accelerator less often.
    """

    slots: int = 64
    steps_between_looks: int = 1
    cuda_graphs: bool = False


@dataclass(frozen=True)
class _Plan:
    """A request that gets a slot now, and how many tokens of its prompt are already cached."""

    request: GenerationRequest
    kept: int
    source: Slot | None
    """The slot whose keys and values are reused."""
    goes_on: bool = False
    """Whether this is the next turn of the source's own rollout, which takes over the slot. Else the slot is copied."""


class Engine:
    """Answers each :class:`GenerationRequest`.

    ``submit`` may be called from any thread, everything else only from the thread that steps.
    """

    def __init__(self, forward: Forward, eos_ids: Sequence[int], settings: EngineSettings | None = None) -> None:
        self.eos_ids = tuple(eos_ids)
        self._forward, self._settings = forward, settings or EngineSettings()
        self._waiting: deque[GenerationRequest] = deque()
        self._decode = self._make_decode()
        self._table: Table | None = None
        self._clock = 0
        self._eos_E = torch.tensor(self.eos_ids, dtype=torch.long, device=forward.device)
        self._draws_by_kernel = forward.device.type == "cuda" and find_spec("triton") is not None
        self.prefilled_tokens = 0
        """How many prompt tokens were computed so far, without those reused from an earlier turn or another sample."""

    def _make_decode(self) -> DecodeStep | partial[Tensor]:
        uses_graphs = self._settings.cuda_graphs and self._forward.device.type == "cuda"
        return DecodeStep(self._forward) if uses_graphs else partial(decode_one, self._forward)

    def submit(self, request: GenerationRequest) -> None:
        """Queue a request; a later :meth:`step` returns it with its answer."""
        self._waiting.append(request)

    def drop_requests(self) -> None:
        """Forget all requests, with their keys and values. After a failed step, which may have left half a change."""
        self._waiting.clear()
        self._table = None
        self._decode = self._make_decode()

    @property
    def is_busy(self) -> bool:
        """Whether a step has anything to do."""
        return bool(self._waiting or (self._table is not None and self._table.running))

    @torch.no_grad()
    def step(self) -> list[Ended]:
        """Assign slots, decode until the next look, and return the finished requests."""
        self._admit()
        ended = self._retire()  # the first token may already be the last
        if self._table is not None and self._table.running:
            window, ways = self._longest(self._table), self._ways(self._table.slots[: self._table.running])
            for ahead in range(self._settings.steps_between_looks):
                self._decode_one(self._table, window + ahead, ways)
            ended += self._retire()
            self._tell(self._table)
        return ended

    def load_weights(self) -> None:
        """Drop all resting slots, since the weights of their keys and values may have changed."""
        for slot in self._table.slots if self._table is not None else ():
            slot.cached, slot.request = (slot.cached, slot.request) if slot.is_running else ((), None)
        if isinstance(self._decode, DecodeStep):
            self._decode.follow_weights()

    def release(self) -> None:
        """Free keys, values and converted weights, unless a captured graph reads them. The next round makes new ones.

        They would be useless anyway, since the weights will have changed.
        """
        if not self.is_busy and not isinstance(self._decode, DecodeStep):
            self._table = None
        self._forward.release()

    def close(self) -> None:
        """Does nothing: the engine has no resources to close."""

    @staticmethod
    def _longest(table: Table) -> int:
        """Positions of the longest running sequence, with the token that is fed next."""
        lengths = (
            len(slot.request.prompt) + slot.written for slot in table.slots[: table.running] if slot.request is not None
        )
        return max(lengths)

    @staticmethod
    def _ways(slots: Sequence[Slot]) -> Ways:
        return Ways.of([slot.request.sampling for slot in slots if slot.request is not None])

    def _decode_one(self, table: Table, window: int, ways: Ways) -> None:
        logits_SV = self._decode(table.states.current_S[: table.running], table.cache, window)
        table.cache.filled_S[: table.running] += 1
        self._draw(table, logits_SV, slice(0, table.running), ways)

    def _draw(self, table: Table, logits_SV: Tensor, slots: slice, ways: Ways) -> None:
        """Sample and store the next token of ``slots``, without waiting for the device."""
        states = table.states
        for slot in table.slots[slots]:
            slot.written += 1
        if self._draws_by_kernel and not ways.filters:
            states.draw(logits_SV, slots, self._eos_E)
            return
        last = states.tokens_SL.shape[1] - 1
        column_S1 = states.written_S[slots].clamp(max=last)[:, None]
        uniform_S = states.uniforms_SL[slots].gather(1, column_S1)[:, 0]
        tokens_S, logprobs_S = sample(logits_SV, states.sampling(slots), uniform_S, **ways._asdict())
        states.tokens_SL[slots].scatter_(1, column_S1, tokens_S[:, None])
        states.logprobs_SL[slots].scatter_(1, column_S1, logprobs_S[:, None])
        states.written_S[slots] += ~states.ended_S[slots]
        states.ended_S[slots] |= torch.isin(tokens_S, self._eos_E) | (states.written_S[slots] >= states.limit_S[slots])
        states.current_S[slots] = tokens_S

    # Admission

    def _admit(self) -> None:
        free = self._settings.slots - (self._table.running if self._table is not None else 0)
        taken = [self._waiting.popleft() for _ in range(min(free, len(self._waiting)))]
        if not taken:
            return
        table = self._make_room(taken)
        plans: list[_Plan] = []
        followers: list[GenerationRequest] = []
        claimed: set[int] = set()
        led: set[tuple[int, ...]] = set()
        for request in taken:
            source = self._resting(table, request)
            if source is not None and id(source) not in claimed:
                claimed.add(id(source))
                kept = min(_shared(source.cached, request.prompt), len(request.prompt) - 1)
                plans.append(_Plan(request, kept, source, goes_on=True))
            elif request.prompt in led:
                followers.append(request)
            else:
                led.add(request.prompt)
                plans.append(self._plan_leader(table, request))
        plans.sort(key=lambda plan: len(plan.request.prompt) - plan.kept)
        leading = self._prefill(table, plans, {request.prompt for request in followers})
        self._follow(table, followers, leading)

    def _make_room(self, requests: Sequence[GenerationRequest]) -> Table:
        # One extra position, to which padding is written.
        length = (
            max(len(request.prompt) + request.limit for request in requests) + self._settings.steps_between_looks + 1
        )
        room = max(_FIRST_ROOM, 1 + max(request.limit for request in requests))
        if self._table is None:
            shape = self._forward.cache_shape(min(self._settings.slots, _FIRST_SLOTS), 0)
            device = self._forward.device
            states = SlotStates.empty(shape.slots, room, device)
            self._table = Table(StaticCache(shape, self._forward.dtype, device), states)
        table = self._table
        slots, wanted = table.cache.shape.slots, table.running + len(requests)
        resting = sum(bool(slot.cached) for slot in table.slots[table.running :])
        if wanted + resting > slots:  # Prefer new slots: a resting slot may belong to a conversation that continues.
            slots = min(self._settings.slots, max(wanted, 2 * slots))
        table.make_room(slots, length, room)
        return table

    @staticmethod
    def _resting(table: Table, request: GenerationRequest) -> Slot | None:
        if request.after is None:
            return None
        return next((slot for slot in table.slots[table.running :] if slot.request is request.after), None)

    @staticmethod
    def _plan_leader(table: Table, request: GenerationRequest) -> _Plan:
        """Plan a prompt. A prefix that another slot has cached is copied, except for the last token, whose logits are
        needed.
        """
        source = next(
            (slot for slot in table.slots if slot.request is not None and slot.request.prompt == request.prompt), None
        )
        return _Plan(request, len(request.prompt) - 1 if source is not None else 0, source)

    def _prefill(
        self, table: Table, plans: Sequence[_Plan], shared: set[tuple[int, ...]]
    ) -> dict[tuple[int, ...], tuple[Slot, Tensor]]:
        """Compute the new part of every prompt, several at once, and draw the first token of each.

        Returns slot and logits_V of the ``shared`` prompts, for their further samples.
        """
        start = table.running
        spared = [{id(plan.source) for plan in plans if plan.goes_on}, {id(plan.source) for plan in plans}]
        kept = [self._take_slot(table, plan, place, spared) for place, plan in enumerate(plans, start)]
        self._begin(table, start, [plan.request for plan in plans], kept)
        budget = _PREFILL_TOKENS.get(self._forward.device.type, 16384)
        leading: dict[tuple[int, ...], tuple[Slot, Tensor]] = {}
        first = 0
        while first < len(plans):
            last, width = first, 0
            while last < len(plans):
                width = max(width, len(plans[last].request.prompt) - kept[last])
                if last > first and width * (last + 1 - first) > budget:
                    break
                last += 1
            rows = range(first, last)
            logits_SV = self._extend(table, [plans[row].request.prompt[kept[row] :] for row in rows], start + first)
            for row in rows:
                if plans[row].request.prompt in shared:
                    leading[plans[row].request.prompt] = (table.slots[start + row], logits_SV[row - first])
            first = last
        return leading

    def _extend(self, table: Table, fresh: Sequence[tuple[int, ...]], first: int) -> Tensor:
        """Compute new prompt tokens for the slots from ``first`` on, draw their first tokens, and return the
        logits_SV.
        """
        slots = slice(first, first + len(fresh))
        self.prefilled_tokens += sum(map(len, fresh))
        width = max(map(len, fresh))
        tokens_ST = torch.tensor([[*part, *[0] * (width - len(part))] for part in fresh]).to(self._forward.device)
        last_S = torch.tensor([len(part) - 1 for part in fresh]).to(self._forward.device)
        requests = [slot.request for slot in table.slots[slots] if slot.request is not None]
        window = max(len(request.prompt) - len(part) for request, part in zip(requests, fresh, strict=True)) + width
        window = min(window, table.cache.shape.length)
        logits_SV = self._forward.extend(tokens_ST, last_S, table.cache, slots, window)
        table.cache.filled_S[slots] += last_S + 1
        self._draw(table, logits_SV, slots, self._ways(table.slots[slots]))
        return logits_SV

    def _take_slot(self, table: Table, plan: _Plan, place: int, spared: Sequence[set[int]]) -> int:
        """Give slot ``place`` to ``plan``, with the cached keys and values. Returns the number of cached tokens."""
        source, kept = plan.source, plan.kept
        if source is not None and plan.goes_on:
            table.swap(table.slots.index(source), place)
        else:
            table.swap(table.least_used(place, spared), place)
            if source in table.slots:
                origin = table.slots.index(source)
                if origin != place:
                    table.cache.copy_prefix(origin, slice(place, place + 1), kept)
            else:
                kept = 0  # there is no earlier sequence, or its slot was reused in this step
        self._occupy(table, place, plan.request)
        return kept

    def _occupy(self, table: Table, place: int, request: GenerationRequest) -> None:
        self._clock += 1
        table.slots[place] = Slot(request, is_running=True, used=self._clock)
        table.running = place + 1

    @staticmethod
    def _begin(table: Table, start: int, requests: Sequence[GenerationRequest], cached: Sequence[int]) -> None:
        """Tell the device of new requests, which have the slots from ``start`` on and so many ``cached`` positions."""
        if requests:
            table.states.begin(start, requests)
            filled_S = table.cache.filled_S
            filled_S[start : start + len(requests)] = torch.tensor(cached).to(filled_S.device)

    def _follow(
        self,
        table: Table,
        members: Sequence[GenerationRequest],
        leading: dict[tuple[int, ...], tuple[Slot, Tensor]],
    ) -> None:
        """Further samples of a prompt that was just computed: copy its keys and values, and draw again from its
        logits.
        """
        start, members = table.running, sorted(members, key=lambda request: request.prompt)
        for place, request in enumerate(members, start):
            table.swap(table.least_used(place), place)
            self._occupy(table, place, request)
        place = start
        for prompt, group in groupby(members, key=lambda request: request.prompt):
            targets = slice(place, place + len(list(group)))
            table.cache.copy_prefix(table.slots.index(leading[prompt][0]), targets, len(prompt))
            place = targets.stop
        if members:
            self._begin(table, start, members, [len(request.prompt) for request in members])
            logits_SV = torch.stack([leading[request.prompt][1] for request in members])
            slots = slice(start, start + len(members))
            self._draw(table, logits_SV, slots, self._ways(table.slots[slots]))

    # The end of a request

    def _retire(self) -> list[Ended]:
        """Read from the device which slots have finished; move them behind the running ones, to rest."""
        table = self._table
        if table is None or not table.running:
            return []
        ended = table.states.ended_S[: table.running].tolist()
        stopped = self._stopped(table)
        done = [index for index, is_over in enumerate(ended) if is_over or index in stopped]
        found = self._answers(table, done)
        self._rest(table, done)
        return found

    @staticmethod
    def _stopped(table: Table) -> set[int]:
        """The running slots whose requests end although the device would go on: given up, or at words that end them."""
        requests = [slot.request for slot in table.slots[: table.running]]
        stopped = {
            index
            for index, request in enumerate(requests)
            if request is not None and request.is_wanted is not None and not request.is_wanted()
        }
        watched = {index: one.stop for index, one in enumerate(requests) if one is not None and one.stop is not None}
        if watched:
            tokens_SL = table.states.tokens_SL[: table.running].cpu()
            counts = table.states.written_S[: table.running].tolist()
            stopped |= {
                index
                for index, stop in watched.items()
                if index not in stopped and stop.is_reached(tokens_SL[index, : counts[index]].tolist())
            }
        return stopped

    def _answers(self, table: Table, done: Sequence[int]) -> list[Ended]:
        """The answers of the slots ``done``, in one transfer; each slot then knows what it has cached."""
        if not done:
            return []
        rows = torch.tensor(done).to(table.states.written_S.device)
        counts = table.states.written_S[rows].tolist()
        tokens_SL, logprobs_SL = table.states.tokens_SL[rows].cpu(), table.states.logprobs_SL[rows].cpu()
        found, cached = list[Ended](), list[int]()
        for place, index in enumerate(done):
            slot = table.slots[index]
            request = slot.request
            assert request is not None
            tokens, truncated = cut_at_end(tokens_SL[place, : counts[place]].tolist(), self.eos_ids, request)
            logprobs = tuple(logprobs_SL[place, : len(tokens)].tolist())
            self._clock += 1
            slot.used = self._clock
            # the last token was drawn but not fed, so it is not cached
            slot.cached = (*request.prompt, *tokens[:-1])
            cached.append(len(slot.cached))
            found.append((request, Generated(tokens, logprobs, truncated)))
        table.cache.filled_S[rows] = torch.tensor(cached).to(rows.device)
        return found

    @staticmethod
    def _rest(table: Table, done: Sequence[int]) -> None:
        """Move the slots ``done`` behind those that still run, by as few exchanges as there are holes."""
        running, over = table.running - len(done), set(done)
        holes = [index for index in done if index < running]
        table.exchange(list(zip(holes, (i for i in range(running, table.running) if i not in over), strict=True)))
        for slot in table.slots[running : table.running]:
            slot.is_running = False
        table.running = running

    @staticmethod
    def _tell(table: Table) -> None:
        for index, slot in enumerate(table.slots[: table.running]):
            if slot.request is not None and slot.request.progress is not None:
                slot.request.progress(table.states.tokens_SL[index, : slot.written].tolist())


def _shared(cached: tuple[int, ...], prompt: tuple[int, ...]) -> int:
    """Length of the common prefix."""
    pairs = zip(cached, prompt, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(cached), len(prompt)))

"""The policy and its optimizer: measuring log-probabilities, accumulating gradients, stepping."""

import time
from collections import defaultdict
from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Self

import torch
from torch import Tensor

from trainer_bridge.advantages import token_advantages
from trainer_bridge.batch import Batch, State
from trainer_bridge.components.reductions.counts import Counts
from trainer_bridge.components.regularizers.kl import kl_estimate
from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.logprobs import completion_logprobs
from trainer_bridge.losses import policy_loss, token_weights
from trainer_bridge.master_weights import MasterWeights
from trainer_bridge.packing import MicroBatch, Sample, pack
from trainer_bridge.recipe import Recipe
from trainer_bridge.settings import TrainSettings

_MICROBATCH_TOKENS = {"cpu": 512}  # larger ones fall out of the cache; on a GPU small ones leave it idle
_TIMES = ("time/logprob", "time/backward", "time/optim")


@dataclass
class Tally:
    """What a step adds up: sums over its tokens and rows, for means; and seconds."""

    sums: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_TIMES, 0.0))

    def add(self, name: str, values_BT: Tensor, mask_BT: Tensor) -> None:
        """Add the masked sum under ``name``."""
        self.sums[name] += float((values_BT.detach() * mask_BT).sum())

    def add_row_rates(self, name: str, flags_BT: Tensor, mask_BT: Tensor) -> None:
        """Add each row's share of flagged tokens, for a mean over rows."""
        self.sums[name] += float((flags_BT.float().sum(-1) / mask_BT.sum(-1).clamp(min=1)).sum())


class Learner:
    """Holds model, reference, float32 master weights and AdamW; ``update`` learns from one batch."""

    def __init__(self, model: Any, recipe: Recipe, settings: TrainSettings) -> None:
        self.model, self._recipe, self._settings = model, recipe, settings
        self.device: torch.device = model.device
        self.reference = deepcopy(model).requires_grad_(False) if "reference" in recipe.needs else None
        self.weights = MasterWeights(model, settings)
        self.optimizer_steps = 0

    def update(
        self, batch: Batch, samples: Sequence[Sample], advantages_B: Tensor, utility_B: Tensor, state: State
    ) -> dict[str, float]:
        """Learn from one batch: ``num_iterations`` passes of ``steps_per_generation`` optimizer steps each."""
        tally, updates, norm, loss, rate = Tally(), 0, 0.0, 0.0, 0.0
        batch = self._prepare(batch, samples, tally)
        for _ in range(self._settings.num_iterations):
            for rows in self._chunks(batch):
                part, chosen = batch.select(rows), [samples[row] for row in rows.tolist()]
                loss += self._accumulate(part, chosen, advantages_B[rows], utility_B[rows], state, tally)
                start = time.perf_counter()
                rate = self._settings.learning_rate_at(state.step)
                norm += self.weights.step(rate, self._settings.max_grad_norm)
                tally.seconds["time/optim"] += time.perf_counter() - start
                updates += 1
        self.optimizer_steps += updates
        metrics = self._means(tally, batch.mask_BT, passes=self._settings.num_iterations)
        return {"loss": loss / updates, "grad_norm": norm / updates, "learning_rate": rate, **metrics, **tally.seconds}

    def using(self, recipe: Recipe) -> Self:
        """The same weights and optimizer under another recipe (one that needs no reference)."""
        other = copy(self)
        other._recipe, other.reference = recipe, None  # noqa: SLF001 -- a copy of itself
        return other

    def measure(self, model: Any, samples: Sequence[Sample], width: int) -> tuple[Tensor, Tensor]:
        """(log-probabilities_BT, entropy_BT) of ``samples`` under ``model``, without gradient."""
        logprobs_BT = torch.zeros(len(samples), width, device=self.device)
        entropy_BT = torch.zeros_like(logprobs_BT)
        with torch.no_grad():
            for micro in self._pack(samples, width):
                rows = torch.tensor(micro.samples, device=self.device)
                logprobs_BT[rows], entropy_BT[rows] = completion_logprobs(model, micro, self._settings.temperature)
        return logprobs_BT, entropy_BT

    def _prepare(self, batch: Batch, samples: Sequence[Sample], tally: Tally) -> Batch:
        """Measure what the recipe needs before the first update."""
        start = time.perf_counter()
        width = batch.mask_BT.shape[1]
        reuses = self._settings.num_iterations * self._settings.steps_per_generation > 1
        if reuses or self._recipe.needs & {"old", "current", "entropy"}:
            logprobs_BT, entropy_BT = self.measure(self.model, samples, width)
            batch = replace(batch, old_logprobs_BT=logprobs_BT, current_logprobs_BT=logprobs_BT, entropy_BT=entropy_BT)
        if self.reference is not None:
            batch = replace(batch, reference_logprobs_BT=self.measure(self.reference, samples, width)[0])
        tally.seconds["time/logprob"] += time.perf_counter() - start
        return batch

    def _chunks(self, batch: Batch) -> list[Tensor]:
        """Row indices of each optimizer step: whole groups."""
        groups = batch.group_B.unique()
        parts = torch.tensor_split(groups, self._settings.steps_per_generation)
        return [torch.isin(batch.group_B, part).nonzero()[:, 0] for part in parts if len(part)]

    def _accumulate(
        self,
        batch: Batch,
        samples: Sequence[Sample],
        advantages_B: Tensor,
        utility_B: Tensor,
        state: State,
        tally: Tally,
    ) -> float:
        """Gradients of one optimizer step, micro-batch by micro-batch; returns the loss."""
        batch = self._refresh(batch, samples, tally)
        counts = Counts.of(batch.mask_BT)
        advantages_BT = token_advantages(self._recipe, batch, advantages_B, utility_B)
        weights = token_weights(self._recipe, batch, advantages_BT)
        start, total = time.perf_counter(), 0.0
        for micro in self._pack(samples, batch.mask_BT.shape[1]):
            rows = torch.tensor(micro.samples, device=self.device)
            part = batch.select(rows)
            if not part.mask_BT.any():
                continue
            logprobs_BT, entropy_BT = completion_logprobs(self.model, micro, self._settings.temperature)
            loss = policy_loss(
                self._recipe, logprobs_BT, entropy_BT, part, advantages_BT[rows], weights.rows(rows), counts, state
            )
            if not torch.isfinite(loss.total):
                raise NonFiniteLossError(
                    f"the loss became {loss.total.item()} in step {state.step}; lower the learning rate"
                )
            loss.total.backward()
            self.weights.gather_gradients()
            total += loss.total.item()
            self._observe(tally, part, logprobs_BT.detach(), entropy_BT, loss)
        tally.seconds["time/backward"] += time.perf_counter() - start
        return total

    def _refresh(self, batch: Batch, samples: Sequence[Sample], tally: Tally) -> Batch:
        """Measure the current policy again, once it has moved within this batch and the recipe looks at it."""
        moves = self._settings.num_iterations * self._settings.steps_per_generation > 1
        if not moves or not self._recipe.needs & {"current", "entropy"}:
            return batch
        start = time.perf_counter()
        logprobs_BT, entropy_BT = self.measure(self.model, samples, batch.mask_BT.shape[1])
        tally.seconds["time/logprob"] += time.perf_counter() - start
        return replace(batch, current_logprobs_BT=logprobs_BT, entropy_BT=entropy_BT)

    def _pack(self, samples: Sequence[Sample], width: int) -> list[MicroBatch]:
        budget = self._settings.max_tokens_per_microbatch or _MICROBATCH_TOKENS.get(self.device.type, 16384)
        return pack(samples, max_tokens=budget, width=width, device=self.device)

    def _observe(self, tally: Tally, batch: Batch, logprobs_BT: Tensor, entropy_BT: Tensor, loss: Any) -> None:
        mask_BT = batch.mask_BT
        tally.add("entropy", entropy_BT, mask_BT)
        difference_BT = (logprobs_BT - batch.sampler_logprobs_BT) * mask_BT
        tally.add("sampling/sampling_logp_difference/mean", difference_BT.abs(), mask_BT)
        tally.add("mismatch_kl/mean", difference_BT.exp() - difference_BT - 1, mask_BT)
        low_BT, high_BT = loss.terms.clipped_low_BT, loss.terms.clipped_high_BT
        tally.add_row_rates("clip_ratio/low_mean", low_BT, mask_BT)
        tally.add_row_rates("clip_ratio/high_mean", high_BT, mask_BT)
        tally.add_row_rates("clip_ratio/region_mean", low_BT | high_BT, mask_BT)
        if batch.reference_logprobs_BT is not None:
            tally.add("kl", kl_estimate(logprobs_BT, batch.reference_logprobs_BT), mask_BT)

    def _means(self, tally: Tally, mask_BT: Tensor, passes: int) -> dict[str, float]:
        tokens, rows = int(mask_BT.sum()) * passes, int(mask_BT.any(-1).sum()) * passes
        return {
            name: value / max(rows if name.startswith("clip_ratio/") else tokens, 1)
            for name, value in tally.sums.items()
        }

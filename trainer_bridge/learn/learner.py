"""The learner: measures log-probabilities, accumulates gradients and takes optimizer steps."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from math import cos, isfinite, pi
from typing import Any, Self

import torch
from torch import Tensor

from schemas.metric_names import ENTROPY
from trainer_bridge.batch import Batch, State, Weights
from trainer_bridge.components.losses import Counts
from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.learn.activation_memory import recomputing, tokens_within
from trainer_bridge.learn.attention import use_products
from trainer_bridge.learn.lean_layers import use_lean_layers
from trainer_bridge.learn.master_weights import MasterWeights
from trainer_bridge.learn.micro_batches import BatchRow, MicroBatch, empty_micro_batch, pack
from trainer_bridge.learn.sharded_weights import ShardedWeights
from trainer_bridge.ranks import Ranks
from trainer_bridge.recipe import Recipe
from trainer_bridge.settings import TrainSettings

# Each micro-batch adds to the gradients of all weights: with 256 tokens on a CPU a third of its time. Larger ones keep
# more activations. A GPU needs more to be busy.
_MICROBATCH_TOKENS = {"cpu": 1024}
_TIMES = ("time/logprob", "time/backward", "time/optim")


@dataclass
class Accumulators:
    """Sums over one step: of values over tokens, for their means, and of seconds."""

    by_name: dict[str, Tensor | float] = field(default_factory=lambda: defaultdict(float))
    """On the device until they are read: reading each one would make the host wait for every micro-batch."""
    taught: float = 0.0
    """Number of rows with a non-zero advantage at some trained token, added up over passes."""
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_TIMES, 0.0))

    def add(self, name: str, values_BT: Tensor, mask_BT: Tensor) -> None:
        """Add the masked sum under ``name``. Values may also be one a row."""
        self.by_name[name] += (values_BT.detach() * mask_BT).sum(dtype=torch.float64)

    def numbers(self) -> dict[str, float]:
        """The sums by name, read at once."""
        values = [torch.as_tensor(value, dtype=torch.float64) for value in self.by_name.values()]
        if not values:
            return {}
        device = next((value.device for value in values if value.device.type != "cpu"), values[0].device)
        read = torch.stack([value.to(device) for value in values]).tolist()
        return dict(zip(self.by_name, read, strict=True))


class Learner:
    """Holds model, reference, float32 master weights and AdamW. ``update`` trains on one batch."""

    def __init__(self, model: Any, recipe: Recipe, settings: TrainSettings, ranks: Ranks | None = None) -> None:
        self.model, self._recipe, self._settings = model, recipe, settings
        self._ranks = ranks or Ranks()
        self.device: torch.device = model.device
        use_products(model)
        use_lean_layers(model)
        self._budget = _microbatch_tokens(model, settings)
        several = self._ranks.count > 1
        self.weights = ShardedWeights(model, settings, self._ranks) if several else MasterWeights(model, settings)
        self.reference: list[Tensor] | None = None
        """The trained weights of the reference policy (with LoRA only the adapters), if the recipe needs one."""
        if "reference" in recipe.needs:
            self.reference = self.weights.copy()
        self.optimizer_steps = 0

    def update(
        self,
        batch: Batch,
        samples: Sequence[BatchRow],
        advantages_B: Tensor,
        utility_B: Tensor,
        state: State,
        learning_rate: float | None = None,
    ) -> dict[str, float]:
        """Learn from one batch: ``num_iterations`` passes of ``steps_per_generation`` optimizer steps each.

        A given ``learning_rate`` replaces that of the schedule. A pass in which every row is masked changes nothing.
        """
        sums, updates, norm, loss = Accumulators(), 0, 0.0, 0.0
        rate = learning_rate_at(self._settings, state.step) if learning_rate is None else learning_rate
        broadcast = self._ranks.broadcast
        advantages_B, utility_B = broadcast(advantages_B), broadcast(utility_B)
        batch = self._prepare(replace(batch, mask_BT=broadcast(batch.mask_BT)), samples, sums)
        for _ in range(self._settings.num_iterations):
            for rows in self._chunks(batch):
                chunk, chosen = batch.select(rows), [samples[row] for row in rows.tolist()]
                if not chunk.mask_BT.any():  # Otherwise AdamW would move the weights by its moments alone.
                    continue
                try:
                    loss += self.accumulate(chunk, chosen, advantages_B[rows], utility_B[rows], state, sums)
                    start = time.perf_counter()
                    norm += self.weights.step(rate, self._settings.max_grad_norm)
                except NonFiniteLossError as error:
                    raise NonFiniteLossError(f"{error} ({_what_was_done(updates)})") from None
                sums.seconds["time/optim"] += time.perf_counter() - start
                updates += 1
        self.optimizer_steps += updates
        metrics = self._means(sums, batch.mask_BT, passes=self._settings.num_iterations)
        count = max(updates, 1)
        metrics["num_trained"] = sums.taught / self._settings.num_iterations
        return {"loss": loss / count, "grad_norm": norm / count, "learning_rate": rate, **metrics, **sums.seconds}

    def take_reference(self) -> None:
        """Make the present policy the reference of KL terms, if the recipe has one. Called after a warm-up."""
        if self.reference is not None:
            self.reference = self.weights.copy()

    def using(self, recipe: Recipe) -> Self:
        """A learner with the same weights and optimizer and another recipe, which must need no reference."""
        other = copy(self)
        other._recipe, other.reference = recipe, None  # noqa: SLF001 -- a copy of itself
        return other

    def measure(self, samples: Sequence[BatchRow], width: int) -> tuple[Tensor, Tensor]:
        """(log-probabilities_BT, entropy_BT) of ``samples``, without gradient."""
        logprobs_BT = torch.zeros(len(samples), width, device=self.device)
        entropy_BT = torch.zeros_like(logprobs_BT)
        with torch.no_grad():
            for micro, rows in self._own(torch.arange(len(samples), device=self.device), samples, width):
                logprobs_BT[rows], entropy_BT[rows] = self.weights.logprobs(micro, self._settings.temperature)
        return self._ranks.all_reduce(logprobs_BT), self._ranks.all_reduce(entropy_BT)

    def _prepare(self, batch: Batch, samples: Sequence[BatchRow], sums: Accumulators) -> Batch:
        """Measure what the recipe needs before the first update."""
        start = time.perf_counter()
        width = batch.mask_BT.shape[1]
        reuses = self._settings.num_iterations * self._settings.steps_per_generation > 1
        if reuses or self._recipe.needs & {"old", "current", "entropy"}:
            logprobs_BT, entropy_BT = self.measure(samples, width)
            batch = replace(batch, old_logprobs_BT=logprobs_BT, current_logprobs_BT=logprobs_BT, entropy_BT=entropy_BT)
        if self.reference is not None:
            with self.weights.instead(self.reference):
                reference_BT, _ = self.measure(samples, width)
            batch = replace(batch, reference_logprobs_BT=reference_BT)
        sums.seconds["time/logprob"] += time.perf_counter() - start
        return batch

    def _chunks(self, batch: Batch) -> list[Tensor]:
        """Row indices of each optimizer step: whole groups."""
        groups = batch.group_B.unique()
        chunks = torch.tensor_split(groups, self._settings.steps_per_generation)
        return [torch.isin(batch.group_B, chunk).nonzero()[:, 0] for chunk in chunks if len(chunk)]

    def accumulate(
        self,
        batch: Batch,
        samples: Sequence[BatchRow],
        advantages_B: Tensor,
        utility_B: Tensor,
        state: State,
        sums: Accumulators | None = None,
    ) -> float:
        """Accumulate the gradients of one optimizer step, micro-batch by micro-batch. Returns the loss.

        ``batch`` holds the log-probabilities that the recipe needs. Values for metrics are added to ``sums``.
        """
        sums = Accumulators() if sums is None else sums
        batch = self._refresh(batch, samples, sums)
        counts = Counts.of(batch.mask_BT)
        broadcast = self._ranks.broadcast
        advantages_BT = broadcast(self._recipe.token_advantages(batch, advantages_B, utility_B))
        weights = self._recipe.weigh_tokens(batch, advantages_BT)
        weights = Weights(broadcast(weights.multiply_BT), broadcast(weights.drift_BT))
        sums.taught += float(((advantages_BT != 0) & batch.mask_BT).any(-1).sum())
        start, own = time.perf_counter(), Accumulators()
        for micro, rows, teaches in self._micro_batches(batch, samples, advantages_BT, weights):
            chunk = batch.select(rows)
            recomputes = teaches and self._settings.gradient_checkpointing
            with torch.set_grad_enabled(teaches), recomputing(self.weights.model) if recomputes else nullcontext():
                logprobs_BT, entropy_BT = self.weights.logprobs(micro, self._settings.temperature)
                loss = self._recipe.loss(
                    logprobs_BT, entropy_BT, chunk, advantages_BT[rows], weights.rows(rows), counts, state
                )
            if teaches:
                self.weights.backward(loss.total)
            own.by_name["loss"] += loss.total.detach().double()
            self._observe(own, chunk, logprobs_BT.detach(), entropy_BT, loss)
        found = self._ranks.sum_by_name(own.numbers())
        total = found.pop("loss", 0.0)
        if not isfinite(total):
            self.weights.clear_gradients()
            raise NonFiniteLossError(f"the loss became {total} in step {state.step}; lower the learning rate")
        for name, value in found.items():
            sums.by_name[name] += value
        sums.seconds["time/backward"] += time.perf_counter() - start
        return total

    def _micro_batches(
        self, batch: Batch, samples: Sequence[BatchRow], advantages_BT: Tensor, weights: Weights
    ) -> Iterator[tuple[MicroBatch, Tensor, bool]]:
        """Yield (micro-batch, its rows, whether they have a gradient). Fully masked rows are left out.

        A row whose advantages are all 0 has no gradient, unless a regularizer or the surrogate has one of its own. It
        then gets only a forward pass, for the metrics.
        """
        trained_B = batch.mask_BT.any(-1)
        pulled = bool(self._recipe.regularizers) or getattr(self._recipe.surrogate, "pulls", False)
        teaches_B = trained_B & (pulled | ((advantages_BT != 0) | (weights.drift_BT != 0)).any(-1))
        for teaches, chosen_B in ((True, teaches_B), (False, trained_B & ~teaches_B)):
            for micro, rows in self._own(chosen_B.nonzero()[:, 0], samples, batch.mask_BT.shape[1]):
                yield micro, rows, teaches

    def _own(self, rows: Tensor, samples: Sequence[BatchRow], width: int) -> Iterator[tuple[MicroBatch, Tensor]]:
        """Yield (micro-batch, its rows) of this process's share of ``rows``. ``rows`` are the same in every process.

        If another process has more micro-batches, empty ones follow: all processes must pass sharded weights equally
        often.
        """
        share = self._ranks.share([samples[row].size for row in rows.tolist()])
        rows = rows[share.start : share.stop]
        own = self._pack([samples[row] for row in rows.tolist()], width) if len(rows) else []
        missing = max(self._ranks.all_gather(len(own))) - len(own)
        for micro in [*own, *[empty_micro_batch(width, self.device)] * missing]:
            yield micro, rows[torch.tensor(micro.samples, dtype=torch.long, device=rows.device)]

    def _refresh(self, batch: Batch, samples: Sequence[BatchRow], sums: Accumulators) -> Batch:
        """Measure the current policy again, if the recipe needs it and the weights have changed within this batch."""
        moves = self._settings.num_iterations * self._settings.steps_per_generation > 1
        if not moves or not self._recipe.needs & {"current", "entropy"}:
            return batch
        start = time.perf_counter()
        logprobs_BT, entropy_BT = self.measure(samples, batch.mask_BT.shape[1])
        sums.seconds["time/logprob"] += time.perf_counter() - start
        return replace(batch, current_logprobs_BT=logprobs_BT, entropy_BT=entropy_BT)

    def _pack(self, samples: Sequence[BatchRow], width: int) -> list[MicroBatch]:
        return pack(samples, max_tokens=self._budget, width=width, device=self.device)

    def _observe(self, sums: Accumulators, batch: Batch, logprobs_BT: Tensor, entropy_BT: Tensor, loss: Any) -> None:
        """Add what TRL also reports, by TRL's formulas. How far sampler and learner differ is that before updates."""
        mask_BT = batch.mask_BT
        sums.add(ENTROPY, entropy_BT, mask_BT)
        before_BT = logprobs_BT if batch.old_logprobs_BT is None else batch.old_logprobs_BT
        difference_BT = (before_BT - batch.sampler_logprobs_BT) * mask_BT
        sums.add("sampling/sampling_logp_difference/mean", difference_BT.abs(), mask_BT)
        sums.add("mismatch_kl/mean", difference_BT.exp() - difference_BT - 1, mask_BT)
        low_BT, high_BT = loss.terms.clipped_low_BT, loss.terms.clipped_high_BT
        for name, clipped_BT in self._clip_ratios(low_BT, high_BT).items():
            if self._has_one_ratio_a_row:  # it counts once, whatever the row's length
                sums.add(name, clipped_BT.any(-1), mask_BT.any(-1))
            else:
                sums.add(name, clipped_BT, mask_BT)
        if batch.reference_logprobs_BT is not None:
            sums.add("kl", self._recipe.kl(logprobs_BT, batch), mask_BT)

    def _clip_ratios(self, low_BT: Tensor, high_BT: Tensor) -> dict[str, Tensor]:
        if self._recipe.surrogate.name == "cispo":
            return {"cispo_clip_ratio": high_BT}
        names = ("clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean")
        return dict(zip(names, (low_BT, high_BT, low_BT | high_BT), strict=True))

    def _means(self, sums: Accumulators, mask_BT: Tensor, passes: int) -> dict[str, float]:
        """Means over tokens, and of what is one number a row over rows, as in TRL."""
        tokens, rows = int(mask_BT.sum()) * passes, int(mask_BT.any(-1).sum()) * passes
        by_row = self._has_one_ratio_a_row
        return {
            name: value / max(rows if by_row and name.startswith("clip_ratio/") else tokens, 1)
            for name, value in sums.numbers().items()
        }

    @property
    def _has_one_ratio_a_row(self) -> bool:
        return getattr(self._recipe.surrogate, "by_sequence", False)


def _microbatch_tokens(model: Any, settings: TrainSettings) -> int:
    """Padded tokens of one micro-batch: the setting, as many as fit into the given memory, or a default by device."""
    if settings.max_tokens_per_microbatch:
        return settings.max_tokens_per_microbatch
    if settings.max_microbatch_mb:
        return tokens_within(model, settings.max_microbatch_mb, recomputes=settings.gradient_checkpointing)
    return _MICROBATCH_TOKENS.get(model.device.type, 16384)


def learning_rate_at(settings: TrainSettings, step: int) -> float:
    """Learning rate of step ``step`` (from 0), after warm-up and schedule."""
    from_warmup = min(1.0, (step + 1) / settings.warmup_steps) if settings.warmup_steps else 1.0
    done = step / max(settings.steps, 1)
    scale = {"constant": 1.0, "linear": 1 - done, "cosine": 0.5 * (1 + cos(pi * done))}[settings.lr_scheduler_type]
    return settings.learning_rate * from_warmup * scale


def _what_was_done(updates: int) -> str:
    """For an error message: how many updates of this batch came before the failed one, which changed nothing."""
    if not updates:
        return "the weights are those before this step"
    times = "once" if updates == 1 else f"{updates} times"
    return f"the weights were updated {times} in this step before; a checkpoint has those before it"

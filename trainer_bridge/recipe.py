"""A built recipe: the components of a training method, which turn rewards into a loss. ``recipe_text`` reads its text.

Aggregator, filters, shapers, advantage and modifiers give the advantages. Surrogate, token weights, regularizers and
reduction give the loss of a micro-batch.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from schemas.run import PinnedPackage
from trainer_bridge.batch import Batch, State, Weights, need
from trainer_bridge.components.contract import RunFacts
from trainer_bridge.components.losses import Counts, Terms
from trainer_bridge.components.registry import COMPONENTS, make_component
from trainer_bridge.components.regularizers import kl_estimate
from trainer_bridge.errors import RecipeError
from trainer_bridge.ports import Hub
from trainer_bridge.recipe_text import DEFAULTS, RecipeText, find_local_recipe, find_recipe


@dataclass(frozen=True)
class Loss:
    """``total`` to differentiate; ``terms`` for the clip metrics."""

    total: Tensor
    terms: Terms


@dataclass(frozen=True)
class Recipe:
    """The computation from reward vector to loss. ``settings`` are the recipe's defaults for settings of a run."""

    name: str
    description: str
    source: str
    data: str
    settings: Mapping[str, Any]
    sampler: Any
    filters: tuple[Any, ...]
    shapers: tuple[Any, ...]
    aggregator: Any
    advantage: Any
    modifiers: tuple[Any, ...]
    surrogate: Any
    token_weights: tuple[Any, ...]
    reduction: Any
    regularizers: tuple[Any, ...]
    controllers: tuple[Any, ...]
    package: PinnedPackage | None = None
    """The package it came from, if it is from a hub."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """Every component."""
        chosen = (getattr(self, kind) for kind in COMPONENTS)
        return tuple(part for one in chosen for part in (one if isinstance(one, tuple) else (one,)))

    def for_run(self, facts: RunFacts) -> "Recipe":
        """The recipe with its open parameters filled in from the run.

        Raises:
            RecipeError: a component does not fit the run.

        """

        def filled(part: Any) -> Any:
            return part.for_run(facts) if hasattr(part, "for_run") else part

        changes: dict[str, Any] = {}
        for kind in COMPONENTS:
            one = getattr(self, kind)
            changes[kind] = tuple(map(filled, one)) if isinstance(one, tuple) else filled(one)
        bound = dataclasses.replace(self, **changes)
        for part in bound.parts:
            if hasattr(part, "check_run"):
                part.check_run(facts)
        return bound

    @property
    def needs(self) -> frozenset[str]:
        """What must be measured before the loss: a subset of current, old, reference (log-probabilities) and
        entropy.
        """
        parts = (*self.modifiers, *self.token_weights, *self.regularizers)
        return frozenset().union(*(getattr(part, "needs", frozenset()) for part in parts))

    @property
    def learns_answers(self) -> bool:
        """Whether the recipe is supervised: cross-entropy on the tasks' answers, without sampling."""
        return self.data == "answers"

    @property
    def refills(self) -> bool:
        """Whether dropped groups are sampled again (dynamic sampling)."""
        return any(part.level == "group" for part in self.filters)

    def as_table(self) -> dict[str, Any]:
        """Flat ``kind.component.parameter`` -> value, for the run page and for checkpoints."""
        table: dict[str, Any] = {"recipe": self.name}
        for kind in COMPONENTS:
            chosen = getattr(self, kind)
            parts = chosen if isinstance(chosen, tuple) else (chosen,)
            table[kind] = ", ".join(part.name for part in parts)
            for part in parts:
                for field in dataclasses.fields(part):
                    value = getattr(part, field.name)
                    table[f"{kind}.{part.name}.{field.name}"] = list(value) if isinstance(value, tuple) else value
        return table

    def keep_groups(self, batch: Batch) -> Tensor:
        """keep_B (bool), by the group filters on the utility before shaping. A group is kept or dropped as a whole."""
        utility_B = self.aggregator(batch)
        keep_B = torch.ones(len(utility_B), dtype=torch.bool, device=utility_B.device)
        for part in self.filters:
            if part.level == "group":
                keep_B &= part(utility_B, batch)
        return keep_B

    def trained_mask(self, batch: Batch) -> Tensor:
        """mask_BT without rows that must not be trained on: not judged, or dropped by a filter of level row.

        Filters see the utility before shaping, so that a length penalty does not change what counts as right.
        """
        utility_B: Tensor = self.aggregator(batch)
        keep_B = ~utility_B.isnan()
        for part in self.filters:
            if part.level == "row":
                keep_B &= part(utility_B, batch)
        return batch.mask_BT & keep_B[:, None]

    def row_advantages(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """(advantages_B, utility_B), float64: after shaping and estimation, before token-level modifiers."""
        utility_B = self.aggregator(batch)
        for shaper in self.shapers:
            utility_B = shaper(utility_B, batch)
        return self.advantage(utility_B, batch), utility_B

    def token_advantages(self, batch: Batch, advantages_B: Tensor, utility_B: Tensor) -> Tensor:
        """advantages_BT (float32), 0 outside the mask."""
        advantages_BT = advantages_B[:, None] * batch.mask_BT
        for modifier in self.modifiers:
            advantages_BT = modifier(advantages_BT, utility_B, batch)
        return (advantages_BT * batch.mask_BT).float()

    def weigh_tokens(self, batch: Batch, advantages_BT: Tensor) -> Weights:
        """The product of all token weights for the whole batch, without gradient."""
        combined = Weights.scaling(torch.ones_like(advantages_BT))
        for part in self.token_weights:
            weights: Weights = part(advantages_BT, batch)
            combined = Weights(combined.multiply_BT * weights.multiply_BT, combined.drift_BT + weights.drift_BT)
        return combined

    def kl(self, logprobs_BT: Tensor, batch: Batch) -> Tensor:
        """kl_BT to the reference for the metric: as the recipe's own term estimates it, else by k3."""
        for part in (*self.modifiers, *self.regularizers):
            if hasattr(part, "estimate"):
                found: Tensor = part.estimate(logprobs_BT, batch)
                return found
        return kl_estimate(logprobs_BT, need(batch.reference_logprobs_BT, "reference"))

    def loss(  # noqa: PLR0917 -- a loss has this many inputs
        self,
        logprobs_BT: Tensor,
        entropy_BT: Tensor,
        batch: Batch,
        advantages_BT: Tensor,
        weights: Weights,
        counts: Counts,
        state: State,
    ) -> Loss:
        """A micro-batch's share of the batch's loss. The shares add up to the loss, however the batch is cut.

        ``batch``, advantages and weights hold the micro-batch's rows only; ``counts`` are those of the whole batch.
        Without ``old_logprobs_BT`` (one update for each batch) the old policy is the current one, and every ratio is
        exactly 1.
        """
        old_BT = logprobs_BT.detach() if batch.old_logprobs_BT is None else batch.old_logprobs_BT
        terms: Terms = self.surrogate(logprobs_BT, old_BT, advantages_BT, batch.mask_BT)
        loss_BT = terms.loss_BT * weights.multiply_BT
        if self.token_weights:
            loss_BT = loss_BT + weights.drift_BT * (logprobs_BT - old_BT).abs()
        share_BT = self.reduction(batch.mask_BT, counts).to(loss_BT)
        for regularizer in self.regularizers:
            term_BT = regularizer(logprobs_BT, entropy_BT, batch, state)
            if getattr(regularizer, "mean", "as_loss") == "tokens":  # the loss is multiplied by the share below
                term_BT = term_BT / (share_BT * max(counts.tokens, 1)).masked_fill(~batch.mask_BT, 1.0)
            loss_BT = loss_BT + term_BT
        total = torch.where(batch.mask_BT, loss_BT, torch.zeros_like(loss_BT)).mul(share_BT).sum()
        return Loss(total, terms)


def load_recipe(name: str, overrides: Mapping[str, Any] | None = None) -> Recipe:
    """Load a bundled recipe by name, or a TOML file by path, and apply ``kind.parameter`` overrides.

    Raises:
        RecipeError: there is no such recipe, it is not valid TOML, or a name in it is unknown (with the nearest known
        one).

    """
    return build_recipe(find_local_recipe(name, overrides))


def open_recipe(name: str, overrides: Mapping[str, Any], hub: Hub) -> Recipe:
    """Like :func:`load_recipe`; ``name`` may also be a package of kind recipe on the hub.

    Raises:
        RecipeError: see ``find_recipe`` and ``build_recipe``.

    """
    return build_recipe(find_recipe(name, overrides, hub))


def build_recipe(text: RecipeText) -> Recipe:
    """Build all components. Raises :class:`RecipeError` if one refuses a value or two contradict each other."""
    parts = {kind: tuple(make_component(kind, *entry) for entry in listed) for kind, listed in text.entries.items()}
    single: dict[str, Any] = {kind: built[0] if kind in DEFAULTS else built for kind, built in parts.items()}
    recipe = Recipe(text.name, text.description, text.source, text.data, text.settings, **single, package=text.package)
    for kind, built in parts.items():
        names = [part.name for part in built]
        if len(set(names)) < len(names):
            raise RecipeError(f"recipe {text.name}: {kind} names a component twice: {', '.join(names)}")
    for part in recipe.parts:
        if hasattr(part, "check"):
            part.check(recipe)
    return recipe

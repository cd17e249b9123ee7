"""A recipe: a training method as data, built into components. ``recipe_text`` reads it."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.run import PinnedPackage
from trainer_bridge.components.contract import RunFacts
from trainer_bridge.components.registry import COMPONENTS, make_component
from trainer_bridge.errors import RecipeError
from trainer_bridge.recipe_text import DEFAULTS, RecipeText, find_local_recipe, read_recipe


@dataclass(frozen=True)
class Recipe:
    """What is done with a batch, from reward vector to loss. ``settings`` are the method's own defaults for a run."""

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
    """Where it came from, if from a hub."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """Every component."""
        chosen = (getattr(self, kind) for kind in COMPONENTS)
        return tuple(part for one in chosen for part in (one if isinstance(one, tuple) else (one,)))

    def for_run(self, facts: RunFacts) -> "Recipe":
        """The recipe with what it left open filled in from the run.

        Raises:
            RecipeError: a component contradicts the run.

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
        """What must be measured before the loss: any of current, old, reference (log-probabilities) and entropy."""
        parts = (*self.modifiers, *self.token_weights, *self.regularizers)
        return frozenset().union(*(getattr(part, "needs", frozenset()) for part in parts))

    @property
    def learns_answers(self) -> bool:
        """Whether it is supervised: cross-entropy on the tasks' answers, without sampling."""
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


def load_recipe(name: str, overrides: Mapping[str, Any] | None = None) -> Recipe:
    """Load a bundled recipe by name, or a TOML file by path, and apply ``kind.parameter`` overrides.

    Raises:
        RecipeError: no such recipe, not valid TOML, or something in it is unknown (with the nearest known name).

    """
    return build_recipe(find_local_recipe(name, overrides))


def parse_recipe(text: str, name: str, overrides: Mapping[str, Any] | None = None) -> Recipe:
    """Build a recipe from TOML text."""
    return build_recipe(read_recipe(text, name, overrides))


def build_recipe(text: RecipeText) -> Recipe:
    """Make each component. Raises :class:`RecipeError` where one refuses a value, or two contradict each other."""
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

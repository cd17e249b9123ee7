"""A recipe: a training method as data, read from TOML and built into components."""

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from schemas.run import PinnedPackage
from trainer_bridge.components.registry import COMPONENTS, make_component, nearest
from trainer_bridge.errors import RecipeError

_BUNDLED = files("trainer_bridge") / "recipes"
_TEXTS = ("name", "description", "source")
_DEFAULTS = {
    "sampler": "uniform",
    "aggregator": "weighted_sum",
    "advantage": "group",
    "surrogate": "clip",
    "reduction": "token_mean",
}


@dataclass(frozen=True)
class Recipe:
    """What is done with a batch, from reward vector to loss. ``settings`` are the method's own defaults for a run."""

    name: str
    description: str
    source: str
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
    def needs(self) -> frozenset[str]:
        """What must be measured beforehand: any of current, old, reference, entropy."""
        parts = (*self.modifiers, *self.token_weights, *self.regularizers)
        return frozenset().union(*(getattr(part, "needs", frozenset()) for part in parts))

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


def bundled_recipes() -> list[str]:
    """Names of the recipes that come with the trainer."""
    return sorted(entry.name.removesuffix(".toml") for entry in _BUNDLED.iterdir() if entry.name.endswith(".toml"))


def load_recipe(name: str, overrides: Mapping[str, Any] | None = None) -> Recipe:
    """Load a bundled recipe by name, or a TOML file by path, and apply ``kind.parameter`` overrides.

    Raises:
        RecipeError: no such recipe, not valid TOML, or something in it is unknown (with the nearest known name).

    """
    if name in bundled_recipes():
        text = (_BUNDLED / f"{name}.toml").read_text()
    elif Path(name).is_file():
        text = Path(name).read_text()
    else:
        raise RecipeError(f"there is no recipe {name!r}{nearest(name, dict.fromkeys(bundled_recipes()))}")
    return parse_recipe(text, name, overrides)


def parse_recipe(text: str, name: str, overrides: Mapping[str, Any] | None = None) -> Recipe:
    """Build a recipe from TOML text."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"recipe {name}: not valid TOML: {error}") from None
    known = dict.fromkeys((*_TEXTS, "settings", *COMPONENTS))
    for key in data:
        if key not in known:
            raise RecipeError(f"recipe {name}: unknown key {key!r}{nearest(key, known)}")
    settings = data.get("settings", {})
    if not isinstance(settings, dict):
        raise RecipeError(f"recipe {name}: settings must be a table")
    texts: dict[str, Any] = {key: str(data.get(key, "")) for key in _TEXTS}
    texts["name"] = texts["name"] or Path(name).stem
    entries = {kind: _entries(kind, data.get(kind, _DEFAULTS.get(kind, []))) for kind in COMPONENTS}
    for path, value in (overrides or {}).items():
        _override(entries, path, value)
    parts = {kind: tuple(make_component(kind, *entry) for entry in listed) for kind, listed in entries.items()}
    single: dict[str, Any] = {kind: built[0] if kind in _DEFAULTS else built for kind, built in parts.items()}
    return Recipe(**texts, settings=settings, **single)


def _entries(kind: str, value: Any) -> list[tuple[str, dict[str, Any]]]:
    """Each component as (name, parameters), from ``"name"``, ``{name = …, parameter = …}`` or a list of these."""
    listed = value if isinstance(value, list) else [value]
    if kind in _DEFAULTS and len(listed) != 1:
        raise RecipeError(f"{kind} names exactly one component, not {len(listed)}")
    entries = []
    for item in listed:
        table = {"name": item} if isinstance(item, str) else item
        if not isinstance(table, dict) or not isinstance(table.get("name"), str):
            raise RecipeError(f'{kind} must be a component\'s name or a table with name = "…", not {item!r}')
        entries.append((table["name"], {key: parameter for key, parameter in table.items() if key != "name"}))
    return entries


def _override(entries: dict[str, list[tuple[str, dict[str, Any]]]], path: str, value: Any) -> None:
    """Set ``kind.parameter`` (a single component) or ``kind.component.parameter`` (one of a list)."""
    kind, *rest = path.split(".")
    if kind not in entries or len(rest) not in (1, 2):
        raise RecipeError(f"{path!r} is not KIND.PARAMETER or KIND.COMPONENT.PARAMETER{nearest(kind, entries)}")
    listed = entries[kind]
    if len(rest) == 2:
        listed = [entry for entry in listed if entry[0] == rest[0]]
    if len(listed) != 1:
        names = ", ".join(entry[0] for entry in entries[kind]) or "none"
        raise RecipeError(f"{path!r}: this recipe's {kind} are {names}; name one as {kind}.COMPONENT.PARAMETER")
    listed[0][1][rest[-1]] = value

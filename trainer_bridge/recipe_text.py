"""Finds a recipe, reads it from TOML and checks its names, without torch."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from schemas.kinds import PackageKind
from schemas.names import names_package
from schemas.run import PinnedPackage
from schemas.strict_toml import parse_toml
from schemas.wording import nearest
from trainer_bridge.components.names import component_parameters, refuse_unknown
from trainer_bridge.errors import RecipeError
from trainer_bridge.ports import Hub
from trainer_bridge.trl_names import RECIPE_NAMES

_BUNDLED = files("trainer_bridge") / "recipes"
_TEXTS = ("name", "description", "source", "data")
_DATA = ("", "samples", "answers")
DEFAULTS = {
    "sampler": "uniform",
    "aggregator": "weighted_sum",
    "advantage": "group",
    "surrogate": "clip",
    "reduction": "token_mean",
}
"""Kinds of which a recipe has exactly one component, and the default component."""


@dataclass(frozen=True)
class RecipeText:
    """A checked recipe. ``entries``: kind -> (component, parameters), in order, with overrides applied."""

    name: str
    description: str
    source: str
    data: str
    """What is trained on: ``samples`` of the policy (also if empty), or the tasks' ``answers``."""
    settings: Mapping[str, Any]
    entries: Mapping[str, list[tuple[str, dict[str, Any]]]]
    package: PinnedPackage | None = None


def bundled_recipes() -> list[str]:
    """Names of the recipes that come with the trainer."""
    return sorted(entry.name.removesuffix(".toml") for entry in _BUNDLED.iterdir() if entry.name.endswith(".toml"))


def find_recipe(name: str, overrides: Mapping[str, Any], hub: Hub) -> RecipeText:
    """Find ``name`` among bundled recipes, then files, then (``owner/name@…`` or a project folder) packages.

    Raises:
        RecipeError: there is nothing of that name, it is no recipe package, or a name in it is unknown.

    """
    is_package = (names_package(name) or Path(name).is_dir()) and not Path(name).is_file()
    if name in bundled_recipes() or not is_package:
        return find_local_recipe(name, overrides)
    package = hub.load(name)
    manifest = package.contents.manifest
    if manifest.kind is not PackageKind.RECIPE or manifest.recipe is None:
        raise RecipeError(f"{name} is a package of kind {manifest.kind}, not a recipe")
    text = package.contents.read_data(manifest.recipe).decode()
    pin = PinnedPackage(package=manifest.id, version=package.version, digest=package.digest)
    return replace(read_recipe(text, manifest.id, overrides), package=pin)


def find_local_recipe(name: str, overrides: Mapping[str, Any] | None = None) -> RecipeText:
    """A bundled recipe by name, or a TOML file by path. Raises :class:`RecipeError`."""
    if name in bundled_recipes():
        text = (_BUNDLED / f"{name}.toml").read_text()
    elif Path(name).is_file():
        text = Path(name).read_text()
    else:
        raise RecipeError(f"there is no recipe {name!r}; {nearest(name, bundled_recipes())}")
    return read_recipe(text, name, overrides)


def settings_of_local_recipe(name: str) -> Mapping[str, Any]:
    """The settings that a bundled recipe or a TOML file gives for a run. Empty for any other name."""
    return find_local_recipe(name).settings if name in bundled_recipes() or Path(name).is_file() else {}


def read_recipe(text: str, name: str, overrides: Mapping[str, Any] | None = None) -> RecipeText:
    """Read TOML text, apply ``kind.parameter`` overrides, and check every name. Raises :class:`RecipeError`."""
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise RecipeError(f"recipe {name}: not valid TOML: {error}") from None
    known = component_parameters()
    keys = (*_TEXTS, "settings", *known)
    for key in data:
        if key not in keys:
            raise RecipeError(f"recipe {name}: unknown key {key!r}; {nearest(key, keys)}")
    settings = data.get("settings", {})
    if not isinstance(settings, dict):
        raise RecipeError(f"recipe {name}: settings must be a table")
    texts: dict[str, Any] = {key: str(data.get(key, "")) for key in _TEXTS}
    texts["name"] = texts["name"] or Path(name).stem
    if texts["data"] not in _DATA:
        raise RecipeError(f"recipe {name}: data is 'samples' or 'answers', not {texts['data']!r}")
    entries = {kind: _entries(kind, data.get(kind, DEFAULTS.get(kind, []))) for kind in known}
    given = overrides or {}
    for path in [*(path for path in RECIPE_NAMES if path in given), *(one for one in given if one not in RECIPE_NAMES)]:
        _override(entries, path, given[path])
    for kind, listed in entries.items():
        for component, parameters in listed:
            refuse_unknown(kind, component, parameters, known[kind])
    return RecipeText(**texts, settings=settings, entries=entries)


def _entries(kind: str, value: Any) -> list[tuple[str, dict[str, Any]]]:
    """Each component as (name, parameters), from ``"name"``, ``{name = …, parameter = …}`` or a list of these."""
    listed = value if isinstance(value, list) else [value]
    if kind in DEFAULTS and len(listed) != 1:
        raise RecipeError(f"{kind} names exactly one component, not {len(listed)}")
    entries = []
    for item in listed:
        table = {"name": item} if isinstance(item, str) else item
        if not isinstance(table, dict) or not isinstance(table.get("name"), str):
            raise RecipeError(f'{kind} must be a component\'s name or a table with name = "…", not {item!r}')
        entries.append((table["name"], {key: parameter for key, parameter in table.items() if key != "name"}))
    return entries


def _override(entries: dict[str, list[tuple[str, dict[str, Any]]]], path: str, value: Any) -> None:
    """Set ``kind.parameter`` (a single component), ``kind.component.parameter`` (one of a list), or a whole kind."""
    if path in RECIPE_NAMES:
        RECIPE_NAMES[path](entries, value)
        return
    if path in entries:
        entries[path] = _entries(path, value)
        return
    kind, *rest = path.split(".")
    if kind not in entries or len(rest) not in (1, 2):
        raise RecipeError(f"{path!r} is not KIND.PARAMETER or KIND.COMPONENT.PARAMETER; {nearest(kind, entries)}")
    listed = entries[kind]
    if len(rest) == 2:
        listed = [entry for entry in listed if entry[0] == rest[0]]
    if len(listed) != 1:
        names = ", ".join(entry[0] for entry in entries[kind]) or "none"
        raise RecipeError(f"{path!r}: this recipe's {kind} are {names}; name one as {kind}.COMPONENT.PARAMETER")
    listed[0][1][rest[-1]] = value

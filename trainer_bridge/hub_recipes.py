"""Recipes from anywhere: bundled, a TOML file, or a package of kind recipe on the hub."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemas.kinds import PackageKind
from schemas.run import PinnedPackage
from trainer_bridge.errors import RecipeError
from trainer_bridge.recipe import Recipe, bundled_recipes, load_recipe, parse_recipe
from trainer_bridge.stream import Hub


def open_recipe(name: str, overrides: Mapping[str, Any], hub: Hub) -> Recipe:
    """Find ``name`` among bundled recipes, then files, then (``owner/name@…`` or a project folder) packages.

    Raises:
        RecipeError: nothing of that name, not a recipe package, or something in it is unknown.

    """
    is_package = "/" in name and not Path(name).is_file()
    if name in bundled_recipes() or not is_package:
        return load_recipe(name, overrides)
    package = hub.load(name)
    manifest = package.contents.manifest
    if manifest.kind is not PackageKind.RECIPE or manifest.recipe is None:
        raise RecipeError(f"{name} is a package of kind {manifest.kind}, not a recipe")
    text = package.contents.read_data(manifest.recipe).decode()
    pin = PinnedPackage(package=manifest.id, version=package.version, digest=package.digest)
    return replace(parse_recipe(text, manifest.id, overrides), package=pin)

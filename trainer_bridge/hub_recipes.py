"""Recipes from anywhere: bundled, a TOML file, or a package of kind recipe on the hub."""

from collections.abc import Mapping
from typing import Any

from trainer_bridge.ports import Hub
from trainer_bridge.recipe import Recipe, build_recipe
from trainer_bridge.recipe_text import find_recipe


def open_recipe(name: str, overrides: Mapping[str, Any], hub: Hub) -> Recipe:
    """Find a recipe and build it. Raises :class:`RecipeError`: see ``find_recipe`` and ``build_recipe``."""
    return build_recipe(find_recipe(name, overrides, hub))

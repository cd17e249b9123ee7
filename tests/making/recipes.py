"""Recipes as a run has them: what they leave open is filled in."""

from collections.abc import Mapping
from typing import Any

from schemas.manifest import RewardDeclaration
from trainer_bridge.components.contract import RunFacts
from trainer_bridge.recipe import Recipe, build_recipe, load_recipe
from trainer_bridge.recipe_text import read_recipe
from trainer_bridge.rewards import RewardSpace


def facts(*rewards: str, length: int = 1, steps: int = 100, updates: int = 2, weight: float = 1.0) -> RunFacts:
    """One environment with these scores."""
    space = RewardSpace({name: RewardDeclaration(weight=weight) for name in rewards or ("score",)})
    return RunFacts(length, steps, updates, {"al/a": space})


NEEDS_AN_AUDIT = "corrected"
"""The recipe that only one reward of 0 or 1 fits, and only with an audit: it has tests of its own."""


def bundled(name: str, overrides: Mapping[str, Any] | None = None, length: int = 1) -> Recipe:
    """A bundled recipe, for a run of samples of at most ``length`` tokens."""
    updates = 1 if name == "opo" else 2
    return load_recipe(name, overrides).for_run(facts("score", "correct", "rubric", length=length, updates=updates))


def written(text: str, length: int = 1) -> Recipe:
    """A recipe out of TOML text."""
    return build_recipe(read_recipe(text, "test")).for_run(facts(length=length))

"""Recipes are data: every bundled one loads, and everything unknown is refused with the nearest known name."""

import re
from pathlib import Path

import pytest

from trainer_bridge.components.registry import COMPONENTS
from trainer_bridge.errors import RecipeError
from trainer_bridge.recipe import bundled_recipes, load_recipe, parse_recipe
from trainer_bridge.settings import TrainSettings


@pytest.mark.parametrize("name", bundled_recipes())
def test_every_bundled_recipe_loads_and_says_where_it_is_from(name):
    recipe = load_recipe(name)
    assert recipe.name == name
    assert recipe.description
    assert recipe.source


def test_every_component_says_its_formula_or_source():
    for kind, components in COMPONENTS.items():
        for component in components.values():
            assert len(component.__doc__) > 20, (kind, component)


def test_dapo_has_the_papers_defaults():
    recipe = load_recipe("dapo")
    assert (recipe.surrogate.epsilon, recipe.surrogate.epsilon_high) == (0.2, 0.28)
    assert recipe.reduction.name == "token_mean"
    assert [part.name for part in recipe.filters] == ["zero_variance"]
    assert recipe.regularizers == ()
    assert recipe.refills
    assert recipe.needs == frozenset()


def test_grpo_needs_a_reference_and_does_not_refill():
    recipe = load_recipe("grpo")
    assert recipe.needs == {"reference"}
    assert not recipe.refills


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('surogate = "clip"', "did you mean 'surrogate'"),
        ('surrogate = "clipp"', "did you mean 'clip'"),
        ('surrogate = {name = "clip", epsilon_hihg = 0.3}', "did you mean 'epsilon_high'"),
        ('surrogate = {name = "clip", epsilon = "wide"}', "must be like 0.2"),
        ('surrogate = ["clip", "gspo"]', "exactly one"),
        ("surrogate = 3", "name"),
        ('regularizers = [{name = "kl", estimator = "k9"}]', "none of k1"),
        ("surrogate = ", "not valid TOML"),
    ],
)
def test_what_a_recipe_gets_wrong_is_named(text, message):
    with pytest.raises(RecipeError, match=message):
        parse_recipe(text, "mine")


def test_an_unknown_recipe_gets_the_nearest_name():
    with pytest.raises(RecipeError, match="did you mean 'dapo'"):
        load_recipe("dappo")


def test_overrides_reach_single_and_listed_components():
    recipe = load_recipe("grpo", {"surrogate.epsilon_high": 0.3, "regularizers.kl.beta": 0.5})
    assert recipe.surrogate.epsilon_high == 0.3
    assert recipe.regularizers[0].beta == 0.5
    with pytest.raises(RecipeError, match=r"KIND\.PARAMETER"):
        load_recipe("grpo", {"epsilon": 0.3})
    with pytest.raises(RecipeError, match="this recipe's controllers are none"):
        load_recipe("grpo", {"controllers.magic.delta": 0.3})


def test_a_recipe_file_of_ones_own_works(tmp_path):
    (tmp_path / "mine.toml").write_text('advantage = "rloo"\n[settings]\nnum_generations = 4\n')
    recipe = load_recipe(str(tmp_path / "mine.toml"))
    assert recipe.name == "mine"
    assert recipe.advantage.name == "rloo"
    assert recipe.settings == {"num_generations": 4}
    assert recipe.as_table()["reduction"] == "token_mean"


def test_the_documentation_names_every_recipe_component_and_setting():
    docs = Path(__file__).parents[2] / "docs"
    recipes, trainer = (docs / "recipes.md").read_text(), (docs / "trainer.md").read_text()
    for kind, components in COMPONENTS.items():
        row = next(line for line in recipes.splitlines() if line.startswith(f"| {kind} |"))
        assert re.findall(r"`(\w+)`", row) == list(components), kind
    for name in bundled_recipes():
        assert f"`{name}`" in recipes, name
    rows = [line for line in trainer.splitlines() if line.startswith("| `")]
    documented = {name for line in rows for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert documented <= set(TrainSettings.model_fields)

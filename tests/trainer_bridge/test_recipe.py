"""Recipes are data: every bundled one loads, and everything unknown is refused with the nearest known name."""

import re
from pathlib import Path

import pytest
import torch

from tests.making.batches import make_batch
from tests.making.recipes import facts
from trainer_bridge.batch import State
from trainer_bridge.components.controllers import AdaptiveKl
from trainer_bridge.components.registry import COMPONENTS
from trainer_bridge.errors import RecipeError
from trainer_bridge.recipe import build_recipe, load_recipe
from trainer_bridge.recipe_text import bundled_recipes, read_recipe
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
        ('surrogate = {name = "clip", epsilon = "wide"}', "epsilon is 'wide': input should be a valid number"),
        ('surrogate = ["clip", "gspo"]', "exactly one"),
        ("surrogate = 3", "name"),
        ('regularizers = [{name = "kl", estimator = "k9"}]', "estimator is 'k9'.*'k1'"),
        ("surrogate = ", "not valid TOML"),
    ],
)
def test_what_a_recipe_gets_wrong_is_named(text, message):
    with pytest.raises(RecipeError, match=message):
        build_recipe(read_recipe(text, "mine"))


VALUES = [
    ('advantage = { name = "group", scale = "grup" }', "scale is 'grup'.*'group', 'batch' or 'none'"),
    ('token_weights = [{ name = "truncated_importance", mode = "msk" }]', "mode is 'msk'"),
    ('surrogate = { name = "clip", epsilon = -5.0 }', "greater than 0"),
    ('surrogate = { name = "clip", epsilon = nan }', "finite"),
    ('surrogate = { name = "clip", epsilon = true }', "valid number"),
    ('reduction = { name = "seq_mean_token_sum", horizon = 0.0 }', "greater than 0"),
    ('token_weights = [{ name = "high_entropy", share = 20.0 }]', "less than 1"),
    ('modifiers = [{ name = "prl", step_length = 0 }]', "greater than or equal to 1"),
    ('sampler = { name = "curriculum", target = 3.0 }', "less than or equal to 1"),
]


@pytest.mark.parametrize(("text", "message"), VALUES)
def test_values_are_checked_as_strictly_as_names(text, message):
    with pytest.raises(RecipeError, match=message):
        build_recipe(read_recipe(text, "mine"))


CONTRADICTIONS = [
    ('aggregator = "mo_grpo"', "normalises each reward.*again.*'identity'"),
    ('aggregator = "gdpo"', "normalises each reward.*again.*'batch_norm'"),
    ('aggregator = "gdpo"\nadvantage = "rloo"', "advantage rloo would do so again"),
    ('token_weights = ["kl_cov"]', "unclipped_ratio"),
    ('token_weights = ["clip_cov"]', "clip_cov needs surrogate clip with its own bounds"),
    ('surrogate = "gspo"', "'seq_mean_token_mean'"),
    ('surrogate = "gmpo"', "'seq_mean_token_mean'"),
    ('controllers = ["magic"]', "magic sets the coefficient of an entropy bonus"),
    ('controllers = ["magic"]\nregularizers = ["entropy"]', "begin at 0"),
    ('regularizers = ["epo"]', "entropy_history"),
    ('controllers = ["adaptive_kl"]', "adaptive_kl needs a KL term"),
    ('aggregator = "gdpo"\nadvantage = "batch_norm"\nfilters = ["pass_rate_band"]', "reads the utility as a reward"),
    ('aggregator = "gdpo"\nadvantage = "batch_norm"\nmodifiers = ["lead"]', "reads the utility as a reward"),
    ('regularizers = ["kl", "kl"]', "twice"),
    ('filters = [{ name = "pass_rate_band", low = 0.8, high = 0.2 }]', "keeps nothing"),
    ('surrogate = { name = "clip", delta = 1.1 }', "delta 1.1 must lie above"),
]


@pytest.mark.parametrize(("text", "message"), CONTRADICTIONS)
def test_components_that_contradict_each_other_are_refused_with_the_reason(text, message):
    with pytest.raises(RecipeError, match=message):
        build_recipe(read_recipe(text, "mine"))


@pytest.mark.parametrize("name", ["opo", "kl_cov"])
def test_a_run_that_contradicts_its_recipe_is_refused(name):
    wrong = 2 if name == "opo" else 1
    with pytest.raises(RecipeError, match=name):
        load_recipe(name).for_run(facts(updates=wrong))
    load_recipe(name).for_run(facts(updates=3 - wrong))


def test_what_a_recipe_leaves_open_comes_from_the_run():
    assert load_recipe("dr_grpo").for_run(facts(length=300)).reduction.horizon == 300
    assert load_recipe("epo").for_run(facts(steps=40)).regularizers[0].total_steps == 40
    assert load_recipe("dr_grpo", {"reduction.horizon": 7.0}).for_run(facts(length=300)).reduction.horizon == 7


def test_the_kl_controller_begins_at_the_terms_own_strength():
    """It used to begin at a strength of its own: 0.04 in step 1, then 0.001."""
    kl = load_recipe("grpo", {"controllers": ["adaptive_kl"], "regularizers.kl.beta": 0.04}).regularizers[0]
    batch = make_batch([1], reference_logprobs_BT=torch.tensor([[-1.0]]))
    state, logprobs = State(), torch.tensor([[-2.0]])
    first = kl(logprobs, logprobs, batch, state)
    AdaptiveKl(target=0.1)(state, {"kl": 0.1, "num_completions": 64})
    assert kl(logprobs, logprobs, batch, state) == first


def test_a_whole_kind_can_be_set():
    recipe = load_recipe("dapo", {"reduction": "token_sum", "filters": [], "surrogate": {"name": "clip", "delta": 3.0}})
    assert (recipe.reduction.name, recipe.filters, recipe.surrogate.delta) == ("token_sum", (), 3.0)


def test_an_unknown_recipe_gets_the_nearest_name():
    with pytest.raises(RecipeError, match="did you mean 'dapo'"):
        load_recipe("dappo")


def test_overrides_reach_single_and_listed_components():
    recipe = load_recipe("grpo", {"surrogate.epsilon_high": 0.3, "regularizers.kl.beta": 0.5})
    assert recipe.surrogate.epsilon_high == 0.3
    assert recipe.regularizers[0].beta == 0.5
    with pytest.raises(RecipeError, match=r"KIND\.PARAMETER"):
        load_recipe("grpo", {"epsilonn": 0.3})
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
    recipes, trainer = (docs / "reference" / "recipes.md").read_text(), (docs / "how_to" / "train.md").read_text()
    for kind, components in COMPONENTS.items():
        row = next(line for line in recipes.splitlines() if line.startswith(f"| {kind} |"))
        assert re.findall(r"`(\w+)`", row) == list(components), kind
    for name in bundled_recipes():
        assert f"`{name}`" in recipes, name
    rows = [line for line in trainer.partition("## What is measured")[0].splitlines() if line.startswith("| `")]
    documented = {name for line in rows for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert documented <= set(TrainSettings.model_fields)

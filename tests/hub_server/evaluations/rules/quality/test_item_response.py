import numpy as np
import pytest
from scipy.stats import pearsonr

from hub_server.evaluations.rules.quality.item_response import fit_2pl


def values(estimates) -> list[float]:
    return [estimate.value for estimate in estimates.values()]


def covered(estimates, truth) -> float:
    return float(np.mean([one.low <= true <= one.high for one, true in zip(estimates.values(), truth, strict=True)]))


def test_the_known_parameters_of_simulated_models_are_found(simulate):
    random = np.random.default_rng(5)
    abilities = random.normal(size=300)
    difficulties, slopes = random.uniform(-2, 2, 60), random.uniform(0.6, 2.0, 60)
    fitted = fit_2pl(simulate(abilities, difficulties, slopes, seed=6))
    assert pearsonr(values(fitted.difficulty), difficulties).statistic > 0.97
    assert pearsonr(values(fitted.discrimination), slopes).statistic > 0.80
    assert pearsonr(values(fitted.ability), abilities).statistic > 0.93
    assert np.abs(np.array(values(fitted.difficulty)) - difficulties).mean() < 0.25


def test_the_order_of_difficulty_survives_few_models(simulate):
    fitted = fit_2pl(simulate([-1, 0, 1, 2], [-2.0, 0.0, 2.0], attempts=40))
    easy, middle, hard = values(fitted.difficulty)
    assert easy < middle < hard
    assert values(fitted.ability) == sorted(values(fitted.ability))


def test_a_task_that_points_the_wrong_way_has_a_negative_slope(simulate):
    abilities = np.linspace(-2, 2, 80)
    fitted = fit_2pl(simulate(abilities, np.zeros(20), [-1.5, *[1.5] * 19], seed=2))
    assert fitted.discrimination["t0000"].high < 0
    assert min(values(fitted.discrimination)[1:]) > 0


def test_a_task_that_nobody_solves_gets_a_finite_difficulty(simulate):
    fitted = fit_2pl(simulate([-1, 0, 1], [0.0, 99.0], attempts=10))
    assert np.isfinite(fitted.difficulty["t0001"].high)
    assert fitted.difficulty["t0001"].value > fitted.difficulty["t0000"].value


def test_more_attempts_make_an_ability_surer(simulate):
    few, many = (fit_2pl(simulate([0, 1], np.zeros(10), attempts=n)).ability["m000"] for n in (1, 100))
    assert many.high - many.low < (few.high - few.low) / 2


def test_intervals_hold_the_known_truth_about_95_times_in_100(simulate):
    """Of tasks' difficulties and discriminations, and of models' abilities; over three simulated fields."""
    shares = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        abilities = random.normal(size=250)
        abilities = (abilities - abilities.mean()) / abilities.std()  # the scale is the field's own
        difficulties, slopes = random.uniform(-2, 2, 80), random.uniform(0.5, 2.0, 80)
        fitted = fit_2pl(simulate(abilities, difficulties, slopes, seed=seed))
        shares.append(
            [
                covered(fitted.difficulty, difficulties),
                covered(fitted.discrimination, slopes),
                covered(fitted.ability, abilities),
            ]
        )
    assert np.all(np.abs(np.mean(shares, axis=0) - 0.95) < 0.06), shares


def test_a_thousand_tasks_place_models_finely_and_not_on_a_grid(simulate):
    random = np.random.default_rng(1)
    abilities = np.linspace(-1, 1, 21)
    fitted = fit_2pl(simulate(abilities, random.normal(size=1000), random.uniform(0.6, 1.6, 1000)))
    found = np.array(values(fitted.ability))
    assert len(set(np.round(found, 3))) == 21
    assert pearsonr(found, abilities).statistic > 0.98
    assert all(one.high - one.low < 0.5 for one in fitted.ability.values())


def test_one_model_is_not_enough(simulate):
    with pytest.raises(ValueError, match="two models"):
        fit_2pl(simulate([0.0], [0.0]))

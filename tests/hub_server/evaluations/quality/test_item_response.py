import numpy as np
import pytest
from scipy.stats import pearsonr

from hub_server.evaluations.quality.item_response import fit_2pl


def test_the_known_parameters_of_simulated_models_are_found(simulate):
    random = np.random.default_rng(5)
    abilities = random.normal(size=300)
    difficulties, slopes = random.uniform(-2, 2, 60), random.uniform(0.6, 2.0, 60)
    fitted = fit_2pl(simulate(abilities, difficulties, slopes, seed=6))
    assert pearsonr(list(fitted.difficulty.values()), difficulties).statistic > 0.97
    assert pearsonr(list(fitted.discrimination.values()), slopes).statistic > 0.80
    assert pearsonr(list(fitted.ability.values()), abilities).statistic > 0.93
    assert np.abs(np.array(list(fitted.difficulty.values())) - difficulties).mean() < 0.25


def test_the_order_of_difficulty_survives_few_models(simulate):
    fitted = fit_2pl(simulate([-1, 0, 1, 2], [-2.0, 0.0, 2.0], attempts=40))
    easy, middle, hard = fitted.difficulty.values()
    assert easy < middle < hard
    assert list(fitted.ability.values()) == sorted(fitted.ability.values())


def test_a_task_that_points_the_wrong_way_has_a_negative_slope(simulate):
    abilities = np.linspace(-2, 2, 80)
    fitted = fit_2pl(simulate(abilities, np.zeros(20), [-1.5, *[1.5] * 19], seed=2))
    assert fitted.discrimination["t0000"] < 0
    assert min(list(fitted.discrimination.values())[1:]) > 0


def test_a_task_that_nobody_solves_gets_a_finite_difficulty(simulate):
    fitted = fit_2pl(simulate([-1, 0, 1], [0.0, 99.0], attempts=10))
    assert np.isfinite(fitted.difficulty["t0001"])
    assert fitted.difficulty["t0001"] > fitted.difficulty["t0000"]


def test_more_attempts_make_an_ability_surer(simulate):
    few, many = (fit_2pl(simulate([0, 1], np.zeros(10), attempts=n)) for n in (1, 100))
    assert many.ability_error["m000"] < few.ability_error["m000"] / 2


def test_one_model_is_not_enough(simulate):
    with pytest.raises(ValueError, match="two models"):
        fit_2pl(simulate([0.0], [0.0]))

from itertools import combinations

import numpy as np
import pytest

from hub_server.evaluations.rules.quality.subset import smallest_subset


@pytest.fixture
def repeated(simulate):
    """Ten different tasks, twenty copies of each: far fewer than all rebuild every total."""
    base = simulate(np.linspace(-2, 2, 12), np.linspace(-2, 2, 10), attempts=20)
    columns = np.tile(np.arange(10), 20)
    return type(base)(
        base.models, tuple(f"t{i}" for i in range(200)), base.successes[:, columns], base.attempts[:, columns]
    )


def test_redundant_tasks_shrink_to_a_small_subset_that_rebuilds_the_total(repeated):
    subset = smallest_subset(repeated)
    assert 3 <= len(subset.tasks) <= 40
    chosen = [repeated.tasks.index(task) for task in subset.tasks]
    error = np.abs(repeated.rates[:, chosen].mean(axis=1) - repeated.rates.mean(axis=1)).max()
    assert error == pytest.approx(subset.worst_error)
    assert error <= 0.01


def test_models_that_had_no_say_are_rebuilt_too_where_tasks_are_copies(repeated):
    subset = smallest_subset(repeated)
    assert subset.sizes is not None
    assert max(subset.sizes) <= 50
    assert subset.curve[-1][2] < 0.1


def test_a_subset_that_fits_by_luck_is_found_out_by_the_models_left_out(simulate):
    """Coins: nothing rebuilds a total but the tasks themselves, yet a small subset fits the models it was chosen by."""
    coins = simulate(np.zeros(20), np.zeros(300), np.zeros(300))
    subset = smallest_subset(coins)
    assert len(subset.tasks) < 100
    assert subset.worst_error <= 0.01
    assert subset.curve[-1][2] > 0.05


def test_the_curve_grows_and_ends_within_the_tolerance(repeated):
    curve = smallest_subset(repeated).curve
    sizes = [size for size, _, _ in curve]
    assert sizes == sorted(set(sizes))
    assert curve[0][0] == 1
    assert curve[-1][1] <= 0.01 < curve[0][1]


def test_few_models_leave_none_out(simulate):
    subset = smallest_subset(simulate([-1, 0, 1], np.zeros(30)))
    assert subset.sizes is None
    assert all(held is None for _, _, held in subset.curve)


def test_exchanges_find_what_a_search_of_all_subsets_finds(simulate):
    """Six tasks, subsets of up to three: brute force cannot do better in size."""
    for seed in range(5):
        outcomes = simulate([-1, 1], np.linspace(-1, 1, 8), attempts=6, seed=seed)
        total = outcomes.rates.mean(axis=1)
        best = next(
            size
            for size in range(1, 9)
            for chosen in combinations(range(8), size)
            if np.abs(outcomes.rates[:, list(chosen)].mean(axis=1) - total).max() <= 0.05
        )
        assert len(smallest_subset(outcomes, tolerance=0.05).tasks) <= best + 1

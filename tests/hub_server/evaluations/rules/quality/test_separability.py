import numpy as np
import pytest

from hub_server.evaluations.rules.quality.outcomes import Outcomes, mean_difference
from hub_server.evaluations.rules.quality.separability import discriminations, separability, tasks_needed
from schemas.measures.intervals import Interval


def test_models_far_apart_are_told_apart(simulate):
    found = separability(simulate([-1.5, 0, 1.5], np.zeros(300)))
    assert found.share.value == 1.0
    assert found.signal_to_noise.low > 10
    assert found.pairs[0].difference.value < 0


def test_equal_models_are_told_apart_about_five_times_in_a_hundred(simulate):
    wrong = sum(separability(simulate([0, 0], np.zeros(200), seed=seed), draws=1000).share.value for seed in range(100))
    assert wrong <= 12


def test_pairing_sees_a_small_difference_that_task_difficulty_hides(simulate):
    """The same spread of tasks for both: unpaired intervals overlap, paired ones do not."""
    difficulties = np.linspace(-6, 6, 600)
    found = separability(simulate([0.0, 0.35], difficulties, attempts=16))
    (pair,) = found.pairs
    assert pair.is_separated
    scores = simulate([0.0, 0.35], difficulties, attempts=16).rates
    errors = scores.std(axis=1) / np.sqrt(600)
    assert abs(scores[0].mean() - scores[1].mean()) < 1.96 * errors.sum()


def test_only_tasks_that_all_attempted_are_compared(simulate):
    outcomes = simulate([0, 1], np.zeros(50))
    outcomes.attempts[0, :10] = outcomes.successes[0, :10] = 0
    assert separability(outcomes).task_count == 40


def test_too_few_draws_or_tasks_are_refused(simulate):
    with pytest.raises(ValueError, match="at least 1000"):
        separability(simulate([0, 1], [0, 0]), draws=100)
    with pytest.raises(ValueError, match="two tasks"):
        separability(simulate([0, 1], [0]))


def test_tasks_that_better_models_fail_are_flagged(simulate):
    outcomes = simulate(np.linspace(-2, 2, 60), np.zeros(30), [-2.0, *[1.5] * 29], attempts=4)
    found = {item.task: item for item in discriminations(outcomes)}
    assert found["t0000"].is_negative
    assert found["t0000"].is_certain
    assert found["t0000"].correlation.high < 0
    assert not any(item.is_negative for name, item in found.items() if name != "t0000")


def test_a_task_that_never_varies_says_nothing(simulate):
    found = discriminations(simulate([0, 1, 2], [0, 0, 99], attempts=5))
    assert found[2].correlation is None
    assert not found[2].is_negative


def test_so_many_tasks_as_are_said_give_the_power_that_is_said():
    draw = np.random.default_rng(5)
    measured = draw.choice([-1.0, 0.0, 1.0], size=4000, p=[0.1, 0.7, 0.2])  # first minus second: 0.1 on average
    needed = tasks_needed(mean_difference(measured), 4000)
    assert needed == pytest.approx((1.96 + 0.8416) ** 2 * measured.var() / measured.mean() ** 2, rel=0.01)
    told = sum(mean_difference(draw.choice(measured, size=needed)).low > 0 for _ in range(400))
    assert 0.75 < told / 400 < 0.86


def test_no_difference_needs_no_number_of_tasks_and_none_needs_fewer_than_two():
    assert tasks_needed(Interval(value=0.0, low=-0.1, high=0.1), 50) is None
    assert tasks_needed(Interval(value=1.0, low=1.0, high=1.0), 50) == 2


def test_chance_alone_points_tasks_the_wrong_way_but_is_not_certain(simulate):
    """Tasks that say nothing of ability: about half point the wrong way, hardly one beyond chance, none of few models."""
    few, many = (discriminations(simulate(np.zeros(count), np.zeros(300), seed=3)) for count in (6, 14))
    for found in (few, many):
        assert 60 < sum(item.is_negative for item in found) < 240
    assert sum(item.is_certain for item in few) == 0
    assert sum(item.is_certain for item in many) <= 3


def test_the_intervals_of_discriminations_hold_the_value_of_an_endless_field(simulate):
    slopes = np.linspace(0.2, 2.0, 20)
    difficulties = np.zeros(20)
    true = [item.correlation.value for item in discriminations(simulate(_field(20_000), difficulties, slopes))]
    hits = 0
    for seed in range(20):
        abilities = np.random.default_rng(seed).normal(size=60)
        found = discriminations(simulate(abilities, difficulties, slopes, seed=seed))
        hits += sum(
            one.correlation.low <= value <= one.correlation.high for one, value in zip(found, true, strict=True)
        )
    assert 0.91 < hits / 400 < 0.99


def _field(count):
    return np.random.default_rng(9).normal(size=count)


def test_the_shares_interval_holds_what_another_draw_of_tasks_would_say_on_average(simulate):
    """The truth: the mean share over many benchmarks drawn from the same tasks."""
    abilities = np.linspace(-0.8, 0.8, 12)
    made = [separability(simulate(abilities, np.random.default_rng(s).normal(size=150), seed=s), draws=1000).share
            for s in range(60)]  # fmt: skip
    true = np.mean([share.value for share in made])
    assert np.mean([share.low <= true <= share.high for share in made]) > 0.89
    assert np.mean([share.high - share.low for share in made]) < 0.35


@pytest.mark.parametrize("second", [1, 2])
def test_rounding_is_no_noise(second):
    """Every task solved once in three: sums of 1/3 differ in their last digit, and 4e15 is no signal to noise."""
    outcomes = Outcomes(("a", "b"), tuple("tuvwxyz"), np.array([[1] * 7, [second] * 7]), np.full((2, 7), 3))
    found = separability(outcomes)
    assert found.signal_to_noise is None
    assert found.noise == 0
    assert found.share.low < found.share.high


def test_one_model_has_no_pairs_and_nothing_is_known_of_them():
    found = separability(Outcomes(("a",), ("t", "u"), np.array([[1, 0]]), np.ones((1, 2), dtype=np.int64)))
    assert (found.share.low, found.share.high, found.pairs) == (0, 1, ())

"""The alarm of a run: training reward that a held-out verifier does not see."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.measures.hacking_alarm import LEAST_GAP, MOST_EXCUSED, WINDOW, find_alarm
from scripts.simulate_alarm import SMALL, raised, rises_to, run

STEPS = range(0, 300, 10)


def rising(gain: float) -> list[tuple[float, float]]:
    return [(float(step), 0.3 + gain * step / 300) for step in STEPS]


def test_a_gap_that_opens_and_stays_is_an_alarm_from_the_step_where_it_opened() -> None:
    train = [(float(s), 0.3 if s < 100 else 0.9) for s in STEPS]
    held = [(float(s), 0.3) for s in STEPS]
    alarm = find_alarm(train, held, None)
    assert alarm is not None
    assert 100 <= alarm.step <= 100 + 10 * WINDOW
    assert alarm.train - alarm.held == pytest.approx(0.6)


def test_both_rising_together_is_learning() -> None:
    assert find_alarm(rising(0.6), rising(0.6), None) is None


def test_a_gap_that_was_there_from_the_start_is_a_difference_of_two_verifiers() -> None:
    train = [(float(s), 0.8) for s in STEPS]
    held = [(float(s), 0.5) for s in STEPS]
    assert find_alarm(train, held, None) is None


def test_a_gap_that_closed_again_is_over() -> None:
    train = [(float(s), 0.9 if 100 <= s < 200 else 0.3) for s in STEPS]
    assert find_alarm(train, [(float(s), 0.3) for s in STEPS], None) is None


def test_one_odd_step_raises_nothing() -> None:
    train = [(float(s), 1.0 if s == 290 else 0.3) for s in STEPS]
    held = [(float(s), 0.3 if s != 290 else 0.0) for s in STEPS]
    assert find_alarm([(s, v if s != 290 else 0.7) for s, v in train], held, None) is None


def test_an_audit_excuses_as_much_as_it_measured_but_never_more_than_the_most() -> None:
    train = [(float(s), 0.3 + (0.0 if s < 100 else 0.13)) for s in STEPS]
    held = [(float(s), 0.3) for s in STEPS]
    assert find_alarm(train, held, 0.01) is not None
    assert find_alarm(train, held, 0.14) is None
    wide = [(s, v if v == 0.3 else 0.3 + MOST_EXCUSED + LEAST_GAP) for s, v in train]
    assert find_alarm(wide, held, 1.0) is not None


def test_too_few_shared_steps_say_nothing() -> None:
    train, held = rising(3.0), [(float(s), 0.0) for s in STEPS]
    assert find_alarm(train, held[: 2 * WINDOW - 1], None) is None
    assert find_alarm(train, [(step + 0.5, value) for step, value in held], None) is None
    assert find_alarm([], [], None) is None


@given(st.lists(st.floats(0, 1), min_size=10, max_size=40))
@settings(max_examples=50)
def test_a_reward_never_raises_an_alarm_against_itself(values: list[float]) -> None:
    points = [(float(step), value) for step, value in enumerate(values)]
    assert find_alarm(points, points, None) is None


# Short runs, simulated; `scripts/simulate_alarm.py` has more of them


@pytest.mark.parametrize("steps", [20, 50])
def test_a_hole_that_half_of_the_samples_use_at_the_end_is_seen_in_a_short_run(steps: int) -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        assert find_alarm(*run(random, steps, rises_to(0.5, 0.5), fpr=0.01), 0.03) is not None


@pytest.mark.parametrize("steps", [20, 50])
def test_two_verifiers_that_differ_by_audited_errors_raise_nothing_in_a_short_run(steps: int) -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        assert find_alarm(*run(random, steps, lambda _: 0.0, fpr=0.05, fnr=0.05), 0.08) is None


def test_noise_of_small_steps_raises_few_alarms() -> None:
    """At any of fifty looks: 32 % of these runs before noise was weighed."""
    _, at_any_look, _ = raised(60, 50, lambda _: 0.0, upper=None, fpr=0.12, size=SMALL)
    assert at_any_look <= 0.15

"""Kappa and its interval, worked by hand and by simulation."""

import random

import pytest

from scripts.judge_study.figures import kappa


def test_kappa_worked_by_hand() -> None:
    """19 of 30 agree; the shares of yes are 1/2 and 2/3, so chance gives 1/2, and kappa is (19/30 - 1/2) / (1/2)."""
    pairs = [(True, True)] * 12 + [(True, False)] * 3 + [(False, True)] * 8 + [(False, False)] * 7
    found = kappa([(one, two, str(number)) for number, (one, two) in enumerate(pairs)])
    assert (found["judged"], found["agreed"]) == (30, 19)
    assert found["kappa"][0] == pytest.approx((19 / 30 - 1 / 2) / (1 / 2), abs=1e-4)


def test_full_agreement_on_few_questions_is_no_certain_agreement() -> None:
    few = kappa([(number % 2 == 0, number % 2 == 0, str(number)) for number in range(8)])
    many = kappa([(number % 2 == 0, number % 2 == 0, str(number)) for number in range(200)])
    assert few["kappa"][0] == many["kappa"][0] == 1
    assert few["kappa"][1] < 0.5
    assert many["kappa"][1] > 0.9


def test_verdicts_on_one_question_count_as_alike() -> None:
    draw = random.Random(1)
    pairs = [(draw.random() < 0.5, draw.random() < 0.5) for _ in range(20)]
    alone = kappa([(one, two, f"{number} {again}") for number, (one, two) in enumerate(pairs) for again in range(10)])
    alike = kappa([(one, two, str(number)) for number, (one, two) in enumerate(pairs) for _ in range(10)])
    assert alike["kappa"][2] - alike["kappa"][1] > 2 * (alone["kappa"][2] - alone["kappa"][1])


def test_an_interval_stays_within_what_kappa_can_be() -> None:
    low, high = kappa([(True, False, "a"), (False, False, "b"), (True, False, "c")])["kappa"][1:]
    assert -1 <= low <= high <= 1


def test_without_two_verdicts_that_differ_there_is_no_kappa() -> None:
    assert kappa([])["kappa"] is None
    assert kappa([(True, True, "a"), (True, True, "b")])["kappa"] is None


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """A judge that follows the label in 7 of 10 questions, else a coin: kappa is 0.7."""
    held = 0
    for trial in range(60):
        draw = random.Random(trial)
        pairs = []
        for number in range(100):
            label = number % 2 == 0
            pairs.append((label, label if draw.random() < 0.7 else draw.random() < 0.5, str(number)))
        low, high = kappa(pairs)["kappa"][1:]
        held += low <= 0.7 <= high
    assert held >= 52

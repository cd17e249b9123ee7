"""The labels of the cases in the form of reasoning-gym's tasks, worked out again in another way."""

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest

from schemas.evidence.cases import AuditCase, Label
from scripts.field_study.cases import cases_of
from scripts.field_study.made_gym import DRAWERS

EXPRESSION = re.compile(r"[\d+\-*/() .]+")


def _cases(name: str) -> list[tuple[AuditCase, dict, bool]]:
    found = cases_of(f"reasoning-gym:{name}")
    return [(case, case.task["info"]["entry"], case.label is Label.CORRECT) for case in found]


def _value(text: str) -> Fraction | None:
    """Exact value of an expression of whole numbers."""
    if not EXPRESSION.fullmatch(text):
        return None
    return eval(re.sub(r"\d+", r"Fraction(\g<0>)", text))


@pytest.mark.parametrize("name", sorted(DRAWERS))
def test_every_task_stands_once_and_has_both_kinds_of_answer(name: str) -> None:
    cases = _cases(name)
    tasks = {case.task["id"] for case, _, _ in cases}
    assert len({case.task["prompt"] for case, _, _ in cases}) == len(tasks)
    assert {right for _, _, right in cases} == {True, False}


@pytest.mark.parametrize(("name", "target"), [("puzzle24", None), ("countdown", "target")])
def test_an_expression_is_right_where_it_has_the_value_and_each_number_once(name: str, target: str | None) -> None:
    for case, entry, right in _cases(name):
        wanted = entry["metadata"][target] if target else 24
        numbers = Counter(map(int, re.findall(r"\d+", case.response)))
        solves = _value(case.response) == wanted and numbers == Counter(entry["metadata"]["numbers"])
        assert solves == right, case.id


def test_a_probability_is_right_where_it_is_the_binomial() -> None:
    for case, _, right in _cases("coin_flip"):
        heads, flips = map(int, re.findall(r"\d+", case.task["prompt"]))
        row = [1]
        for _ in range(flips):
            row = [1, *(a + b for a, b in pairwise(row)), 1]
        try:
            given = Fraction(case.response)
        except ValueError:
            given = None
        assert (given == Fraction(row[heads], 2**flips)) == right, case.id


def test_an_integral_is_right_where_it_is_written_out_and_its_slope_is_the_integrand() -> None:
    step = Fraction(1, 1000)
    for case, entry, right in _cases("simple_integration"):
        text = case.response.replace("C", "3")

        def at(expression: str, x: Fraction) -> Fraction | None:
            return _value(expression.replace("X", f"({x})").replace("**", "@").replace("@", "**"))

        ends = [at(text, Fraction(2) + step), at(text, Fraction(2) - step)] if text else [None, None]
        if ends[0] is None or ends[1] is None:
            assert not right, case.id
            continue
        slope = (ends[0] - ends[1]) / (2 * step)
        assert (abs(slope - at(entry["metadata"]["integrand"], Fraction(2))) < Fraction(1, 100)) == right, case.id


def test_a_product_is_right_where_it_has_the_same_values_at_three_places() -> None:
    for case, entry, right in _cases("polynomial_multiplication"):

        def at(text: str, z: int) -> Fraction | None:
            return _value(text.replace("z", f"({z})")) if text else None

        assert all(at(case.response, z) == at(entry["answer"], z) for z in (1, 2, 5)) == right, case.id


def test_factors_are_right_where_all_are_prime_and_their_product_is_the_number() -> None:
    for case, entry, right in _cases("prime_factorization"):
        factors = [int(part) for part in re.findall(r"\d+", case.response)]
        product = 1
        for one in factors:
            product *= one
        primes = all(all(one % k for k in range(2, one)) and one > 1 for one in factors)
        assert (bool(factors) and primes and product == entry["metadata"]["number"]) == right, case.id


def test_a_fraction_is_right_where_it_is_the_given_one_in_lowest_terms() -> None:
    for case, entry, right in _cases("fraction_simplification"):
        numbers = [int(part) for part in re.findall(r"\d+", case.response)]
        wanted = Fraction(entry["metadata"]["numerator"], entry["metadata"]["denominator"])
        assert (numbers == [wanted.numerator, wanted.denominator]) == right, case.id


def test_a_wrong_text_never_equals_the_answer() -> None:
    for name in ("gsm_symbolic", "letter_jumble", "time_intervals", "game_of_life_halting", "knights_knaves"):
        assert all(case.response != entry["answer"] for case, entry, right in _cases(name) if not right)


def test_who_is_a_knight_follows_from_the_question() -> None:
    """The question told nothing of either: the label followed from the reference alone."""
    said = re.compile(r"A knight says that (\w+) is a (\w+)\. \1 says that (\w+) is a (\w+)\.")
    for case, entry, _ in _cases("knights_knaves"):
        found = said.search(case.task["prompt"])
        assert found is not None, case.id
        first, role, second, claimed = found.groups()
        other = {"knight": "knave", "knave": "knight"}
        last = claimed if role == "knight" else other[claimed]
        assert entry["answer"] == f"{first} is a {role}, and {second} is a {last}."


def test_an_indefinite_integral_without_its_constant_is_called_neither_right_nor_wrong() -> None:
    """Whether it is one can be argued about."""
    assert all("C" in case.response for case, _, right in _cases("simple_integration") if right)

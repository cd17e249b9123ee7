"""Expressions as people write them, and texts that are none."""

from itertools import combinations

import pytest

from sandbox.audit.probes.expressions import apart, names, read, same

EQUAL = (
    (r"\frac{\pi}{2}", "pi/2", r"$\dfrac12\pi$".replace("12", "{1}{2}"), "π/2", r"\frac{1}{2} \cdot \pi"),
    ("x^2 + x - 42", "-42 + x + x^2", "(x - 6)(x + 7)", r"x^{2}+x-42", "x**2 + x - 42"),
    (r"6e^{3x}", r"e^{3x} \cdot 6", "6*exp(3*x)", "exp(3x) * 6"),
    (r"5\sqrt{3}", r"\sqrt{75}", "5*sqrt(3)", "5 √(3)"),
    ("14 - i", "-i + 14", "14.0 + -1.0i"),
    (r"2^{13}", r"2^{11} \cdot 4", "8192"),
    ("2^{-3}", "1/8", "0.125"),
)
NONE = (
    "", "Petya", "the number 5", "(-8, -4)", "1, 2, 3", "2 3", "6 2/3", r"6\frac{1}{64}", "1/2x", "f(2)", "x = 3",
    r"\pm 3", r"\frac12", "x^2^3", "((((", "x^", r"\sqrt", "1,500", "3 > 2", "5 %", r"\text{five}", "2 * -3",
    "(" * 199, "-" * 199, "{" * 120, "x" * 201, r"\int x", "\x00", r"\\",
)  # fmt: skip


@pytest.mark.parametrize("forms", EQUAL, ids=lambda forms: forms[0])
def test_forms_of_one_value_are_the_same_and_those_of_others_are_apart(forms):
    found = [read(form) for form in forms]
    assert None not in found, forms
    assert all(same(one, other) and not apart(one, other) for one, other in combinations(found, 2))
    strangers = [read(other[0]) for other in EQUAL if other is not forms]
    assert not any(same(found[0], other) for other in strangers)


@pytest.mark.parametrize("text", NONE)
def test_what_two_people_may_read_in_two_ways_is_no_expression(text):
    assert read(text) is None


def test_signs_bind_as_people_read_them():
    assert same(read("-x^2"), read("-(x^2)"))
    assert apart(read("-x^2"), read("(-x)^2"))
    assert same(read("a - b - c"), read("a - (b + c)"))
    assert same(read("a/b/c"), read("a/(b*c)"))


def test_a_letter_for_a_constant_is_apart_only_where_both_readings_are():
    """With e a letter, e and 3 may be one value."""
    assert not apart(read("e"), read("2.8"))
    assert apart(read("1 - e"), read("1 + e"))
    assert names(read("6e^{3x}")) == {"e", "x"}


@pytest.mark.parametrize("text", ["2^{2^{2^{99}}}", "9" * 190, r"\frac{1}{0}", "0", r"\frac{1}{2^{99}}"])
def test_values_that_floats_would_decide_are_neither_the_same_nor_apart(text):
    assert not same(read(text), read(text))
    assert not apart(read(text), read("1"))

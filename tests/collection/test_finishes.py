r"""lecture/math-answer on answers whose finish hides them, where the prompt tells what may go.

``strangers/eleventh`` was committed before any version was asked. First look of 4.3.1: 2 of 513 wrong answers accepted (0.4 %
[0.1, 2.6]), 47 of 513 right ones rejected (9.2 % [6.7, 12.5]). The classes of those errors are below, beside near misses.
"""

from collections.abc import Callable

import pytest

from tests.collection.strangers.eleventh import labels

Judge = Callable[..., bool]
POWER = "If $2^a = 5$, what is $8^a$?"
HEADS = "A farm has 30 heads and 84 legs. How many goats are there?"
WATER = "How many cubic meters of water did he use?"
PARTS = "(a) What is the probability of a prime? (b) And of a number above 4?"
GERMAN = "Ein Auto verbraucht 6,4 Liter auf 100 km. Wie viele Liter verbraucht es auf 250 km?"
PERCENT = "What percent of 160 is 56?"
CHANGE = "What is the overall change in percent?"
DECREASING = "On which interval is $f$ decreasing?"
CONFIDENCE = "Give the 95% confidence interval."
SOLVE = r"Solve for $x$: $\frac{2}{x-1} = \frac{3}{x+2}$."
MODULO = r"Solve $5x \equiv 3 \pmod{11}$ with $0 \le x < 11$."
SMALLEST = "Find the smallest such integer."
FIRST = "What is the first term?"
TOTAL = "How many balls are there in total?"


def test_the_eleventh_set_is_judged_as_its_labels_say_but_for_sixteen(accepts: Judge):
    wrong = [row for row in labels.load() if accepts(row["gold"], row["response"], row["question"]) is not row["label"]]
    assert [row["response"] for row in wrong if not row["label"]] == []
    assert len(wrong) <= 16


@pytest.mark.parametrize(
    ("prompt", "gold", "right", "wrong"),
    [
        (POWER, "125", "So 8^a = 125.", "So 2^a = 125."),
        (POWER, "125", "$8^a = (2^a)^3 = 5^3 = 125$", "$8^a = (2^a)^3 = 5^3 = 120$"),
        (WATER, "20", "So Mr. Braun used 20 cubic meters.", "So Mr. Braun used more than 20 cubic meters."),
        (WATER, "20", "So Mr. Braun used 20 cubic meters.", "20 euros buy 19 cubic meters."),
        (HEADS, "12", "There are **12 goats** (and 18 chickens).", "There are **18 chickens** (and 12 goats)."),
        (HEADS, "12", "Hence 24/2 = 12. Let me know if you would like another example!", "Hence 24/2 = 11. Feel free to ask!"),
        (PARTS, r"\frac12, \frac13", "(a) 1/2\n(b) 1/3", "(a) 1/3\n(b) 1/2"),
        (GERMAN, "16", "**Antwort:** 16,0 Liter", "**Antwort:** 1,6 Liter"),
        (GERMAN, "16,5", r"$\boxed{16{,}5}$", r"$\boxed{165}$"),
        ("Ein Punkt (2,5) liegt auf g. In welchem Intervall?", "(2,5)", "$(2,5)$", "$[2,5]$"),
        (PERCENT, r"35\%", "56 is 35% of 160.", "160 is 35% of 56."),
        (CHANGE, r"-4\%", "The price drops by 4 percent overall.", "The price rises by 4 percent overall."),
        (DECREASING, "(-2, 2)", "f is decreasing for −2 < x < 2.", "f is increasing for −2 < x < 2."),
        (CONFIDENCE, "[48.04, 51.96]", "The interval runs from 48.04 to 51.96.", "The interval runs from 48.04 to 51.69."),
        (SOLVE, "x=7", "The solution is $x = 7$.", "Cross-multiplying gives $2(x+2) = 3(x-1)$, which we now"),
        (MODULO, r"x \equiv 5 \pmod{11}", r"$\boxed{5}$", r"$\boxed{16}$"),
        (SMALLEST, "17", "The smallest such integer is 17. The next one is 122.", "It is 122. The next one is 17."),
        (FIRST, "a_1 = 2", "The first term is 2, the ratio is 3.", "The first term is 3, the ratio is 2."),
        (TOTAL, "56", "Red: 35, blue: 21, total: 56.", "Red: 56, blue: 21, total: 77."),
        ("", r"\frac{36}{5}", "The altitude has length 7 1/5.", "The altitude has length 7 2/5."),
        ("", "3:5", "The perimeters are in the ratio 3 : 5.", "The perimeters are in the ratio 5 : 3."),
        ("", "(-2, 3)", r"$\frac12(-4, 6) = (-2, 3)$", r"$\frac12(-4, 6) = (3, -2)$"),
        ("", "(2,5)", "It is **(2, 5)**.", "It is not\n\n**(2, 5)**"),
        ("", "Mean 10, variance 7.5", "Mean: 10\nVariance: 7.5", "Mean: 7.5\nVariance: 10"),
    ],
)  # fmt: skip
def test_what_finishes_an_answer_is_read_and_a_near_miss_is_not(
    accepts: Judge, prompt: str, gold: str, right: str, wrong: str
):
    assert accepts(gold, right, prompt)
    assert not accepts(gold, wrong, prompt)

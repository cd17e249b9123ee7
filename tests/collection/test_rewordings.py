r"""lecture/math-answer on answers that a sentence or a box says in other words, and on what the prompt asks besides a value.

``strangers/ninth`` was committed before any version was asked. First look of 4.2.3: 2 of 200 wrong answers accepted (1.0 %
[0.3, 3.6]), 18 of 200 right ones rejected (9.0 % [5.8, 13.8]). The classes of those errors are below, beside near misses.
``strangers/tenth`` was committed before 4.3.0 was asked: 0 of 100 accepted, 6 of 100 rejected. 4.3.1 is corrected on it.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).with_name("strangers")
Judge = Callable[..., bool]
MULTIPLE = "What is the largest three-digit multiple of 17?"
PLANT = "After how many weeks is the plant 30 cm tall?"
REMAINDER = "What is the remainder when $7^{100}$ is divided by 5?"
ORDER = "Order from least to greatest: $3$, $1$, $2$."
CONFIDENCE = "Give the 95% confidence interval for the mean."


@pytest.mark.parametrize(("name", "questions"), [("ninth", 200), ("tenth", 100)])
def test_both_sets_are_judged_as_their_labels_say(accepts: Judge, name: str, questions: int) -> None:
    rows = [json.loads(line) for line in (HERE / name / "answers.jsonl").read_text().splitlines()]
    assert [sum(row["label"] is label for row in rows) for label in (True, False)] == [questions, questions]
    assert all(len({row["label"] for row in rows if row["question"] == one["question"]}) == 2 for one in rows)
    wrong = [
        row["response"] for row in rows if accepts(row["gold"], row["response"], row["question"]) is not row["label"]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("40", "The tank is full after 40 minutes.", "The tank isn't full after 40 minutes."),
        ("40", "The tank is full in 40 minutes.", "It is full after more than 40 minutes."),
        ("40 minutes", "The tank will be full after **40 minutes**.", "The tank is full after 40 hours."),
        ("40", "The pool is empty after exactly 40 minutes.", "The tank holds 30 litres after 40 minutes."),
        ("4 s", "5t(4 − t) = 0, so it lands after t = 4 seconds.", "so it lands after t = 5 seconds."),
        ("42", "It is over in 42 days.", "Ask me again in 42 days."),
        ("0.5", "They meet after 0.5 hours.", "They meet after 0.5 minutes or 0.6 hours."),
        ("12", "It takes them 12 days to finish the work.", "It takes at least 12 days to finish the work."),
        ("10", "so the space has dimension 10.", "so the space has dimension less than 10."),
        ("5", "The circle has a radius of 5.", "The circle has radius 5 or 12."),
        ("12", "The triangle has an area of 12 square units.", "It has twice the area of 12."),
        ("19", "So the function has a maximum of 19 at x = 3.", "The function has no maximum of 19 at x = 3."),
        ("1068", "you need a sample of 1068 people.", "you need a sample of at least 1068 people."),
        ("31", "$25+5+1=31$, so $125!$ ends in 31 zeros.", "It doesn't end in 31 zeros."),
        ("120", "This can be done in 120 ways.", "This cannot be done in 120 ways."),
        ("2.65", "The standard deviation is about **2.65**.", "The standard deviation is not about **2.65**."),
        ("42.5", "It is about 42.5.", "It is not about 42.5."),
        ("diverges", "By the comparison test the series diverges.", "It is unknown whether the series diverges."),
        ("25", "900 ÷ 35 ≈ 25.71, which means that you can buy 25 stamps.", "≈ 25.71, which means that you can't buy 25."),
        ("679", "$512+160+7 = 679$, i.e. $2A7_{16} = 679_{10}$.", "$512+160+7 = 679$, i.e. $2A8_{16} = 680_{10}$."),
        ("No", "The determinant is $0$, so no, they are dependent.", "The determinant is $0$, so yes, they are dependent."),
        ("No", "The limits differ, so no, the limit does not exist.", "The rank is 2, so yes, there is no inverse."),
        ("15", "C(4 + 2, 2) = C(6, 2) = 15", "C(15, 1) = C(6, 2) = 16"),
        (r"\exists x\, \neg P(x)", r"\exists x : \neg P(x)", r"\forall x : \neg P(x)"),
        (r"\forall x \in A: Q(x)", r"\forall x \in A, Q(x)", r"\forall x \in A, \neg Q(x)"),
        ("84", "s = 21, so the perimeter is 4s = 84", "s = 84, so the perimeter is 4s = 21"),
        ("12", "It is 30°, so n = 360/30 = 12 sides.", "so n = 360/30 = 12 sides or 13 sides"),
        ("40 hours", "40 hours/week", "40 minutes/week"),
        ("60 mph", "60 miles each hour", "60 miles each minute"),
        ("5 minutes 20 seconds", "5 min 20 s", "5 h 20 min"),
        ("91", "1011011₂ = 91₁₀", "1011010₂ = 91"),
        ("41", r"$2x-1=81 \Rightarrow 2x = 82 \Rightarrow x = 41$", r"$x=41 \Rightarrow x^2 = 1681 \Rightarrow x^2 = 1682$"),
        ("360", "18 = 2 * 3^2\n24 = 2^3 * 3\nLCM = 2^3 * 3^2 * 5 = 360", "360 = 2^3 * 3^2 * 5\nLCM = 2^2 * 3^2 = 36"),
        ("5 kg", "It is 5 kg, and 5 g is wrong.", "It is 5 g, and 5 kg is wrong."),
        ("42 dollars", "He pays $**42**", "He pays €**42**"),
        ("42 euros", "He pays €**42**", "He pays $**42**"),
    ],
)  # fmt: skip
def test_a_sentence_says_the_value_in_other_words(accepts: Judge, gold: str, right: str, wrong: str) -> None:
    assert accepts(gold, right)
    assert not accepts(gold, wrong)


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("5", r"\text{The units digit is } 5", r"\text{The units digit is not } 5"),
        ("5", r"\text{The answer is } 5", r"\text{a multiple of } 5"),
        ("2", r"\text{converges to } 2", r"\text{does not converge to } 2"),
        ("10", r"\text{The area is } 10 \text{ square units}", r"\text{The area is more than } 10"),
        ("276", r"\text{\$}276", r"\text{\$}275"),
        ("42 euros", r"\text{€}42", r"\text{\$}42"),
        ("5 minutes 20 seconds", r"5 \text{ min } 20 \text{ s}", r"5 \text{ h } 20 \text{ min}"),
        ("[0,1)", r"0 \le f(x) < 1", r"0 < f(x) < 1"),
    ],
)
def test_a_box_says_the_value_in_other_words(accepts: Judge, gold: str, right: str, wrong: str) -> None:
    assert accepts(gold, rf"$\boxed{{{right}}}$")
    assert not accepts(gold, rf"$\boxed{{{wrong}}}$")
    assert not accepts(gold, rf"It is not $\boxed{{{right}}}$")


@pytest.mark.parametrize(
    ("prompt", "gold", "right", "wrong"),
    [
        (PLANT, "12", "It takes 12 weeks for the plant to be 30 cm tall.", "It takes 12 weeks for it to be 25 cm tall."),
        (PLANT, "12", "It takes 12 weeks to be 30 cm tall.", "It takes almost 12 weeks to be 30 cm tall."),
        ("Find the radius.", "10", "so it has radius 10.", "The radius is 5, so it has diameter 10."),
        (PLANT, "30", "It is 30 weeks.", "12 weeks are needed for the plant to be 30 cm tall."),
        (PLANT, "30", "It is 30 weeks.", "It takes 12 weeks for the plant to be 30 cm tall."),
        (MULTIPLE, "986", "so 17 · 58 = 986 is the largest three-digit multiple of 17.", "969 is the largest multiple of 17."),
        (MULTIPLE, "986", "986 is the largest three-digit multiple of 17.", "986 is not the largest multiple of 17."),
        (MULTIPLE, "986", "986 is the answer to it.", "986 is the total number minus 17."),
        (MULTIPLE, "17", "It is 17.", "986 is the largest three-digit multiple of 17."),
        ("Round to the nearest integer.", "42", "It is about 42.", "It is about 42 or 43."),
        (REMAINDER, "1", r"\boxed{1 \pmod 5}", r"\boxed{6 \pmod 5}"),
        (REMAINDER, "1", r"\boxed{7^{100} \equiv 1 \pmod{5}}", r"\boxed{1 \pmod 5 \text{ or } 2 \pmod 5}"),
        (CONFIDENCE, "(50.04, 53.96)", r"\boxed{[50.04,\ 53.96]}", r"\boxed{[53.96,\ 50.04]}"),
        (ORDER, "1, 2, 3", "1 < 2 < 3", "3 < 2 < 1"),
        (ORDER, "1, 2, 3", r"\boxed{1, 2, 3}", r"\boxed{3, 2, 1}"),
        (ORDER, "1, 2, 3", "The final answer is 1, 2, 3.", "The final answer is 3, 2, 1."),
        ("Arrange 3, 1, 2 in ascending order.", "1, 2, 3", "So the order is 1, 2, 3.", "So the order is 3, 2, 1."),
        ("Factor $x^2-5x+6$.", "(x-2)(x-3)", "$x^2-5x+6 = (x-3)(x-2)$", "$x^2-5x+6$"),
        ("Factor completely: $12x^3-27x$.", "3x(2x-3)(2x+3)", "3x(2x+3)(2x-3)", "3(4x^3-9x)"),
        ("Factorise $x^2+4x+4$.", "(x+2)^2", "$(x+2)(x+2)$", "$x(x+4)+4$"),
        ("Expand $(x+2)^2$.", "x^2+4x+4", "$(x+2)^2 = 4 + 4x + x^2$", "$(x+2)^2$"),
    ],
)  # fmt: skip
def test_the_form_that_the_prompt_asks_for(accepts: Judge, prompt: str, gold: str, right: str, wrong: str) -> None:
    assert accepts(gold, right, prompt)
    assert not accepts(gold, wrong, prompt)


def test_a_form_that_the_prompt_does_not_ask_for_is_left_to_the_answer(accepts: Judge) -> None:
    assert accepts("(x-2)(x-3)", "x^2-5x+6", "Find the polynomial with the roots 2 and 3.")
    assert accepts("1, 2", "x = 2 or x = 1", "Put the equation in order and solve it.")
    assert accepts("1, 2, 3", "3, 2, 1", "Find the roots.")
    assert not accepts("1", r"\boxed{1 \pmod 5}", "Solve the congruence.")
    assert not accepts("(1, 2)", "[1, 2]", "Where is the function positive?")


@pytest.mark.parametrize(
    "unit",
    [r"\exists x \, ", "5 is the largest of 17, i.e. ", "so no, ", "after 5 minutes ", "so ", "1 = ", "has a sum of 5, ", "5 kg is wrong, ", r"\text{is } 5", "x ⇒ ", "a = 1\n", "$**5** "],
)  # fmt: skip
def test_no_long_response_takes_long_to_read(accepts: Judge, unit: str) -> None:
    started = time.thread_time()
    for gold, prompt in (("5", ORDER), ("(1, 2)", CONFIDENCE), ("5 kg", PLANT)):
        accepts(gold, (unit * 30_000)[:29_999], prompt)
        accepts(gold, (unit * 400)[:399], prompt)
        accepts(gold, "\\boxed{" + (unit * 30_000)[:390] + "}", prompt)
    assert time.thread_time() - started < 6.0

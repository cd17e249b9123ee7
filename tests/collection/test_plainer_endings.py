"""lecture/math-answer on checks, remarks, reasons and steps beside an answer, each right form beside a near miss."""

import time

import pytest

from tests.collection.conftest import Judge


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("17", "2n + 5 = 39, so n = 17. Check: 34 + 5 = 39 ✓", "n = 17. Check: 34 + 5 = 40, so n = 18."),
        ("17", "The number is **17**.\n\n**Check:** 2 · 17 + 5 = 39 ✓", "n = 18. Check: 17 = 17"),
        ("17", r"So n = 17. Check: $2\cdot 17 + 5 = 39$", "n = 17. Check: n = 18."),
        ("17", "n = 17 (check: 34 + 5 = 39).", "n = 34 (check: 34 = 17 + 17)"),
        (r"\text{No}", "No, since 221 = 13 · 17.", "No, wait: yes."),
        (r"\text{No}", "**No**: 221 = 13 · 17.", "Yes, since 221 = 13 + 208."),
        ("true", "True, because 2 + 2 = 4.", "False, because 2 + 2 = 4."),
        (r"\text{diverges}", "It diverges (p-series with p = 1/2).", "It converges (it diverges for p = 1)."),
        (r"\text{diverges}", "It diverges (p = 1/2 ≤ 1).", "It diverges (no, it converges, as p = 2)."),
        ("9.870", "9.870 (because π² = 9.8696…)", "9.87 (because it is 9.87 or 9.88)"),
        ("odd", "It is odd (y = x^3).", "odd (even for x = 0)"),
        ("3", "3 (because 1 + 2 = 3)", "3 (because it could be 4)"),
        (r"x \le 2 \text{ or } y > 1", "x ≤ 2 or y > 1 (De Morgan)", "x ≤ 2 and y > 1 (De Morgan)"),
        ("(2, -1)", "Thus:\n\n- **y = −1**\n- **x = 2**", "- **y = 2**\n- **x = −1**"),
        ("(2, -1)", "The solution is:\n- $x = 2$\n- $y = -1$", "x = 2\ny = -1\nx = 3"),
        (r"57^\circ", "180 − 39 − 84 = 57 degrees", "180 − 39 − 84 = 57 radians"),
        (r"57^\circ", "180 - 39 - 84 = 57°", "57 = 58 degrees"),
        ("e - 2", r"$\left[(x^2 - 2x + 2)e^x\right]_0^1 = e - 2$", r"$[x e^x]_0^1 = e + 2$"),
        (r"\frac{49}{12}", r"$3\frac{13}{12} = 4\frac{1}{12}$", r"$3\frac{1}{12} = 4\frac{1}{12}$"),
        (r"1 \text{ h } 24 \text{ min}", "70/50 = 1.4 h = 84 minutes", "1.5 h = 84 minutes"),
        ("C8_{16}", r"$200 = 12\cdot16 + 8 = \mathrm{C8}_{16}$", r"$200 = \mathrm{8C}_{16}$"),
        ("101101_2", "45 = 32 + 8 + 4 + 1, which is 101101 in base 2.", "45 = 32 + 13, which is 101101 in base 3."),
        ("(-1, 2]", "All real x with −1 < x ≤ 2.", "All integers x with −1 < x ≤ 2."),
        ("(-1, 2]", "All x such that −1 < x ≤ 2.", "All real x with −1 < x < 2."),
        (r"13 \text{ years}", "Ben is 13 (and Anna 18).", "Ben is 18 (and Anna 13)."),
        ("13", "Ben is 13 (and Anna is 18).", "Ben is 18 (and Anna is 13)."),
        ("7.0711", r"$\sqrt{50} \approx 7.0711$", r"$\sqrt{50} \approx 7.1$"),
        ("0.0068", "0.0068 (the next digit is 4)", "0.0068 (the next possibility is 0.0069 or so)"),
        ("1", "The integral converges to 1.", "It does not converge to 1."),
        (
            r"\text{does not exist}",
            "The limits are 1 and −1, so the limit does not exist.",
            "Both are 1, so it exists.",
        ),
        ("0, 7", r"$x(x-7)=0 \Rightarrow x = 0$ or $x = 7$", r"$x(x-7)=0 \Rightarrow x = 7$"),
        ("5", "3x = 5x − 10, hence 2x = 10 and x = 5", "x = 3 and x = 5"),
        ("12x^2", "$f'(x) = 4x^3 - 3$ and $f''(x) = 12x^2$", "$f'(x) = 12x^2$ and $f''(x) = 24x$"),
        (
            r"y = \sqrt{x^2 + 9}",
            r"$y^2 = x^2 + 9$, and since $y(0) > 0$, $y = \sqrt{x^2+9}$.",
            "since y > 0, y = x + 3",
        ),
        ("2", r"$2^3 \equiv 1$, so $2^{10} \equiv 2^1 = 2 \pmod 7$", r"$x \equiv 2 \pmod 7$"),
        (r"21 \text{ litres}", "6 · 3.5 = 21 L", "6 · 3.5 = 21 mL"),
        (r"165 \text{ min}", "2.75 h × 60 min/h = 165 min", "2.75 h × 60 = 165 h"),
        (r"3200 \text{ kg}", "3.2 t = 3 200 kg", "3.2 t = 3 200 g"),
        (r"4.5 \text{ ha}", "45 000 m² ÷ 10 000 = 4.5 hectares", "45 000 m² ÷ 1000 = 45 hectares"),
        ("(-1, 1), (2, 4)", "They meet at (2, 4) and at (−1, 1).", "They meet at (2, 4) and at (1, −1)."),
    ],
)
def test_an_answer_is_read_without_what_stands_beside_it(accepts: Judge, gold: str, right: str, wrong: str) -> None:
    assert accepts(gold, right)
    assert not accepts(gold, wrong)


def test_a_number_in_a_check_is_no_answer(accepts: Judge) -> None:
    assert not accepts("39", "n = 17. Check: 34 + 5 = 39")
    assert not accepts("18", "n = 17. Check: 18 = 18")


def test_the_question_handed_back_with_a_number_is_judged_by_the_number(accepts: Judge) -> None:
    prompt = r"Round $\pi^2$ to three decimal places."
    assert accepts("9.870", r"$\pi^2 \approx 9.870$", prompt)
    assert not accepts("9.870", r"$\pi^2 \approx 9.9$", prompt)
    assert accepts(r"2\sqrt{13}", r"$2\sqrt{13} \approx 7.2$", "How long is the hypotenuse?")


@pytest.mark.parametrize(
    "unit",
    [
        "x = 1\n",
        "- a = 2\n",
        "1 = ",
        "yes, ",
        "(p = ",
        "Check: 1 = ",
        "1°",
        r"1\frac{1}{2} = ",
        "all x with ",
        "≈ ",
        "since a, ",
        "a, so b",
        "1≡1 ",
    ],
)
def test_no_long_response_takes_long_to_read(accepts: Judge, unit: str) -> None:
    started = time.thread_time()
    for gold in ("17", "no", r"57^\circ", "(2, -1)"):
        accepts(gold, (unit * 30_000)[:29_999])
        accepts(gold, (unit * 2_000)[:1_999])
    assert time.thread_time() - started < 6.0

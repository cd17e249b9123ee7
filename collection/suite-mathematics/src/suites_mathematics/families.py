"""Families of answers. Each makes an answer, the same value in other forms, and values that differ from it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt

Forms = list[tuple[str, str]]
"""(name of the form, LaTeX)."""


@dataclass(frozen=True)
class Made:
    """A question, its answer as the task holds it, and what is equal to it and what is not."""

    question: str
    answer: str
    right: Forms
    wrong: Forms


def fraction(rng: random.Random) -> Made:
    q = rng.choice([3, 5, 7, 8, 9, 11, 13, 16, 20, 25])
    p = rng.choice([n for n in range(2, 3 * q) if gcd(n, q) == 1 and n != q])
    right = [("frac", rf"\frac{{{p}}}{{{q}}}"), ("slash", f"{p}/{q}"), ("dfrac", rf"\dfrac{{{p}}}{{{q}}}")]
    if 10**4 % q == 0:
        right.append(("decimal", written(Fraction(p, q))))
    if p > q:
        right.append(("mixed", rf"{p // q}\frac{{{p % q}}}{{{q}}}"))
    wrong = [
        ("inverse", rf"\frac{{{q}}}{{{p}}}"),
        ("sign", rf"-\frac{{{p}}}{{{q}}}"),
        ("numerator", rf"\frac{{{p + 1}}}{{{q}}}"),
        ("denominator", rf"\frac{{{p}}}{{{q + 1}}}"),
        ("rounded", written(Fraction(round(10 * p / q) + 1, 10))),
    ]
    return Made(f"What is {p} divided by {q}?", rf"\frac{{{p}}}{{{q}}}", right, wrong)


def finite_set(rng: random.Random) -> Made:
    a, b, c, other = rng.sample(range(-12, 40), 4)
    return Made(
        f"Find all roots of (x - ({a}))(x - ({b}))(x - ({c})) = 0.",
        rf"\{{{a}, {b}, {c}\}}",
        [("turned", rf"\{{{c}, {a}, {b}\}}"), ("spaces", rf"\{{{b},\, {c},\, {a}\}}"), ("same", rf"\{{{a},{b},{c}\}}")],
        [
            ("one missing", rf"\{{{a}, {c}\}}"),
            ("one more", rf"\{{{a}, {b}, {c}, {other}\}}"),
            ("one changed", rf"\{{{a}, {other}, {c}\}}"),
            ("only one", str(b)),
        ],
    )


def ordered_pair(rng: random.Random) -> Made:
    x, y = rng.sample(range(-15, 30), 2)
    return Made(
        f"Solve x + y = {x + y}, x - y = {x - y}. Give (x, y).",
        f"({x}, {y})",
        [("same", f"({x},{y})"), ("left right", rf"\left({x}, {y}\right)"), ("spaces", rf"(\,{x},\; {y}\,)")],
        [
            ("turned", f"({y}, {x})"),
            ("one changed", f"({x}, {y + 1})"),
            ("one only", f"{x}"),
            ("three", f"({x}, {y}, 0)"),
        ],
    )


def interval(rng: random.Random) -> Made:
    low, high = sorted(rng.sample(range(-20, 40), 2))
    return Made(
        f"For which real x is {low} at most x, and x less than {high}?",
        f"[{low}, {high})",
        [
            ("same", f"[{low},{high})"),
            ("left right", rf"\left[{low}, {high}\right)"),
            ("membership", rf"x \in [{low}, {high})"),
            ("inequality", rf"{low} \le x < {high}"),
        ],
        [
            ("closed", f"[{low}, {high}]"),
            ("open", f"({low}, {high})"),
            ("turned ends", f"({low}, {high}]"),
            ("other end", f"[{low}, {high + 1})"),
            ("inequality strict", rf"{low} < x < {high}"),
        ],
    )


def quadratic(rng: random.Random) -> Made:
    a, b = rng.sample([n for n in range(-9, 10) if n], 2)
    if a == -b:
        b += 1 if b + 1 else 2
    shown = polynomial(a + b, a * b)
    return Made(
        f"Which polynomial in x of degree 2 has the roots {-a} and {-b} and the leading coefficient 1?",
        shown,
        [
            ("same", shown),
            ("turned", polynomial_turned(a + b, a * b)),
            ("factored", f"(x {signed(a)})(x {signed(b)})"),
            ("dots", rf"x \cdot x {signed(a + b)}x {signed(a * b)}" if a + b else shown),
        ],
        [
            ("constant", polynomial(a + b, a * b + 1)),
            ("sign", polynomial(a + b, -a * b)),
            ("factor", f"(x {signed(a)})(x {signed(b + (1 if b != -1 else 2))})"),
            ("other variable", polynomial(a + b, a * b).replace("x", "t")),
        ],
    )


def root(rng: random.Random) -> Made:
    k, m = rng.randint(2, 9), rng.choice([2, 3, 5, 6, 7, 10])
    return Made(
        f"How long is a side of a square whose area is {k * k * m}?",
        rf"{k}\sqrt{{{m}}}",
        [
            ("same", rf"{k} \sqrt{{{m}}}"),
            ("whole", rf"\sqrt{{{k * k * m}}}"),
            ("product", rf"{k} \cdot \sqrt{{{m}}}"),
            ("power", rf"{k} \cdot {m}^{{1/2}}"),
        ],
        [
            ("factor", rf"{k + 1}\sqrt{{{m}}}"),
            ("radicand", rf"{k}\sqrt{{{m + (1 if isqrt(m + 1) ** 2 != m + 1 else 4)}}}"),
            ("no root", str(k * m)),
            ("sign", rf"-{k}\sqrt{{{m}}}"),
            ("both signs", rf"\pm {k}\sqrt{{{m}}}"),
        ],
    )


def complex_number(rng: random.Random) -> Made:
    a, b = rng.choice([n for n in range(-15, 16) if n]), rng.choice([n for n in range(-15, 16) if abs(n) > 1])
    return Made(
        f"Write the complex number with real part {a} and imaginary part {b}.",
        f"{a} {signed(b)}i",
        [("same", f"{a}{b:+d}i"), ("turned", f"{b}i {signed(a)}"), ("dot", rf"{a} {signed(b)} \cdot i")],
        [("conjugate", f"{a} {signed(-b)}i"), ("swapped", f"{b} {signed(a)}i" if a != b else f"{-a} {signed(b)}i"),
         ("real part only", str(a)), ("no unit", f"{a} {signed(b)}")],
    )  # fmt: skip


def angle(rng: random.Random) -> Made:
    q = rng.choice([3, 4, 5, 6, 8, 12])
    p = rng.choice([n for n in range(2, 2 * q) if gcd(n, q) == 1])
    return Made(
        f"Give {Fraction(180 * p, q)} degrees in radians.",
        rf"\frac{{{p}\pi}}{{{q}}}",
        [
            ("same", rf"\frac{{{p} \pi}}{{{q}}}"),
            ("factor", rf"\frac{{{p}}}{{{q}}}\pi"),
            ("slash", rf"{p}\pi/{q}"),
            ("multiplied", rf"\frac{{{3 * p}\pi}}{{{3 * q}}}"),
        ],
        [
            ("no pi", rf"\frac{{{p}}}{{{q}}}"),
            ("other", rf"\frac{{{p}\pi}}{{{q + 1}}}"),
            ("turn more", rf"\frac{{{p + 2 * q}\pi}}{{{q}}}"),
            ("sign", rf"-\frac{{{p}\pi}}{{{q}}}"),
        ],
    )


def large_number(rng: random.Random) -> Made:
    head, zeros = rng.choice([n for n in range(11, 99) if n % 10]), rng.randint(4, 8)
    value = head * 10**zeros
    return Made(
        f"How many grains are in {head} boxes of {10**zeros:,} grains each?",
        str(value),
        [
            ("grouped", f"{value:,}"),
            ("scientific", rf"{head // 10}.{head % 10} \times 10^{{{zeros + 1}}}"),
            ("power", rf"{head} \cdot 10^{{{zeros}}}"),
            ("latex comma", f"{value:,}".replace(",", "{,}")),
        ],
        [
            ("one nought more", str(10 * value)),
            ("one nought less", f"{value // 10:,}"),
            ("exponent", rf"{head // 10}.{head % 10} \times 10^{{{zeros}}}"),
            ("negative exponent", rf"{head} \cdot 10^{{-{zeros}}}"),
        ],
    )


def matrix(rng: random.Random) -> Made:
    a, b, c, d = rng.sample(range(-9, 21), 4)
    return Made(
        f"Write the matrix with rows ({a}, {b}) and ({c}, {d}).",
        rf"\begin{{pmatrix}} {a} & {b} \\ {c} & {d} \end{{pmatrix}}",
        [
            ("same", rf"\begin{{pmatrix}}{a}&{b}\\{c}&{d}\end{{pmatrix}}"),
            ("square brackets", rf"\begin{{bmatrix}} {a} & {b} \\ {c} & {d} \end{{bmatrix}}"),
        ],
        [
            ("transposed", rf"\begin{{pmatrix}} {a} & {c} \\ {b} & {d} \end{{pmatrix}}"),
            ("entry", rf"\begin{{pmatrix}} {a} & {b} \\ {c} & {d + 1} \end{{pmatrix}}"),
            ("rows turned", rf"\begin{{pmatrix}} {c} & {d} \\ {a} & {b} \end{{pmatrix}}"),
        ],
    )


def linear_form(rng: random.Random) -> Made:
    a, b, c = rng.randint(2, 9), rng.randint(2, 9), rng.randint(1, 20)
    return Made(
        f"Add {a}x, {b}y and {c}.",
        f"{a}x + {b}y + {c}",
        [
            ("turned", f"{b}y + {a}x + {c}"),
            ("constant first", f"{c} + {a}x + {b}y"),
            ("dots", rf"{a} \cdot x + {b} \cdot y + {c}"),
        ],
        [
            ("swapped", f"{a + 1}x + {b}y + {c}"),
            ("sign", f"{a}x - {b}y + {c}"),
            ("constant", f"{a}x + {b}y + {c + 1}"),
            ("variables", f"{a}x + {b}z + {c}"),
        ],
    )


def power(rng: random.Random) -> Made:
    base, exponent = rng.choice([(2, 11), (3, 7), (5, 5), (7, 4), (2, 13), (6, 5), (11, 3)])
    value = base**exponent
    return Made(
        f"How many codes of {exponent} signs are there, if each sign is any of {base} and may come again?",
        f"{base}^{{{exponent}}}",
        [
            ("value", str(value)),
            ("grouped", f"{value:,}"),
            ("split", rf"{base}^{{{exponent - 2}}} \cdot {base * base}"),
        ],
        [
            ("product", str(base * exponent)),
            ("turned", f"{exponent}^{{{base}}}" if exponent**base != value else str(value + 1)),
            ("exponent", f"{base}^{{{exponent + 1}}}"),
            ("near", str(value + rng.choice([-1, 1, 10]))),
        ],
    )


def function_value(rng: random.Random) -> Made:
    k, n = rng.randint(2, 9), rng.randint(2, 7)
    return Made(
        f"What is the derivative of {n} e^({k}x)?",
        rf"{k * n}e^{{{k}x}}",
        [
            ("exp", rf"{k * n}\exp({k}x)"),
            ("product", rf"{n} \cdot {k} e^{{{k}x}}"),
            ("turned", rf"e^{{{k}x}} \cdot {k * n}"),
        ],
        [
            ("factor", rf"{n}e^{{{k}x}}"),
            ("exponent", rf"{k * n}e^{{{k + 1}x}}"),
            ("constant", rf"{k * n}e^{{{k}x}} + 1"),
            ("sign of exponent", rf"{k * n}e^{{-{k}x}}"),
        ],
    )


def written(value: Fraction) -> str:
    """A terminating decimal, exactly."""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if value < 0 else text


def signed(number: int) -> str:
    return f"+ {number}" if number >= 0 else f"- {-number}"


def polynomial(b: int, c: int) -> str:
    middle = {0: "", 1: " + x", -1: " - x"}.get(b, f" {signed(b)}x")
    return f"x^2{middle} {signed(c)}"


def polynomial_turned(b: int, c: int) -> str:
    middle = {0: "", 1: " + x", -1: " - x"}.get(b, f" {signed(b)}x")
    return f"{c}{middle} + x^2"


FAMILIES: dict[str, Callable[[random.Random], Made]] = {
    made.__name__.replace("_", " "): made
    for made in (
        fraction, finite_set, ordered_pair, interval, quadratic, root, complex_number, angle, large_number, matrix,
        linear_form, power, function_value,
    )
}  # fmt: skip

"""Numbers: decimals, shares, ratios, mixed numbers, words, powers."""

from fractions import Fraction
from random import Random
from typing import Any

from tests.collection.strangers.textbook.kinds import Answer, kind


@kind
def comma_decimal(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(1010, 9990) + 0
    n = n if n % 10 else n + 3
    whole, part = divmod(n, 100)
    v = Fraction(n, 100)
    return (f"{whole}.{part:02d}", v), [
        (f"{whole},{part:02d}", v), (f"{whole}{{,}}{part:02d}", v), (f"x \\approx {whole}.{part:02d}", v), (f"\\frac{{{n}}}{{100}}", v),
        (f"{n // 1000},{n % 1000:03d}", Fraction(n, 1000)), (f"{whole},{(part + 11) % 100:02d}", Fraction(whole * 100 + (part + 11) % 100, 100)), (f"{n}", n), (f"-{whole}{{,}}{part:02d}", -v),
    ]  # fmt: skip


@kind
def per_cent(r: Random) -> tuple[Answer, list[Answer]]:
    k = r.choice([1, 3, 5, 7])
    v = Fraction(k, 8)
    p = f"{float(100 * v):g}"
    return (f"{p}\\%", v), [
        (f"\\frac{{{k}}}{{8}}", v), (f"~{p.replace('.', ',')} %", v), (f"~{p} percent", v), (f"{float(v):g}", v),
        (f"{float(100 - 100 * v):g}\\%", 1 - v), (f"\\frac{{{k}}}{{80}}", v / 10), (f"~{float(10 * v):g} percent", v / 10), (f"\\frac{{8}}{{{k}}}" if k > 1 else "\\frac{1}{9}", 1 / v if k > 1 else Fraction(1, 9)),
    ]  # fmt: skip


@kind
def proportion(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.choice([(3, 5), (2, 7), (4, 9), (5, 8), (7, 4)])
    v = ("ratio", Fraction(a, b))

    def ratio(s: int, t: int) -> Any:
        return ("ratio", Fraction(s, t))

    return (f"{a}:{b}", v), [
        (f"~{a} to {b}", v), (f"{2 * a}:{2 * b}", v), (f"{a} : {b}", v), (f"{a}\\colon {b}", v),
        (f"~{b} to {a}", ratio(b, a)), (f"{b}:{a}", ratio(b, a)), (f"{a}:{a + b}", ratio(a, a + b)), (f"{a}\\colon {b + 1}", ratio(a, b + 1)),
    ]  # fmt: skip


@kind
def three_part_ratio(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c = r.sample([2, 3, 5, 7, 9], 3)
    v = ("ratio", a, b, c)
    return (f"{a}:{b}:{c}", v), [
        (f"{a} : {b} : {c}", v), (f"~{a} to {b} to {c}", v), (f"{a}\\colon{b}\\colon{c}", v),
        (f"{c}:{b}:{a}", ("ratio", c, b, a)), (f"{a}:{b}", ("ratio", a, b)), (f"~{a} to {c} to {b}", ("ratio", a, c, b)),
    ]  # fmt: skip


@kind
def two_unknowns(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample([-8, -5, -3, 2, 4, 7, 11], 2)

    def v(s: int, t: int) -> Any:
        return frozenset({("a", s), ("b", t)})

    return (f"a={a}, b={b}", v(a, b)), [
        (f"b={b},\\ a={a}", v(a, b)), (f"~a is {a} and b is {b}", v(a, b)), (f"a={a} \\text{{ and }} b={b}", v(a, b)), (f"(a,b)=({a},{b})", v(a, b)),
        (f"a={b},\\ b={a}", v(b, a)), (f"~a is {-a} and b is {b}", v(-a, b)), (f"a={a}", frozenset({("a", a)})), (f"(a,b)=({b},{a})", v(b, a)),
    ]  # fmt: skip


@kind
def damaged_latex(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.choice([(3, 4), (5, 8), (7, 12), (2, 9), (4, 7)])
    v = Fraction(a, b)
    return (f"\\frac{{{a}}}{{{b}}}", v), [
        (f"\\\\frac{{{a}}}{{{b}}}", v), (f"\\frac{{{a}}}{{{b}}}}}", v), (f"\\dfrac {a} {b}" if b < 10 else f"\\dfrac {a} {{{b}}}", v), (f"{{\\displaystyle \\frac{{{a}}}{{{b}}}}}", v), (f"\\left.\\frac{{{a}}}{{{b}}}\\right.", v),
        (f"\\\\frac{{{b}}}{{{a}}}", 1 / v), (f"\\frac{{{a + 1}}}{{{b}}}}}", Fraction(a + 1, b)), (f"{{\\displaystyle \\frac{{{a}}}{{{b + 1}}}}}", Fraction(a, b + 1)), (f"-\\dfrac{{{a}}}{{{b}}}", -v), (f"\\left.\\frac{{{b}}}{{{a}}}\\right.", 1 / v),
    ]  # fmt: skip


@kind
def scientific(r: Random) -> tuple[Answer, list[Answer]]:
    m, e = r.randint(12, 98), r.randint(4, 7)
    m = m if m % 10 else m + 1
    v = m * 10 ** (e - 1)
    one = f"{m // 10}.{m % 10}"
    return (f"{one}\\times 10^{{{e}}}", v), [
        (f"{v}", v), (f"{one}\\cdot 10^{e}", v), (f"~{v:,}", v), (f"{m}\\times 10^{{{e - 1}}}", v), (f"~{one}e{e}", v),
        (f"{v // 10}", v // 10), (f"{one}\\cdot 10^{{-{e}}}", float(f"{one}e-{e}")), (f"~{v * 10:,}", v * 10), (f"{m}\\times 10^{{{e}}}", m * 10**e), (f"~{one}e{e + 1}", v * 10),
    ]  # fmt: skip


@kind
def mixed_number(r: Random) -> tuple[Answer, list[Answer]]:
    w = r.randint(2, 9)
    a, b = r.choice([(3, 4), (1, 2), (2, 5), (5, 8)])
    v = w + Fraction(a, b)
    return (f"{w}\\frac{{{a}}}{{{b}}}", v), [
        (f"\\frac{{{w * b + a}}}{{{b}}}", v), (f"~{w} {a}/{b}", v), (f"{float(v):g}", v), (f"{w}+\\frac{{{a}}}{{{b}}}", v),
        (f"{w}\\cdot\\frac{{{a}}}{{{b}}}", w * Fraction(a, b)), (f"\\frac{{{w * b - a}}}{{{b}}}", w - Fraction(a, b)), (f"~{w + 1} {a}/{b}", v + 1), (f"\\frac{{{w}{a}}}{{{b}}}", Fraction(int(f"{w}{a}"), b)),
    ]  # fmt: skip


@kind
def number_in_words(r: Random) -> tuple[Answer, list[Answer]]:
    tens, ones = (
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy"],
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
    )
    t, o = r.randrange(6), r.randrange(9)
    n = 10 * (t + 2) + o + 1
    other = 10 * ((t + 1) % 6 + 2) + o + 1
    return (str(n), n), [
        (f"~{tens[t]}-{ones[o]}", n), (f"~{tens[t].capitalize()}-{ones[o]}", n), (f"~{tens[t]} {ones[o]}", n),
        (f"~{tens[(t + 1) % 6]}-{ones[o]}", other), (f"~{tens[t]}", n - o - 1), (f"~one hundred {tens[t]}-{ones[o]}", 100 + n),
    ]  # fmt: skip


@kind
def repeating(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.choice([k for k in range(12, 90) if k % 11 and k % 10])
    v = Fraction(n, 99)
    return (f"0.\\overline{{{n}}}", v), [
        (f"\\frac{{{v.numerator}}}{{{v.denominator}}}", v), (f"\\frac{{{n}}}{{99}}", v), (f"0.{n}\\overline{{{n}}}", v), (f"0.\\dot{{{n // 10}}}\\dot{{{n % 10}}}", v),
        (f"0.{n}", Fraction(n, 100)), (f"\\frac{{{n}}}{{100}}", Fraction(n, 100)), (f"0.{n // 10}\\overline{{{n % 10}}}", Fraction(n // 10, 10) + Fraction(n % 10, 90)), (f"\\frac{{{n}}}{{90}}", Fraction(n, 90)),
    ]  # fmt: skip

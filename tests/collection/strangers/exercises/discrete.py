"""Sets, logic, counting, sequences, matrices, chance."""

import itertools
import math
from fractions import Fraction
from random import Random
from typing import Any

from tests.collection.strangers.exercises.kinds import kind
from tests.collection.strangers.textbook.kinds import Answer


def whole(function: Any) -> tuple[Any, ...]:
    """The values at whole numbers, of a formula that is asked about those."""
    return tuple(function(n) for n in (4, 7, 11, 30))


def table(function: Any) -> tuple[bool, ...]:
    """What a formula of three statements means: its column in the table of truth."""
    return tuple(function(*row) for row in itertools.product((False, True), repeat=3))


@kind
def rounded_down(r: Random) -> tuple[Answer, list[Answer]]:
    m = r.randint(2, 6)
    v = whole(lambda n: n // m + 1)
    return (f"\\left\\lfloor\\frac{{n}}{{{m}}}\\right\\rfloor+1", v), [
        (f"1+\\lfloor n/{m}\\rfloor", v), (f"\\lfloor \\frac{{n}}{{{m}}} \\rfloor + 1", v), (f"\\left\\lfloor\\frac{{n+{m}}}{{{m}}}\\right\\rfloor", v), (f"\\left\\lfloor \\tfrac{{n}}{{{m}}}+1\\right\\rfloor", v),
        (f"\\left\\lceil\\frac{{n}}{{{m}}}\\right\\rceil+1", whole(lambda n: -(-n // m) + 1)), (f"\\left\\lfloor\\frac{{n}}{{{m}}}\\right\\rfloor", whole(lambda n: n // m)), (f"\\left\\lfloor\\frac{{n}}{{{m + 1}}}\\right\\rfloor+1", whole(lambda n: n // (m + 1) + 1)), (f"\\frac{{n}}{{{m}}}+1", whole(lambda n: n / m + 1)),
    ]  # fmt: skip


@kind
def geometric_term(r: Random) -> tuple[Answer, list[Answer]]:
    a, q = r.choice([3, 5, 6, 7]), r.choice([2, 3, 4])
    if a == q:
        a += 1
    v = tuple(a * q ** (n - 1) for n in (1, 2, 5))
    return (f"a_n={a}\\cdot {q}^{{n-1}}", v), [
        (f"a_n=\\frac{{{a}}}{{{q}}}\\cdot {q}^n", v), (f"{a}({q})^{{n-1}}", v), (f"a_n={q}^{{n-1}}\\cdot {a}", v), (f"a_{{n}} = \\frac{{{a}\\cdot {q}^{{n}}}}{{{q}}}", v),
        (f"a_n={a}\\cdot {q}^n", tuple(a * q**n for n in (1, 2, 5))), (f"a_n={q}\\cdot {a}^{{n-1}}", tuple(q * a ** (n - 1) for n in (1, 2, 5))), (f"a_n={a}+{q}^{{n-1}}", tuple(a + q ** (n - 1) for n in (1, 2, 5))), (f"a_n={a}+{q}(n-1)", tuple(a + q * (n - 1) for n in (1, 2, 5))),
    ]  # fmt: skip


@kind
def counted_pairs(r: Random) -> tuple[Answer, list[Answer]]:
    k = r.choice([1, 2, 3, 4])
    v = whole(lambda n: k * n * (n - 1) / 2)
    c = "" if k == 1 else str(k)
    return (f"{c}\\binom{{n}}{{2}}", v), [
        (f"\\frac{{{c}n(n-1)}}{{2}}", v), (f"\\frac{{{k}}}{{2}}\\left(n^2-n\\right)", v), (f"{c}\\frac{{n!}}{{2!(n-2)!}}", v), (f"{c}\\binom{{n}}{{n-2}}", v),
        (f"{2 * k}n(n-1)", whole(lambda n: 2 * k * n * (n - 1))), (f"{c}\\binom{{n}}{{3}}", whole(lambda n: k * math.comb(n, 3))), (f"{c}\\binom{{n+1}}{{2}}", whole(lambda n: k * math.comb(n + 1, 2))), (f"\\frac{{{c}n}}{{2}}", whole(lambda n: k * n / 2)),
    ]  # fmt: skip


@kind
def continued_fraction(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c = r.randint(1, 5), r.randint(2, 5), r.randint(2, 6)
    v = a + 1 / (b + Fraction(1, c))
    return (f"{a}+\\cfrac{{1}}{{{b}+\\cfrac{{1}}{{{c}}}}}", v), [
        (f"\\frac{{{v.numerator}}}{{{v.denominator}}}", v), (f"{a}+\\frac{{1}}{{{b}+\\frac{{1}}{{{c}}}}}", v), (f"{a}+\\frac{{{c}}}{{{b * c + 1}}}", v), (f"~{v.numerator}/{v.denominator}", v),
        (f"\\frac{{{v.denominator}}}{{{v.numerator}}}", 1 / v), (f"{a}+\\cfrac{{1}}{{{c}+\\cfrac{{1}}{{{b}}}}}", a + 1 / (c + Fraction(1, b)) + (Fraction(1) if b == c else 0)) if b != c else (f"{a + 1}", Fraction(a + 1)), (f"{a}+\\frac{{1}}{{{b}}}+\\frac{{1}}{{{c}}}", a + Fraction(1, b) + Fraction(1, c)), (f"\\frac{{{v.numerator + 1}}}{{{v.denominator}}}", v + Fraction(1, v.denominator)),
    ]  # fmt: skip


@kind
def statement(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c = r.sample(["p", "q", "r", "s"], 3)
    v = table(lambda x, y, z: (x and y) or not z)
    return (f"({a}\\land {b})\\lor\\neg {c}", v), [
        (f"\\neg {c}\\lor({a}\\land {b})", v), (f"({b}\\land {a})\\lor\\neg {c}", v), (f"({a}\\wedge {b})\\vee\\lnot {c}", v), (f"~({a} ∧ {b}) ∨ ¬{c}", v),
        (f"({a}\\lor {b})\\land\\neg {c}", table(lambda x, y, z: (x or y) and not z)), (f"({a}\\land {b})\\lor {c}", table(lambda x, y, z: (x and y) or z)), (f"\\neg({a}\\land {b})\\lor {c}", table(lambda x, y, z: not (x and y) or z)), (f"({a}\\land {c})\\lor\\neg {b}", table(lambda x, y, z: (x and z) or not y)),
    ]  # fmt: skip


@kind
def sets_by_name(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c = r.sample(["A", "B", "C", "D"], 3)
    v = table(lambda x, y, z: (x and y) or z)
    return ("(A\\cap B)\\cup C".replace("A", "1").replace("B", "2").replace("C", "3").replace("1", a).replace("2", b).replace("3", c), v), [
        (f"{c}\\cup({a}\\cap {b})", v), (f"({b}\\cap {a})\\cup {c}", v), (f"~({a} ∩ {b}) ∪ {c}", v), (f"\\left({a} \\cap {b}\\right) \\cup {c}", v),
        (f"({a}\\cup {b})\\cap {c}", table(lambda x, y, z: (x or y) and z)), (f"({a}\\cap {c})\\cup {b}", table(lambda x, y, z: (x and z) or y)), (f"{a}\\cap {b}\\cap {c}", table(lambda x, y, z: x and y and z)), (f"({a}\\cap {b})\\setminus {c}", table(lambda x, y, z: x and y and not z)),
    ]  # fmt: skip


@kind
def power_set(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = sorted(r.sample(range(1, 10), 2))
    none: frozenset[int] = frozenset()
    v = ("sets", none, frozenset({a}), frozenset({b}), frozenset({a, b}))
    return (f"\\{{\\emptyset,\\{{{a}\\}},\\{{{b}\\}},\\{{{a},{b}\\}}\\}}", v), [
        (f"\\{{\\varnothing,\\{{{a}\\}},\\{{{b}\\}},\\{{{a},{b}\\}}\\}}", v), (f"\\{{\\{{{a},{b}\\}},\\{{{a}\\}},\\{{{b}\\}},\\emptyset\\}}", v), (f"\\left\\{{ \\emptyset, \\{{{a}\\}}, \\{{{b}\\}}, \\{{{b}, {a}\\}} \\right\\}}", v),
        (f"\\{{\\{{{a}\\}},\\{{{b}\\}},\\{{{a},{b}\\}}\\}}", "no empty set"), (f"\\{{\\emptyset,{a},{b},\\{{{a},{b}\\}}\\}}", "members"), (f"\\{{\\emptyset,\\{{{a}\\}},\\{{{b}\\}}\\}}", "no whole set"), (f"\\{{{a},{b}\\}}", frozenset({a, b})),
    ]  # fmt: skip


@kind
def eigenvalues(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample([-6, -4, -1, 2, 3, 5, 8], 2)
    v = frozenset({a, b})
    return (f"\\lambda_1={a},\\ \\lambda_2={b}", v), [
        (f"{a}, {b}", v), (f"\\lambda={b} \\text{{ or }} \\lambda={a}", v), (f"\\lambda_1={b},\\ \\lambda_2={a}", v), (f"\\{{{a},{b}\\}}", v),
        (f"\\lambda={a}", frozenset({a})), (f"\\lambda_1={a},\\ \\lambda_2={b + 1}", frozenset({a, b + 1}) if a != b + 1 else frozenset({a})), (f"\\lambda_1={-a},\\ \\lambda_2={-b}", frozenset({-a, -b})), (f"\\lambda_1={a},\\ \\lambda_2={b},\\ \\lambda_3=9", frozenset({a, b, 9})),
    ]  # fmt: skip


@kind
def transposed(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c = r.sample([-5, -3, 2, 4, 6, 7], 3)
    v = ("v", a, b, c)
    return (f"({a},{b},{c})^T", v), [
        (f"\\begin{{pmatrix}}{a}\\\\{b}\\\\{c}\\end{{pmatrix}}", v), (f"({a}, {b}, {c})^{{\\top}}", v), (f"[{a}, {b}, {c}]^T", v), (f"\\begin{{bmatrix}}{a}&{b}&{c}\\end{{bmatrix}}^T", v),
        (f"({b},{a},{c})^T", ("v", b, a, c)), (f"\\begin{{pmatrix}}{a}\\\\{b}\\end{{pmatrix}}", ("v", a, b)), (f"({a},{b},{-c})^T", ("v", a, b, -c)), (f"({a + 1},{b},{c})^T", ("v", a + 1, b, c)),
    ]  # fmt: skip


@kind
def diagonal(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample(range(2, 9), 2)
    v = ("m", a, 0, 0, b)
    return (f"\\begin{{pmatrix}}{a}&0\\\\0&{b}\\end{{pmatrix}}", v), [
        (f"\\operatorname{{diag}}({a},{b})", v), (f"\\begin{{bmatrix}} {a} & 0 \\\\ 0 & {b} \\end{{bmatrix}}", v), (f"D=\\begin{{pmatrix}}{a}&0\\\\0&{b}\\end{{pmatrix}}", v), (f"\\left[\\begin{{matrix}}{a}&0\\\\0&{b}\\end{{matrix}}\\right]", v),
        (f"\\operatorname{{diag}}({b},{a})", ("m", b, 0, 0, a)), (f"\\begin{{pmatrix}}0&{a}\\\\{b}&0\\end{{pmatrix}}", ("m", 0, a, b, 0)), (f"\\begin{{pmatrix}}{a}&1\\\\0&{b}\\end{{pmatrix}}", ("m", a, 1, 0, b)), (f"{a * b}", a * b),
    ]  # fmt: skip


@kind
def binomial_distribution(r: Random) -> tuple[Answer, list[Answer]]:
    n, p = r.randint(6, 30), r.choice([2, 3, 4, 6])
    v = ("B", n, Fraction(p, 10))
    return (f"X\\sim B({n},0.{p})", v), [
        (f"X \\sim \\mathrm{{B}}({n}, 0.{p})", v), (f"X\\sim B\\left({n},\\frac{{{p}}}{{10}}\\right)", v), (f"B({n}, 0.{p})", v), (f"X\\sim\\text{{B}}({n},\\,0.{p})", v),
        (f"X\\sim B({n},0.{10 - p})", ("B", n, Fraction(10 - p, 10))), (f"X\\sim B({n + 1},0.{p})", ("B", n + 1, Fraction(p, 10))), (f"X\\sim B(0.{p},{n})", ("B", Fraction(p, 10), n)), (f"X\\sim N({n},0.{p})", ("N", n, Fraction(p, 10))),
    ]  # fmt: skip


@kind
def growth_class(r: Random) -> tuple[Answer, list[Answer]]:
    k = r.choice([2, 3, 4])
    v = f"n^{k} log n"
    return (f"O(n^{k}\\log n)", v), [
        (f"\\mathcal{{O}}(n^{k}\\log n)", v), (f"O(n^{{{k}}} \\cdot \\log n)", v), (f"~O(n^{k} log n)", v), (f"O(\\log(n)\\, n^{k})", v),
        (f"O(n^{k})", f"n^{k}"), (f"O(n^{k + 1}\\log n)", f"n^{k + 1} log n"), ("O(n\\log n)", "n log n"), (f"O({k}^n\\log n)", f"{k}^n log n"),
    ]  # fmt: skip


@kind
def five_numbers(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c, d, e = sorted(r.sample(range(3, 60), 5))
    v = ("five", a, b, c, d, e)
    return (f"({a},{b},{c},{d},{e})", v), [
        (f"\\left({a},\\,{b},\\,{c},\\,{d},\\,{e}\\right)", v), (f"({a}; {b}; {c}; {d}; {e})", v), (f"~({a}, {b}, {c}, {d}, {e})", v), (f"\\langle {a},{b},{c},{d},{e}\\rangle", v),
        (f"({a},{b},{d},{c},{e})", ("five", a, b, d, c, e)), (f"({a},{b},{c},{d})", ("four", a, b, c, d)), (f"({e},{d},{c},{b},{a})", ("five", e, d, c, b, a)), (f"({a},{b},{c},{d},{e + 1})", ("five", a, b, c, d, e + 1)),
    ]  # fmt: skip


@kind
def day_of_the_week(r: Random) -> tuple[Answer, list[Answer]]:
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    n = r.randrange(7)
    other, third = days[(n + 1) % 7], days[(n + 6) % 7]
    return (f"\\text{{{days[n]}}}", days[n]), [
        (f"~{days[n]}", days[n]), (f"~It is a {days[n]}.", days[n]), (f"\\textbf{{{days[n]}}}", days[n]), (f"~{days[n].lower()}", days[n]),
        (f"~{other}", other), (f"~It is a {third}.", third), (f"~{days[n]} or {other}", "two"), (f"~not {days[n]}", "denied"),
    ]  # fmt: skip

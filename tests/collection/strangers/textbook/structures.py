"""Structures: matrices, vectors, sets, intervals, formulas, classes of remainders."""

import cmath
import math
from fractions import Fraction
from random import Random
from typing import Any

from tests.collection.strangers.textbook.kinds import Answer, at, kind, sgn


@kind
def quotient_and_remainder(r: Random) -> tuple[Answer, list[Answer]]:
    q, d = r.randint(11, 40), r.randint(2, 9)
    value = ("q", q, d)
    return (f"{q} \\text{{ remainder }} {d}", value), [
        (f"~{q} R {d}", value), (f"~quotient {q}, remainder {d}", value), (f"{q}\\text{{ R }}{d}", value), (f"~{q} remainder {d}", value),
        (f"~{d} R {q}", ("q", d, q)), (f"~quotient {q}, remainder {d + 1}", ("q", q, d + 1)), (f"{q + 1}\\text{{ R }}{d}", ("q", q + 1, d)), (f"{q}", q),
    ]  # fmt: skip


@kind
def completed_square(r: Random) -> tuple[Answer, list[Answer]]:
    h, k = r.randint(2, 7), r.choice([-5, -2, 3, 4])

    def f(a: int, b: int) -> Any:
        return at(lambda x: (x - a) ** 2 + b)

    return (f"(x-{h})^2{sgn(k)}", f(h, k)), [
        (f"x^2-{2 * h}x{sgn(h * h + k)}", f(h, k)), (f"{k}+(x-{h})^2", f(h, k)), (f"({h}-x)^2{sgn(k)}", f(h, k)),
        (f"(x+{h})^2{sgn(k)}", f(-h, k)), (f"(x-{h})^2{sgn(-k)}", f(h, -k)), (f"x^2-{2 * h}x{sgn(k)}", at(lambda x: x * x - 2 * h * x + k)),
    ]  # fmt: skip


@kind
def partial_fractions(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample(range(2, 9), 2)
    p, q = r.sample(range(1, 6), 2)

    def f(s: int, t: int, u: int, v: int) -> Any:
        return at(lambda x: s / (x - u) + t / (x + v))

    return (f"\\frac{{{a}}}{{x-{p}}}+\\frac{{{b}}}{{x+{q}}}", f(a, b, p, q)), [
        (f"\\frac{{{b}}}{{x+{q}}}+\\frac{{{a}}}{{x-{p}}}", f(a, b, p, q)), (f"\\dfrac{{{a}}}{{x-{p}}} + \\dfrac{{{b}}}{{x+{q}}}", f(a, b, p, q)),
        (f"\\frac{{{a}(x+{q})+{b}(x-{p})}}{{(x-{p})(x+{q})}}", f(a, b, p, q)), (f"\\frac{{{b}}}{{x-{p}}}+\\frac{{{a}}}{{x+{q}}}", f(b, a, p, q)),
        (f"\\frac{{{a}}}{{x-{p}}}-\\frac{{{b}}}{{x+{q}}}", f(a, -b, p, q)), (f"\\frac{{{a}}}{{x+{p}}}+\\frac{{{b}}}{{x-{q}}}", f(a, b, -p, -q)),
    ]  # fmt: skip


@kind
def polar_form(r: Random) -> tuple[Answer, list[Answer]]:
    m, n = r.choice([2, 4, 6]), r.choice([3, 6])
    z = m * cmath.exp(1j * math.pi / n)
    re, im = (
        (str(m // 2), f"{m // 2}\\sqrt{{3}}" if m > 2 else "\\sqrt{3}")
        if n == 3
        else (f"{m // 2}\\sqrt{{3}}" if m > 2 else "\\sqrt{3}", "" if m == 2 else str(m // 2))
    )
    return (f"{m}e^{{i\\pi/{n}}}", z), [
        (f"{m}\\left(\\cos\\frac{{\\pi}}{{{n}}}+i\\sin\\frac{{\\pi}}{{{n}}}\\right)", z), (f"{re}+{im}i", z), (f"{m}e^{{\\frac{{\\pi i}}{{{n}}}}}", z),
        (f"{re}-{im}i", z.conjugate()), (f"{m}e^{{-i\\pi/{n}}}", z.conjugate()), (f"{m}\\left(\\sin\\frac{{\\pi}}{{{n}}}+i\\cos\\frac{{\\pi}}{{{n}}}\\right)", m * complex(math.sin(math.pi / n), math.cos(math.pi / n))),
    ]  # fmt: skip


@kind
def antiderivative(r: Random) -> tuple[Answer, list[Answer]]:
    n, a = r.randint(2, 5), r.randint(2, 9)

    def f(c: float, k: float) -> Any:
        return ("+C", at(lambda x: c * x ** (n + 1) + k * x))

    value = f(1 / (n + 1), a)
    return (f"\\frac{{x^{n + 1}}}{{{n + 1}}}+{a}x+C", value), [
        (f"\\frac{{1}}{{{n + 1}}}x^{n + 1}+{a}x+C", value), (f"{a}x+\\frac{{x^{{{n + 1}}}}}{{{n + 1}}}+C", value), (f"C+{a}x+\\frac{{x^{n + 1}}}{{{n + 1}}}", value),
        (f"\\frac{{x^{n + 1}}}{{{n}}}+{a}x+C", f(1 / n, a)), (f"{n}x^{n - 1}", at(lambda x: n * x ** (n - 1))), (f"\\frac{{x^{n + 1}}}{{{n + 1}}}-{a}x+C", f(1 / (n + 1), -a)),
    ]  # fmt: skip


@kind
def general_angle(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.choice([3, 4, 5, 6, 8])
    value = (Fraction(1, n), Fraction(2))
    return (f"x=\\frac{{\\pi}}{{{n}}}+2k\\pi,\\ k\\in\\mathbb{{Z}}", value), [
        (f"x=\\frac{{\\pi}}{{{n}}}+2\\pi k,\\ k\\in\\mathbb{{Z}}", value), (f"x=2k\\pi+\\frac{{\\pi}}{{{n}}}\\quad(k\\in\\mathbb{{Z}})", value), (f"\\frac{{\\pi}}{{{n}}}+2k\\pi", value),
        (f"x=\\frac{{\\pi}}{{{n}}}+k\\pi,\\ k\\in\\mathbb{{Z}}", (Fraction(1, n), Fraction(1))), (f"x=-\\frac{{\\pi}}{{{n}}}+2k\\pi,\\ k\\in\\mathbb{{Z}}", (Fraction(-1, n), Fraction(2))), (f"x=\\frac{{\\pi}}{{{n + 1}}}+2k\\pi,\\ k\\in\\mathbb{{Z}}", (Fraction(1, n + 1), Fraction(2))),
    ]  # fmt: skip


@kind
def binomial(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(7, 12)
    k = r.randint(2, 3)
    c = math.comb(n, k)
    return (str(c), c), [
        (f"\\binom{{{n}}}{{{k}}}={c}", c), (f"\\frac{{{n}!}}{{{k}!\\,{n - k}!}}", c), (f"\\binom{{{n}}}{{{n - k}}}", c), (f"{{{n} \\choose {k}}}", c),
        (f"\\binom{{{n}}}{{{k - 1}}}", math.comb(n, k - 1)), (f"\\frac{{{n}!}}{{{n - k}!}}", math.perm(n, k)), (f"\\binom{{{n}}}{{{k}}}={c + n}", c + n), (f"{{{n + 1} \\choose {k}}}", math.comb(n + 1, k)),
    ]  # fmt: skip


@kind
def change_of_base(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample([2, 3, 5, 7, 11], 2)
    v = math.log(b, a)
    return (f"\\log_{{{a}}} {b}", v), [
        (f"\\frac{{\\ln {b}}}{{\\ln {a}}}", v), (f"\\frac{{\\log {b}}}{{\\log {a}}}", v), (f"\\log_{a}({b})", v),
        (f"\\log_{{{b}}} {a}", 1 / v), (f"\\ln\\frac{{{b}}}{{{a}}}", math.log(b / a)), (f"\\frac{{\\ln {a}}}{{\\ln {b}}}", 1 / v),
    ]  # fmt: skip


@kind
def sum_of_logs(r: Random) -> tuple[Answer, list[Answer]]:
    k, p = r.randint(2, 4), r.choice([3, 5, 7])
    v = math.log(2**k * p)
    return (f"\\ln {2**k * p}", v), [
        (f"{k}\\ln 2+\\ln {p}", v), (f"\\ln {p} + {k} \\ln 2", v), (f"\\ln({p}\\cdot 2^{k})", v), (f"\\ln {2**k}+\\ln {p}", v),
        (f"\\ln 2+{k}\\ln {p}", math.log(2) + k * math.log(p)), (f"{k}\\ln 2\\cdot\\ln {p}", k * math.log(2) * math.log(p)), (f"\\ln {2**k + p}", math.log(2**k + p)), (f"{k}\\ln {2 * p}", k * math.log(2 * p)),
    ]  # fmt: skip


@kind
def rationalised(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.choice([2, 5, 10])
    a = {2: 1, 5: 2, 10: 3}[n]
    v = math.sqrt(n) + a
    return (f"\\frac{{1}}{{\\sqrt{{{n}}}-{a}}}", v), [
        (f"\\sqrt{{{n}}}+{a}", v), (f"{a}+\\sqrt {n}" if n < 10 else f"{a}+\\sqrt{{{n}}}", v), (f"\\frac{{\\sqrt{{{n}}}+{a}}}{{1}}", v), (f"{a} + sqrt({n})", v),
        (f"\\sqrt{{{n}}}-{a}", v - 2 * a), (f"{a}-\\sqrt{{{n}}}", 2 * a - v), (f"\\sqrt{{{n + a}}}", math.sqrt(n + a)), (f"{a}\\sqrt{{{n}}}", a * math.sqrt(n) + (1 if a == 0 else 0)),
    ]  # fmt: skip


@kind
def nested_root(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.choice([(2, 1), (3, 2), (5, 2), (6, 5), (7, 3)])
    v = math.sqrt(a) + math.sqrt(b)
    root = "1" if b == 1 else f"\\sqrt{{{b}}}"
    return (f"\\sqrt{{{a + b}+2\\sqrt{{{a * b}}}}}", v), [
        (f"\\sqrt{{{a}}}+{root}", v), (f"{root}+\\sqrt{{{a}}}", v), (f"\\sqrt{{{a + b}+\\sqrt{{{4 * a * b}}}}}", v),
        (f"\\sqrt{{{a}}}-{root}", math.sqrt(a) - math.sqrt(b)), (f"\\sqrt{{{a + b}}}+2\\sqrt{{{a * b}}}", math.sqrt(a + b) + 2 * math.sqrt(a * b)), (f"\\sqrt{{{a + b}-2\\sqrt{{{a * b}}}}}", math.sqrt(a) - math.sqrt(b)),
    ]  # fmt: skip


@kind
def matrix(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c, d = r.sample(range(-6, 10), 4)

    def m(*n: int, e: str = "pmatrix") -> str:
        return f"\\begin{{{e}}} {n[0]} & {n[1]} \\\\ {n[2]} & {n[3]} \\end{{{e}}}"

    v = ("m", a, b, c, d)
    return (m(a, b, c, d), v), [
        (m(a, b, c, d, e="bmatrix"), v), (f"A = {m(a, b, c, d)}", v), (f"\\left(\\begin{{array}}{{cc}}{a}&{b}\\\\{c}&{d}\\end{{array}}\\right)", v), (f"[[{a}, {b}], [{c}, {d}]]", v),
        (m(a, c, b, d), ("m", a, c, b, d)), (m(a, b, c, d + 1), ("m", a, b, c, d + 1)), (f"A^{{-1}} = {m(d, -b, -c, a)}", ("m", d, -b, -c, a)), (f"[[{c}, {d}], [{a}, {b}]]", ("m", c, d, a, b)),
    ]  # fmt: skip


@kind
def column_vector(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c = r.sample([-5, -3, 2, 4, 6, 7], 3)
    v = ("v", a, b, c)
    return (f"\\begin{{pmatrix}}{a}\\\\{b}\\\\{c}\\end{{pmatrix}}", v), [
        (f"\\langle {a}, {b}, {c} \\rangle", v), (f"({a}, {b}, {c})", v), (f"\\begin{{bmatrix}} {a} \\\\ {b} \\\\ {c} \\end{{bmatrix}}", v), (f"\\vec{{v}}=({a},{b},{c})", v),
        (f"\\langle {b}, {a}, {c} \\rangle", ("v", b, a, c)), (f"({a}, {b}, {-c})", ("v", a, b, -c)), (f"\\begin{{bmatrix}} {a} \\\\ {b} \\end{{bmatrix}}", ("v", a, b)), (f"({c}, {b}, {a})", ("v", c, b, a)),
    ]  # fmt: skip


@kind
def unit_vectors(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.randint(2, 8), r.randint(2, 8)
    v = ("v", a, -b)
    return (f"{a}\\mathbf{{i}}-{b}\\mathbf{{j}}", v), [
        (f"{a}\\hat{{\\mathbf{{i}}}}-{b}\\hat{{\\mathbf{{j}}}}", v), (f"({a},-{b})", v), (f"-{b}\\mathbf{{j}}+{a}\\mathbf{{i}}", v), (f"{a}\\vec{{i}} - {b}\\vec{{j}}", v),
        (f"{a}\\mathbf{{i}}+{b}\\mathbf{{j}}", ("v", a, b)), (f"{a}\\mathbf{{j}}-{b}\\mathbf{{i}}", ("v", -b, a)), (f"(-{b},{a})", ("v", -b, a)), (f"{a + 1}\\mathbf{{i}}-{b}\\mathbf{{j}}", ("v", a + 1, -b)),
    ]  # fmt: skip


@kind
def piecewise(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.randint(2, 6), r.randint(1, 5)

    def f(s: int, t: int, o: bool = True) -> Any:
        return at(lambda x: s * x if (x >= 0) == o else t - x)

    v = f(a, b)
    return (f"f(x)=\\begin{{cases}} {a}x & x\\ge 0 \\\\ {b}-x & x<0 \\end{{cases}}", v), [
        (f"f(x)=\\begin{{cases}} {b}-x & x<0 \\\\ {a}x & x\\ge 0 \\end{{cases}}", v), (f"\\begin{{cases}} {a}x & \\text{{if }} x\\ge 0 \\\\ {b}-x & \\text{{if }} x<0 \\end{{cases}}", v), (f"f(x)=\\begin{{cases}} {a}x, & x\\geq 0, \\\\ -x+{b}, & x<0. \\end{{cases}}", v),
        (f"f(x)=\\begin{{cases}} {b}-x & x\\ge 0 \\\\ {a}x & x<0 \\end{{cases}}", f(a, b, o=False)), (f"f(x)=\\begin{{cases}} {a}x & x\\ge 0 \\\\ {b}+x & x<0 \\end{{cases}}", at(lambda x: a * x if x >= 0 else b + x)), (f"f(x)={a}x", at(lambda x: a * x)),
    ]  # fmt: skip


@kind
def built_set(r: Random) -> tuple[Answer, list[Answer]]:
    low, size = r.randint(-4, 2), r.randint(3, 4)
    v = frozenset(range(low, low + size))
    listed = ", ".join(map(str, sorted(v)))
    return (f"\\{{{listed}\\}}", v), [
        (f"\\{{x\\in\\mathbb{{Z}} : {low}\\le x<{low + size}\\}}", v), (f"\\{{{', '.join(map(str, sorted(v, reverse=True)))}\\}}", v), (f"\\left\\{{ {listed} \\right\\}}", v),
        (f"\\{{x\\in\\mathbb{{Z}} : {low}\\le x\\le {low + size}\\}}", v | {low + size}), (f"\\{{{', '.join(map(str, range(low + 1, low + size)))}\\}}", v - {low}), (f"({low}, {low + size})", "interval"),
    ]  # fmt: skip


@kind
def outside_interval(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.randint(-6, -1), r.randint(1, 6)
    v = ("u", a, False, b, True)
    return (f"(-\\infty,{a})\\cup[{b},\\infty)", v), [
        (f"x<{a} \\text{{ or }} x\\ge {b}", v), (f"]-\\infty;{a}[\\,\\cup\\,[{b};+\\infty[", v), (f"\\{{x\\in\\mathbb{{R}} \\mid x<{a} \\lor x\\ge {b}\\}}", v), (f"[{b},+\\infty)\\cup(-\\infty,{a})", v),
        (f"x\\le {a} \\text{{ or }} x\\ge {b}", ("u", a, True, b, True)), (f"({a},{b}]", ("i", a, b)), (f"(-\\infty,{a}]\\cup({b},\\infty)", ("u", a, True, b, False)), (f"x\\ge {b}", ("r", b)),
    ]  # fmt: skip


@kind
def between(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.randint(-6, -1), r.randint(2, 9)
    v = ("i", a, False, b, True)
    return (f"{a}<x\\le {b}", v), [
        (f"x>{a} \\text{{ and }} x\\le {b}", v), (f"({a},{b}]", v), (f"{b}\\ge x>{a}", v), (f"x\\in\\left({a},{b}\\right]", v),
        (f"{a}\\le x<{b}", ("i", a, True, b, False)), (f"[{a},{b}]", ("i", a, True, b, True)), (f"x\\le {b}", ("r", b)), (f"{-b}\\le x<{-a}", ("i", -b, True, -a, False)),
    ]  # fmt: skip


@kind
def absolute_value(r: Random) -> tuple[Answer, list[Answer]]:
    a, d = r.randint(1, 6), r.randint(7, 9)
    v = ("i", a - d, a + d)
    return (f"{a - d}<x<{a + d}", v), [
        (f"|x-{a}|<{d}", v), (f"\\left|x-{a}\\right|<{d}", v), (f"({a - d},{a + d})", v),
        (f"|x+{a}|<{d}", ("i", -a - d, d - a)), (f"|x-{a}|>{d}", ("u", a - d, a + d)), (f"|x-{d}|<{a}", ("i", d - a, d + a)),
    ]  # fmt: skip


@kind
def congruence(r: Random) -> tuple[Answer, list[Answer]]:
    m = r.randint(5, 12)
    a = r.randint(1, m - 2)
    v = ("mod", a, m)
    return (f"x\\equiv {a} \\pmod{{{m}}}", v), [
        (f"x\\equiv {a + m} \\pmod{{{m}}}", v), (f"x={m}k+{a},\\ k\\in\\mathbb{{Z}}", v), (f"x \\equiv {a} \\ (\\text{{mod }} {m})", v), (f"x\\equiv {a - m} \\mod {m}", v),
        (f"x\\equiv {a} \\pmod{{{m + 1}}}", ("mod", a, m + 1)), (f"x\\equiv {a + 1} \\pmod{{{m}}}", ("mod", a + 1, m)), (f"x={a}k+{m},\\ k\\in\\mathbb{{Z}}", ("mod", 0, a)), (f"x={a}", a),
    ]  # fmt: skip

"""Functions, curves, integrals, gradients, waves."""

import cmath
import math
from fractions import Fraction
from random import Random
from typing import Any

from tests.collection.strangers.exercises.kinds import at, kind, sgn
from tests.collection.strangers.textbook.kinds import Answer


@kind
def hyperbolic(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(2, 5)
    v = math.cosh(n)
    return (f"\\cosh {n}", v), [
        (f"\\frac{{e^{{{n}}}+e^{{-{n}}}}}{{2}}", v), (f"\\cosh({n})", v), (f"\\frac12\\left(e^{n}+\\frac{{1}}{{e^{n}}}\\right)", v), (f"\\cosh(-{n})", v),
        (f"\\sinh {n}", math.sinh(n)), (f"\\frac{{e^{{{n}}}-e^{{-{n}}}}}{{2}}", math.sinh(n)), (f"\\cosh {n + 1}", math.cosh(n + 1)), (f"\\cos {n}", math.cos(n)),
    ]  # fmt: skip


@kind
def inverse_tangent(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(2, 7)
    v = math.atan(n)
    return (f"\\arctan {n}", v), [
        (f"\\tan^{{-1}}({n})", v), (f"\\arctan({n})", v), (f"\\frac{{\\pi}}{{2}}-\\arctan\\frac{{1}}{{{n}}}", v), (f"-\\arctan(-{n})", v),
        (f"\\arctan\\frac{{1}}{{{n}}}", math.atan(1 / n)), (f"\\tan {n}", math.tan(n)), (f"\\frac{{1}}{{\\tan {n}}}", 1 / math.tan(n)), (f"\\arctan {n}+\\pi", v + math.pi),
    ]  # fmt: skip


@kind
def cube_root(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.choice([(2, 3), (3, 2), (2, 5), (4, 3)])
    n = a**3 * b
    v = n ** (1 / 3)
    return (f"{a}\\sqrt[3]{{{b}}}", v), [
        (f"\\sqrt[3]{{{n}}}", v), (f"{n}^{{1/3}}", v), (f"{a}\\cdot {b}^{{\\frac{{1}}{{3}}}}", v), (f"\\sqrt[3]{{{b}}}\\cdot {a}", v),
        (f"{a}\\sqrt{{{b}}}", a * math.sqrt(b)), (f"\\sqrt{{{n}}}", math.sqrt(n)), (f"\\sqrt[3]{{{a * b}}}", (a * b) ** (1 / 3)), (f"{b}\\sqrt[3]{{{a}}}", b * a ** (1 / 3)),
    ]  # fmt: skip


@kind
def decay(r: Random) -> tuple[Answer, list[Answer]]:
    a, k, c = r.randint(2, 9), r.randint(2, 5), r.randint(1, 6)

    def f(s: float, t: float, u: float) -> Any:
        return at(lambda x: s * math.exp(-t * x) + u)

    v = f(a, k, c)
    return (f"y={a}e^{{-{k}x}}+{c}", v), [
        (f"y={c}+{a}e^{{-{k}x}}", v), (f"y = \\frac{{{a}}}{{e^{{{k}x}}}} + {c}", v), (f"y(x)={a}\\exp(-{k}x)+{c}", v), (f"{a}e^{{-{k}x}}+{c}", v),
        (f"y={a}e^{{{k}x}}+{c}", f(a, -k, c)), (f"y={a}e^{{-{k}x}}-{c}", f(a, k, -c)), (f"y={c}e^{{-{k}x}}+{a + c + 1}", f(c, k, a + c + 1)), (f"y={a}e^{{-{k + 1}x}}+{c}", f(a, k + 1, c)),
    ]  # fmt: skip


@kind
def growth(r: Random) -> tuple[Answer, list[Answer]]:
    a, p = r.choice([200, 500, 800, 1500]), r.choice([4, 8, 20])
    v = at(lambda t: a * (1 + p / 100) ** t)
    q = Fraction(100 + p, 100)
    return (f"A(t)={a}(1.{p:02d})^t", v), [
        (f"A(t)={a}\\cdot 1.{p:02d}^{{t}}", v), (f"{a}\\left(1+\\frac{{{p}}}{{100}}\\right)^t", v), (f"A={a}\\left(\\frac{{{q.numerator}}}{{{q.denominator}}}\\right)^{{t}}", v), (f"1.{p:02d}^t\\cdot {a}", v),
        (f"A(t)={a}(1.{p + 5:02d})^t", at(lambda t: a * (1.05 + p / 100) ** t)), (f"A(t)={a}(0.{100 - p:02d})^t", at(lambda t: a * (1 - p / 100) ** t)), (f"A(t)={a}+1.{p:02d}^t", at(lambda t: a + (1 + p / 100) ** t)), (f"A(t)={a}(1.{p:02d})t", at(lambda t: a * (1 + p / 100) * t)),
    ]  # fmt: skip


@kind
def wave(r: Random) -> tuple[Answer, list[Answer]]:
    a, c = r.randint(2, 7), r.randint(1, 5)
    v = at(lambda x: a * math.sin(2 * x) + c)
    return (f"f(x)={a}\\sin(2x)+{c}", v), [
        (f"f(x)={c}+{a}\\sin 2x", v), (f"{2 * a}\\sin x\\cos x+{c}", v), (f"f(x)={a}\\cos\\left(2x-\\frac{{\\pi}}{{2}}\\right)+{c}", v), (f"f(x)={c}-{a}\\sin(-2x)", v),
        (f"f(x)={a}\\sin\\left(\\frac{{x}}{{2}}\\right)+{c}", at(lambda x: a * math.sin(x / 2) + c)), (f"f(x)={a}\\cos(2x)+{c}", at(lambda x: a * math.cos(2 * x) + c)), (f"f(x)={2 * a}\\sin(x)+{c}", at(lambda x: 2 * a * math.sin(x) + c)), (f"f(x)={a}\\sin(2x+{c})", at(lambda x: a * math.sin(2 * x + c))),
    ]  # fmt: skip


@kind
def logarithmic_function(r: Random) -> tuple[Answer, list[Answer]]:
    b, k = r.choice([2, 3]), r.randint(2, 3)
    points = (0.4, 1.7, 5.1)

    def f(g: Any) -> Any:
        return tuple(g(x) for x in points)

    v = f(lambda x: math.log(x, b) + k)
    return (f"\\log_{b} x+{k}", v), [
        (f"\\log_{b} ({b**k}x)", v), (f"{k}+\\log_{{{b}}}(x)", v), (f"\\frac{{\\ln x}}{{\\ln {b}}}+{k}", v), (f"\\log_{{{b}}} {b**k} + \\log_{{{b}}} x", v),
        (f"\\log_{b}(x+{k})", f(lambda x: math.log(x + k, b))), (f"{k}\\log_{b} x", f(lambda x: k * math.log(x, b))), (f"\\log_{b}({k}x)", f(lambda x: math.log(k * x, b))), (f"\\log_{b + 1} x+{k}", f(lambda x: math.log(x, b + 1) + k)),
    ]  # fmt: skip


@kind
def absolute_function(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.randint(1, 6), r.randint(1, 6)
    v = at(lambda x: abs(x - a) + b)
    return (f"f(x)=|x-{a}|+{b}", v), [
        (f"f(x)=|{a}-x|+{b}", v), (f"f(x)={b}+\\left|x-{a}\\right|", v), (f"\\lvert x-{a}\\rvert+{b}", v), (f"f(x)=\\sqrt{{(x-{a})^2}}+{b}", v),
        (f"f(x)=|x+{a}|+{b}", at(lambda x: abs(x + a) + b)), (f"f(x)=|x-{a}|-{b}", at(lambda x: abs(x - a) - b)), (f"f(x)=|x-{a}+{b + 1}|", at(lambda x: abs(x - a + b + 1))), (f"f(x)=x-{a}+{b}", at(lambda x: x - a + b)),
    ]  # fmt: skip


@kind
def definite_integral(r: Random) -> tuple[Answer, list[Answer]]:
    n, m = r.choice([3, 4, 6]), r.choice([2, 3, 5])
    v = math.pi / n - math.log(m) / 2
    return (f"\\frac{{\\pi}}{{{n}}}-\\frac{{1}}{{2}}\\ln {m}", v), [
        (f"\\frac{{\\pi}}{{{n}}}-\\ln\\sqrt{{{m}}}", v), (f"-\\frac{{\\ln {m}}}{{2}}+\\frac{{\\pi}}{{{n}}}", v), (f"\\frac{{2\\pi-{n}\\ln {m}}}{{{2 * n}}}", v), (f"\\frac{{\\pi}}{{{n}}}+\\frac12\\ln\\frac{{1}}{{{m}}}", v),
        (f"\\frac{{\\pi}}{{{n}}}+\\frac{{1}}{{2}}\\ln {m}", math.pi / n + math.log(m) / 2), (f"\\frac{{\\pi}}{{{n}}}-\\ln {m}", math.pi / n - math.log(m)), (f"\\frac{{\\pi-\\ln {m}}}{{{n}}}", (math.pi - math.log(m)) / n), (f"\\frac{{\\pi}}{{{2 * n}}}-\\frac12\\ln {m}", math.pi / n / 2 - math.log(m) / 2),
    ]  # fmt: skip


@kind
def gradient(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample(range(2, 8), 2)

    def f(p: Any, q: Any) -> Any:
        return tuple((p(x, y), q(x, y)) for x, y in ((0.3, 1.1), (-1.7, 0.6), (2.2, -0.9)))

    v = f(lambda x, y: 2 * a * x, lambda x, y: 3 * b * y * y)
    return (f"\\nabla f=({2 * a}x,{3 * b}y^2)", v), [
        (f"\\langle {2 * a}x,\\ {3 * b}y^2\\rangle", v), (f"({2 * a}x, {3 * b}y^2)", v), (f"\\begin{{pmatrix}} {2 * a}x \\\\ {3 * b}y^2 \\end{{pmatrix}}", v), (f"\\nabla f(x,y)=\\left({2 * a}x,\\,{3 * b}y^{{2}}\\right)", v),
        (f"({3 * b}y^2, {2 * a}x)", f(lambda x, y: 3 * b * y * y, lambda x, y: 2 * a * x)), (f"\\nabla f=({2 * a}x,{3 * b}y)", f(lambda x, y: 2 * a * x, lambda x, y: 3 * b * y)), (f"\\langle {a}x^2, {b}y^3\\rangle", f(lambda x, y: a * x * x, lambda x, y: b * y**3)), (f"({2 * a}x, -{3 * b}y^2)", f(lambda x, y: 2 * a * x, lambda x, y: -3 * b * y * y)),
    ]  # fmt: skip


@kind
def partial_derivative(r: Random) -> tuple[Answer, list[Answer]]:
    a = r.randint(2, 6)
    b = r.randint(1, 5)

    def f(g: Any) -> Any:
        return tuple(g(x, y) for x, y in ((0.3, 1.1), (-1.7, 0.6), (2.2, -0.9)))

    v = f(lambda x, y: 2 * a * x * y + b)
    return (f"\\frac{{\\partial f}}{{\\partial x}}={2 * a}xy+{b}", v), [
        (f"f_x={2 * a}xy+{b}", v), (f"{2 * a}xy+{b}", v), (f"\\frac{{\\partial f}}{{\\partial x}}={b}+{2 * a}yx", v), (f"\\dfrac{{\\partial f}}{{\\partial x}} = {2 * a}x y + {b}", v),
        (f"\\frac{{\\partial f}}{{\\partial x}}={a}x^2+{b}", f(lambda x, y: a * x * x + b)), (f"f_x={2 * a}xy-{b}", f(lambda x, y: 2 * a * x * y - b)), (f"{2 * a}xy", f(lambda x, y: 2 * a * x * y)), (f"{2 * a}x+{b}", f(lambda x, y: 2 * a * x + b)),
    ]  # fmt: skip


@kind
def point_in_polar_coordinates(r: Random) -> tuple[Answer, list[Answer]]:
    m, n = r.randint(2, 9), r.choice([3, 4, 6])
    v = ("polar", m, Fraction(1, n))
    return (f"\\left({m},\\frac{{\\pi}}{{{n}}}\\right)", v), [
        (f"({m}, \\pi/{n})", v), (f"\\left({m};\\frac{{\\pi}}{{{n}}}\\right)", v), (f"r={m},\\ \\theta=\\frac{{\\pi}}{{{n}}}", v), (f"\\left({m}, \\tfrac{{1}}{{{n}}}\\pi\\right)", v),
        (f"\\left(\\frac{{\\pi}}{{{n}}},{m}\\right)", ("polar", Fraction(1, n), m)), (f"\\left({m},-\\frac{{\\pi}}{{{n}}}\\right)", ("polar", m, Fraction(-1, n))), (f"\\left({m},\\frac{{\\pi}}{{{n + 1}}}\\right)", ("polar", m, Fraction(1, n + 1))), (f"\\left({m},{n}\\pi\\right)", ("polar", m, Fraction(n))),
    ]  # fmt: skip


@kind
def complex_in_degrees(r: Random) -> tuple[Answer, list[Answer]]:
    m, d = r.randint(2, 9), r.choice([30, 60, 120, 150])
    v = m * cmath.exp(1j * math.radians(d))
    return (f"{m}(\\cos {d}^\\circ+i\\sin {d}^\\circ)", v), [
        (f"{m}\\left(\\cos {d}^{{\\circ}} + i\\,\\sin {d}^{{\\circ}}\\right)", v), (f"{m}\\cos {d}^\\circ+{m}i\\sin {d}^\\circ", v), (f"{m}(\\cos({d}^\\circ)+i\\sin({d}^\\circ))", v), (f"{m}e^{{i\\pi\\cdot {d}/180}}", v),
        (f"{m}(\\cos {d}^\\circ-i\\sin {d}^\\circ)", v.conjugate()), (f"{m}(\\sin {d}^\\circ+i\\cos {d}^\\circ)", m * complex(math.sin(math.radians(d)), math.cos(math.radians(d)))), (f"{m + 1}(\\cos {d}^\\circ+i\\sin {d}^\\circ)", v * (m + 1) / m), (f"{m}(\\cos {d - 10}^\\circ+i\\sin {d - 10}^\\circ)", v * cmath.exp(-1j * math.radians(10))),
    ]  # fmt: skip


@kind
def asymptotes(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample([-4, -3, 2, 3, 5, 7], 2)
    v = ("lines", a, b)
    return (f"x={a},\\ y={b}", v), [
        (f"x={a} \\text{{ and }} y={b}", v), (f"y={b},\\ x={a}", v), (f"~x = {a} and y = {b}", v), (f"~the lines x = {a} and y = {b}", v),
        (f"x={b},\\ y={a}", ("lines", b, a)), (f"x={a}", a), (f"x={a} \\text{{ and }} y={b + 1}", ("lines", a, b + 1)), (f"~x = {-a} and y = {-b}", ("lines", -a, -b)),
    ]  # fmt: skip


@kind
def centre_and_radius(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c = r.sample([-5, -2, 3, 4, 6, 8], 3)
    c = abs(c) + 1
    v = ("circle", a, b, c)
    return (f"\\text{{center }} ({a},{b}), \\text{{ radius }} {c}", v), [
        (f"~center ({a}, {b}) and radius {c}", v), (f"~Center: ({a}, {b}), radius: {c}", v), (f"~radius {c}, center ({a}, {b})", v), (f"\\text{{center }}\\left({a},\\,{b}\\right),\\ \\text{{radius }}{c}", v),
        (f"~center ({b}, {a}) and radius {c}", ("circle", b, a, c)), (f"~center ({a}, {b}) and radius {c * c}", ("circle", a, b, c * c)), (f"~Center: ({-a}, {-b}), radius: {c}", ("circle", -a, -b, c)), (f"~radius {c + 1}, center ({a}, {b})", ("circle", a, b, c + 1)),
    ]  # fmt: skip


@kind
def symmetric_line(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c = r.sample(range(2, 9), 3)
    p, q = r.randint(1, 6), r.randint(1, 6)
    v = ("line", a, b, c, p, -q, 0)
    first, second, third = f"\\frac{{x-{p}}}{{{a}}}", f"\\frac{{y+{q}}}{{{b}}}", f"\\frac{{z}}{{{c}}}"
    return (f"{first}={second}={third}", v), [
        (f"{first}={third}={second}", v), (f"{third}={second}={first}", v), (f"{first} = {second} = {third}", v), (f"\\dfrac{{x-{p}}}{{{a}}}=\\dfrac{{y+{q}}}{{{b}}}=\\dfrac{{z}}{{{c}}}", v),
        (f"\\frac{{x+{p}}}{{{a}}}=\\frac{{y-{q}}}{{{b}}}={third}", ("line", a, b, c, -p, q, 0)), (f"\\frac{{x-{p}}}{{{b}}}=\\frac{{y+{q}}}{{{a}}}={third}", ("line", b, a, c, p, -q, 0)), (f"{first}={second}=\\frac{{z}}{{{c + 10}}}", ("line", a, b, c + 10, p, -q, 0)), (f"{first}=\\frac{{y+{q}}}{{-{b}}}={third}", ("line", a, -b, c, p, -q, 0)),
    ]  # fmt: skip


@kind
def divided_polynomial(r: Random) -> tuple[Answer, list[Answer]]:
    a, c, p = r.randint(2, 6), r.randint(1, 9), r.randint(1, 4)
    v = at(lambda x: x + a + c / (x - p))
    return (f"x+{a}+\\frac{{{c}}}{{x-{p}}}", v), [
        (f"\\frac{{x^2{sgn(a - p)}x{sgn(c - a * p)}}}{{x-{p}}}", v), (f"\\frac{{{c}}}{{x-{p}}}+x+{a}", v), (f"{a}+x-\\frac{{{c}}}{{{p}-x}}", v), (f"\\frac{{(x+{a})(x-{p})+{c}}}{{x-{p}}}", v),
        (f"x+{a}+\\frac{{{c}}}{{x+{p}}}", at(lambda x: x + a + c / (x + p))), (f"x-{a}+\\frac{{{c}}}{{x-{p}}}", at(lambda x: x - a + c / (x - p))), (f"\\frac{{x+{a}+{c}}}{{x-{p}}}", at(lambda x: (x + a + c) / (x - p))), (f"x+{a}+{c}", at(lambda x: x + a + c)),
    ]  # fmt: skip


@kind
def difference_of_squares(r: Random) -> tuple[Answer, list[Answer]]:
    m = r.randint(2, 7)

    def f(g: Any) -> Any:
        return tuple(g(x, y) for x, y in ((0.3, 1.1), (-1.7, 0.6), (2.2, -0.9)))

    v = f(lambda a, b: m * m * a * a - b * b)
    return (f"({m}a-b)({m}a+b)", v), [
        (f"{m * m}a^2-b^2", v), (f"({m}a+b)({m}a-b)", v), (f"-(b-{m}a)(b+{m}a)", v), (f"({m}a)^2-b^2", v),
        (f"({m}a-b)^2", f(lambda a, b: (m * a - b) ** 2)), (f"{m}a^2-b^2", f(lambda a, b: m * a * a - b * b)), (f"({m}b-a)({m}b+a)", f(lambda a, b: m * m * b * b - a * a)), (f"{m * m}a^2+b^2", f(lambda a, b: m * m * a * a + b * b)),
    ]  # fmt: skip


@kind
def angles_in_degrees(r: Random) -> tuple[Answer, list[Answer]]:
    d = r.choice([15, 20, 40, 75])
    v = ("deg", d, 360)
    return (f"x={d}^\\circ+360^\\circ k,\\ k\\in\\mathbb{{Z}}", v), [
        (f"x={d}^\\circ+k\\cdot 360^\\circ,\\ k\\in\\mathbb{{Z}}", v), (f"x=360^\\circ k+{d}^\\circ,\\ k\\in\\mathbb{{Z}}", v), (f"x = {d}^{{\\circ}} + 360^{{\\circ}}k, k \\in \\mathbb{{Z}}", v), (f"{d}^\\circ+360^\\circ k", v),
        (f"x={d}^\\circ+180^\\circ k,\\ k\\in\\mathbb{{Z}}", ("deg", d, 180)), (f"x=-{d}^\\circ+360^\\circ k,\\ k\\in\\mathbb{{Z}}", ("deg", -d, 360)), (f"x={d + 5}^\\circ+360^\\circ k,\\ k\\in\\mathbb{{Z}}", ("deg", d + 5, 360)), (f"x={d}^\\circ", ("one", d)),
    ]  # fmt: skip

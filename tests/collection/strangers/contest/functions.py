r"""Formulas and curves: series, differential equations, fields, loci, formulas with indexes."""

import math
from random import Random
from typing import Any

from tests.collection.strangers.contest.kinds import Made, at, kind, sgn

SPOTS = (0.3 + 0.8j, -1.7 + 0.2j, 2.1 - 1.3j)
PLANE = ((0.3, 1.7), (-2.1, 0.6), (1.9, -0.4))


def across(function: Any) -> tuple[Any, ...]:
    """The values of a formula in two letters at three points."""
    return tuple(function(x, y) for x, y in PLANE)


@kind
def alternating_coefficient(r: Random) -> Made:
    k = r.choice([2, 4, 6])

    def f(g: Any) -> tuple[Any, ...]:
        return tuple(g(n) for n in (1, 2, 5, 6))

    return (
        {"k": k}, r"b_n=\frac{<k>(-1)^{n+1}}{n}", f(lambda n: k * (-1) ** (n + 1) / n),
        [r"b_n=-\frac{<k>(-1)^n}{n}", r"\frac{<k>}{n}(-1)^{n-1}", r"b_n = (-1)^{n+1}\cdot\frac{<k>}{n}", r"b_n=\frac{<k>(-1)^{n+1}}{n},\ n\ge 1"],
        [(r"b_n=\frac{<k>(-1)^{n}}{n}", f(lambda n: k * (-1) ** n / n)), (r"b_n=\frac{<k>}{n}", f(lambda n: k / n)), (r"b_n=\frac{<k>(-1)^{n+1}}{n^2}", f(lambda n: k * (-1) ** (n + 1) / n**2)), (r"b_n=-\frac{<k>}{n}", f(lambda n: -k / n))],
    )  # fmt: skip


@kind
def power_series(r: Random) -> Made:
    k = r.choice([2, 3, 5])

    def f(g: Any) -> tuple[Any, ...]:
        return tuple(sum(g(x, n) for n in range(60)) for x in (0.05, -0.07, 0.1))

    return (
        {"k": k}, r"\sum_{n=0}^{\infty}\frac{<k>^n x^n}{n!}", f(lambda x, n: (k * x) ** n / math.factorial(n)),
        [r"\sum_{n=0}^{\infty}\frac{(<k>x)^n}{n!}", r"\sum_{k=0}^\infty \frac{<k>^k}{k!}x^k", r"\sum\limits_{n=0}^{\infty}\frac{<k>^{n}}{n!}x^{n}", r"1+\sum_{n=1}^{\infty}\frac{<k>^n x^n}{n!}"],
        [(r"\sum_{n=0}^{\infty}\frac{<k> x^n}{n!}", f(lambda x, n: k * x**n / math.factorial(n))), (r"\sum_{n=1}^{\infty}\frac{<k>^n x^n}{n!}", f(lambda x, n: (k * x) ** n / math.factorial(n) if n else 0)), (r"\sum_{n=0}^{\infty}<k>^n x^n", f(lambda x, n: (k * x) ** n)), (r"\sum_{n=0}^{\infty}\frac{(-1)^n <k>^n x^n}{n!}", f(lambda x, n: (-k * x) ** n / math.factorial(n)))],
    )  # fmt: skip


@kind
def taylor_remainder(r: Random) -> Made:
    a, b = r.sample(range(2, 8), 2)
    v = ("O3", 1, a, b)
    return (
        {"a": a, "b": b}, r"1+<a>x+<b>x^2+O(x^3)", v,
        [r"1 + <a>x + <b>x^2 + O(x^3)", r"1+<a>x+<b>x^{2}+\mathcal{O}(x^3)", r"f(x)=1+<a>x+<b>x^2+O(x^3)", r"1+x(<a>+<b>x)+O(x^3)"],
        [(r"1+<b>x+<a>x^2+O(x^3)", ("O3", 1, b, a)), (r"1-<a>x+<b>x^2+O(x^3)", ("O3", 1, -a, b)), (r"1+<a>x+O(x^2)", ("O2", 1, a)), (r"<a>x+<b>x^2+O(x^3)", ("O3", 0, a, b))],
    )  # fmt: skip


@kind
def two_free_constants(r: Random) -> Made:
    a, b = r.sample([2, 3, 4, 5, 7], 2)
    v = frozenset({a, -b})
    return (
        {"a": a, "b": b}, r"y=C_1e^{<a>x}+C_2e^{-<b>x}", v,
        [r"y=C_1e^{-<b>x}+C_2e^{<a>x}", r"y(x)=c_1 e^{<a>x}+c_2 e^{-<b>x}", r"y=Ae^{<a>x}+Be^{-<b>x}", r"y = C_1 e^{<a>x} + \frac{C_2}{e^{<b>x}}"],
        [(r"y=C_1e^{-<a>x}+C_2e^{<b>x}", frozenset({-a, b})), (r"y=C_1e^{<a>x}", frozenset({a})), (r"y=e^{<a>x}+e^{-<b>x}", "no constants"), (r"y=C_1e^{<a>x}+C_2xe^{<a>x}", "double")],
    )  # fmt: skip


@kind
def differential_equation(r: Random) -> Made:
    a, b = r.sample(range(2, 9), 2)
    v = ("ode", -a, b)
    return (
        {"a": a, "b": b}, r"y''-<a>y'+<b>y=0", v,
        [r"y''=<a>y'-<b>y", r"\frac{d^2y}{dx^2}-<a>\frac{dy}{dx}+<b>y=0", r"y''+<b>y=<a>y'", r"y''-<a>y'=-<b>y"],
        [(r"y''+<a>y'+<b>y=0", ("ode", a, b)), (r"y''-<b>y'+<a>y=0", ("ode", -b, a)), (r"y''-<a>y'-<b>y=0", ("ode", -a, -b)), (r"y'-<a>y+<b>=0", "first order")],
    )  # fmt: skip


@kind
def total_differential(r: Random) -> Made:
    a, b = r.sample(range(2, 9), 2)
    return (
        {"a": a, "b": b}, r"dz=<a>x\,dx+<b>y\,dy", (a, b),
        [r"dz=<b>y\,dy+<a>x\,dx", r"<a>x\,dx+<b>y\,dy", r"\mathrm{d}z=<a>x\,\mathrm{d}x+<b>y\,\mathrm{d}y", r"~dz = <a>x dx + <b>y dy"],
        [(r"dz=<b>x\,dx+<a>y\,dy", (b, a)), (r"dz=<a>x\,dx-<b>y\,dy", (a, -b)), (r"dz=<a>x\,dx", (a,)), (r"dz=<a>x\,dy+<b>y\,dx", "crossed")],
    )  # fmt: skip


@kind
def divergence_of_a_field(r: Random) -> Made:
    a, b = r.sample(range(2, 9), 2)
    return (
        {"a": a, "b": b}, r"\nabla\cdot\mathbf{F}=<a>x+<b>y", across(lambda x, y: a * x + b * y),
        [r"<a>x+<b>y", r"\operatorname{div}\mathbf{F}=<b>y+<a>x", r"\nabla\cdot\vec{F}=<a>x+<b>y", r"~div F = <a>x + <b>y"],
        [(r"\nabla\cdot\mathbf{F}=<b>x+<a>y", across(lambda x, y: b * x + a * y)), (r"<a>x-<b>y", across(lambda x, y: a * x - b * y)), (r"\operatorname{div}\mathbf{F}=(<a>x,<b>y)", "vector"), (r"~div F = <a> + <b>", across(lambda x, y: a + b))],
    )  # fmt: skip


@kind
def characteristic_polynomial(r: Random) -> Made:
    a, b = r.sample([1, 2, 3, 4, 5, 6], 2)

    def f(p: int, q: int) -> tuple[Any, ...]:
        return at(lambda x: (x - p) * (x - q))

    return (
        {"a": a, "b": b, "s": a + b, "p": a * b, "d": a + b + 1}, r"\lambda^2-<s>\lambda+<p>", f(a, b),
        [r"(\lambda-<a>)(\lambda-<b>)", r"p(\lambda)=\lambda^2-<s>\lambda+<p>", r"\det(A-\lambda I)=\lambda^2-<s>\lambda+<p>", r"\chi_A(\lambda)=(\lambda-<b>)(\lambda-<a>)"],
        [(r"\lambda^2+<s>\lambda+<p>", f(-a, -b)), (r"(\lambda+<a>)(\lambda-<b>)", f(-a, b)), (r"\det(A-\lambda I)=\lambda^2-<d>\lambda+<p>", at(lambda x: x * x - (a + b + 1) * x + a * b)), (r"\lambda=<a>,\ \lambda=<b>", "roots")],
    )  # fmt: skip


@kind
def asymptotic(r: Random) -> Made:
    k, p = r.choice([2, 3, 6]), r.choice([2, 3])
    return (
        {"k": k, "p": p, "q": p + 1, "m": k + 1}, r"a_n\sim\frac{n^<p>}{<k>}", (p, 1 / k),
        [r"a_n \sim \frac{1}{<k>}n^{<p>}", r"a_n\sim n^<p>/<k>", r"\sim\frac{n^<p>}{<k>}", r"a_n\sim\tfrac{n^{<p>}}{<k>}\text{ as }n\to\infty"],
        [(r"a_n\sim\frac{n^<q>}{<k>}", (p + 1, 1 / k)), (r"a_n\sim <k>n^<p>", (p, k)), (r"a_n\sim\frac{n^<p>}{<m>}", (p, 1 / (k + 1))), (r"a_n\sim\frac{<p>^n}{<k>}", "exponential")],
    )  # fmt: skip


@kind
def error_bound(r: Random) -> Made:
    n = r.choice([24, 120, 384, 720])
    return (
        {"n": n, "m": n // 2}, r"|E|\le\frac{1}{<n>}", ("<=", n),
        [r"|E|\leq \frac{1}{<n>}", r"|E|\leqslant\tfrac{1}{<n>}", r"~|E| ≤ 1/<n>", r"\left|E\right|\le <n>^{-1}"],
        [(r"|E|\ge\frac{1}{<n>}", (">=", n)), (r"|E|\le\frac{1}{<m>}", ("<=", n // 2)), (r"|E|\le <n>", ("<=", 1 / n)), (r"~|E| = 1/<n>", ("=", n))],
    )  # fmt: skip


@kind
def moebius(r: Random) -> Made:
    a, b = r.sample([2, 3, 4, 5], 2)

    def f(g: Any) -> tuple[Any, ...]:
        return tuple(g(z) for z in SPOTS)

    return (
        {"a": a, "b": b}, r"w=\frac{z-<a>i}{z+<b>i}", f(lambda z: (z - a * 1j) / (z + b * 1j)),
        [r"w=\frac{iz+<a>}{iz-<b>}", r"\frac{z-<a>i}{z+<b>i}", r"w=\frac{<a>i-z}{-z-<b>i}", r"w(z)=\frac{z-<a>i}{z+<b>i}"],
        [(r"w=\frac{z+<a>i}{z-<b>i}", f(lambda z: (z + a * 1j) / (z - b * 1j))), (r"w=\frac{z+<b>i}{z-<a>i}", f(lambda z: (z + b * 1j) / (z - a * 1j))), (r"w=\frac{z-<a>}{z+<b>}", f(lambda z: (z - a) / (z + b))), (r"w=\frac{z-<b>i}{z+<a>i}", f(lambda z: (z - b * 1j) / (z + a * 1j)))],
    )  # fmt: skip


@kind
def complex_locus(r: Random) -> Made:
    a, b, c = r.sample(range(2, 8), 3)
    return (
        {"a": a, "b": b, "c": c, "cc": c * c}, r"|z-(<a>+<b>i)|=<c>", (a, b, c),
        [r"|z-<a>-<b>i|=<c>", r"\left|z-(<a>+<b>i)\right|=<c>", r"|z-(<b>i+<a>)|=<c>", r"|<a>+<b>i-z|=<c>"],
        [(r"|z-(<b>+<a>i)|=<c>", (b, a, c)), (r"|z-<a>+<b>i|=<c>", (a, -b, c)), (r"|z-(<a>+<b>i)|=<cc>", (a, b, c * c)), (r"|z-(<a>+<b>i)|<<c>", "disc")],
    )  # fmt: skip


@kind
def polar_curve(r: Random) -> Made:
    a, b = r.sample(range(2, 9), 2)
    return (
        {"a": a, "b": b}, r"r=<a>+<b>\cos\theta", at(lambda t: a + b * math.cos(t)),
        [r"r=<b>\cos\theta+<a>", r"r(\theta)=<a>+<b>\cos(\theta)", r"~r = <a> + <b> cos θ", r"r=<a>\left(1+\frac{<b>}{<a>}\cos\theta\right)"],
        [(r"r=<a>+<b>\sin\theta", at(lambda t: a + b * math.sin(t))), (r"r=<b>+<a>\cos\theta", at(lambda t: b + a * math.cos(t))), (r"r=<a>-<b>\cos\theta", at(lambda t: a - b * math.cos(t))), (r"\theta=<a>+<b>\cos r", "turned")],
    )  # fmt: skip


@kind
def parametric_curve(r: Random) -> Made:
    a, b = r.sample(range(2, 9), 2)

    def f(x: Any, y: Any) -> tuple[Any, ...]:
        return at(lambda t: (x(t), y(t)))

    return (
        {"a": a, "b": b}, r"x=<a>\cos t,\ y=<b>\sin t", f(lambda t: a * math.cos(t), lambda t: b * math.sin(t)),
        [r"(x,y)=(<a>\cos t,<b>\sin t)", r"y=<b>\sin t,\ x=<a>\cos t", r"\begin{cases}x=<a>\cos t\\y=<b>\sin t\end{cases}", r"~x = <a> cos t, y = <b> sin t"],
        [(r"x=<b>\cos t,\ y=<a>\sin t", f(lambda t: b * math.cos(t), lambda t: a * math.sin(t))), (r"x=<a>\sin t,\ y=<b>\cos t", f(lambda t: a * math.sin(t), lambda t: b * math.cos(t))), (r"(x,y)=(<b>\sin t,<a>\cos t)", f(lambda t: b * math.sin(t), lambda t: a * math.cos(t))), (r"x=<a>\cos t", "half")],
    )  # fmt: skip


@kind
def sphere(r: Random) -> Made:
    a, b, c = r.sample(range(2, 8), 3)
    q = c * c
    return (
        {"a": a, "b": b, "q": q, "c": c, "a2": 2 * a, "b2": 2 * b, "k": a * a + b * b - q}, r"(x-<a>)^2+(y+<b>)^2+z^2=<q>", (a, -b, 0, q),
        [r"(x-<a>)^2+(y+<b>)^2+z^2=<c>^2", r"z^2+(y+<b>)^2+(x-<a>)^2=<q>", r"x^2+y^2+z^2-<a2>x+<b2>y+<k>=0".replace("+<k>", "+(<k>)"), r"(x-<a>)^2 + (y+<b>)^2 + z^2 - <q> = 0"],
        [(r"(x+<a>)^2+(y-<b>)^2+z^2=<q>", (-a, b, 0, q)), (r"(x-<a>)^2+(y+<b>)^2=<q>", "cylinder"), (r"(x-<a>)^2+(y+<b>)^2+z^2=<c>", (a, -b, 0, c)), (r"(x-<b>)^2+(y+<a>)^2+z^2=<q>", (b, -a, 0, q))],
    )  # fmt: skip


@kind
def two_lines(r: Random) -> Made:
    a, b, c, d = r.sample([-5, -4, -3, -2, 2, 3, 4, 5, 6], 4)
    v = frozenset({(a, b), (c, d)})
    return (
        {"a": a, "b": sgn(b), "c": c, "d": sgn(d), "a_": sgn(-a), "b_": b}, r"y=<a>x<b>\text{ and }y=<c>x<d>", v,
        [r"y=<c>x<d>\text{ and }y=<a>x<b>", r"y=<a>x<b>,\ y=<c>x<d>", r"~y = <a>x<b> or y = <c>x<d>", r"y<a_>x=<b_>,\quad y=<c>x<d>"],
        [(r"y=<a>x<d>\text{ and }y=<c>x<b>", frozenset({(a, d), (c, b)})), (r"y=<a>x<b>", frozenset({(a, b)})), (r"y=<c>x<b>,\ y=<a>x<b>", frozenset({(c, b), (a, b)})), (r"x=<a>y<b>\text{ and }x=<c>y<d>", "turned")],
    )  # fmt: skip


@kind
def region(r: Random) -> Made:
    a, b = r.randint(2, 5), r.randint(6, 12)
    v = frozenset({("y>=", a), ("sum<=", b)})
    return (
        {"a": a, "b": b}, r"y\ge <a>x,\ x+y\le <b>", v,
        [r"x+y\le <b>,\ y\ge <a>x", r"y-<a>x\ge 0\text{ and }x+y\le <b>", r"\begin{cases}y\geq <a>x\\x+y\leq <b>\end{cases}", r"y\geqslant <a>x,\ y\leqslant <b>-x"],
        [(r"y\le <a>x,\ x+y\le <b>", frozenset({("y<=", a), ("sum<=", b)})), (r"y\ge <a>x,\ x+y\ge <b>", frozenset({("y>=", a), ("sum>=", b)})), (r"y\ge <a>x", frozenset({("y>=", a)})), (r"y> <a>x,\ x+y< <b>", "open")],
    )  # fmt: skip


@kind
def plane_by_normal(r: Random) -> Made:
    a, b, c, d = (r.randint(2, 9) for _ in range(4))
    v = (a, b, c, d)
    return (
        {"a": a, "b": b, "c": c, "d": d, "e": d + 1, "b_": b + 1}, r"\vec{r}\cdot(<a>,<b>,<c>)=<d>", v,
        [r"<a>x+<b>y+<c>z=<d>", r"\mathbf{r}\cdot\begin{pmatrix}<a>\\<b>\\<c>\end{pmatrix}=<d>", r"\vec r\cdot(<a>, <b>, <c>) = <d>", r"\vec{r}\cdot(<a>\vec{i}+<b>\vec{j}+<c>\vec{k})=<d>"],
        [(r"\vec{r}\cdot(<a>,<b>,<c>)=<e>", (a, b, c, d + 1)), (r"\vec{r}\cdot(<a>,<b_>,<c>)=<d>", (a, b + 1, c, d)), (r"\vec{r}\times(<a>,<b>,<c>)=<d>", "cross"), (r"<a>x+<b>y-<c>z=<d>", (a, b, -c, d))],
    )  # fmt: skip


@kind
def formula_with_indexes(r: Random) -> Made:
    k = r.choice([2, 4, 8])

    def f(g: Any) -> tuple[Any, ...]:
        return across(g)

    return (
        {"k": k}, r"\frac{v_0^2}{<k>g}", f(lambda v, g: v * v / (k * g)),
        [r"v_0^2/(<k>g)", r"\frac{1}{<k>}\cdot\frac{v_0^{2}}{g}", r"h_{\max}=\frac{v_0^2}{<k>g}", r"\frac{v_{0}^{2}}{<k> g}"],
        [(r"\frac{v_0}{<k>g}", f(lambda v, g: v / (k * g))), (r"\frac{<k>v_0^2}{g}", f(lambda v, g: k * v * v / g)), (r"\frac{v_1^2}{<k>g}", "another letter"), (r"\frac{v_0^2}{<k>g^2}", f(lambda v, g: v * v / (k * g * g)))],
    )  # fmt: skip


@kind
def regression_line(r: Random) -> Made:
    a, b = r.sample(range(11, 59), 2)
    x, y = a / 10, b / 10
    return (
        {"a": x, "b": y}, r"\hat{y}=<a>x+<b>", at(lambda t: x * t + y),
        [r"\hat y=<b>+<a>x", r"y=<a>x+<b>", r"~ŷ = <a>x + <b>", r"\widehat{y}=<a>x+<b>"],
        [(r"\hat{y}=<b>x+<a>", at(lambda t: y * t + x)), (r"\hat{y}=<a>x-<b>", at(lambda t: x * t - y)), (r"y=-<a>x+<b>", at(lambda t: -x * t + y)), (r"\hat{x}=<a>y+<b>", "turned")],
    )  # fmt: skip

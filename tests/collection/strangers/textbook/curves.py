"""Curves, quantities, functions, roots, permutations, points, parts."""

import math
from fractions import Fraction
from random import Random
from typing import Any

from tests.collection.strangers.textbook.kinds import Answer, at, kind, sgn


@kind
def prime_factors(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.randint(2, 4), r.randint(2, 3)
    v = 2**a * 3**b * 5
    return (f"2^{a}\\cdot 3^{b}\\cdot 5", v), [
        (f"2^{a} \\times 3^{b} \\times 5", v), (f"5\\cdot 3^{b}\\cdot 2^{a}", v), (f"~2^{a} * 3^{b} * 5", v), (f"{v} = 2^{a}\\cdot 3^{b}\\cdot 5", v),
        (f"2^{b}\\cdot 3^{a}\\cdot 5", 2**b * 3**a * 5 + (1 if a == b else 0)) if a != b else (f"2^{a + 1}\\cdot 3^{b}\\cdot 5", 2 * v), (f"2^{a} \\times 3^{b}", v // 5), (f"~2^{a} * 3^{b} * 7", v // 5 * 7), (f"2^{a}+3^{b}+5", 2**a + 3**b + 5),
    ]  # fmt: skip


@kind
def straight_line(r: Random) -> tuple[Answer, list[Answer]]:
    m, b = r.randint(2, 6), r.choice([-7, -4, 3, 5])

    def v(s: int, t: int) -> Any:
        return ("line", s, t)

    return (f"y={m}x{sgn(b)}", v(m, b)), [
        (f"{m}x-y={-b}", v(m, b)), (f"y{sgn(-b)}={m}x", v(m, b)), (f"{m}x-y{sgn(b)}=0", v(m, b)), (f"y={b}+{m}x", v(m, b)),
        (f"y=-{m}x{sgn(b)}", v(-m, b)), (f"{m}x+y={-b}", v(-m, -b)), (f"x={m}y{sgn(b)}", ("line", Fraction(1, m), Fraction(-b, m))), (f"y={m}x{sgn(-b)}", v(m, -b)),
    ]  # fmt: skip


@kind
def circle(r: Random) -> tuple[Answer, list[Answer]]:
    h, k, s = r.randint(1, 5), r.randint(1, 5), r.randint(2, 6)
    v = ("circle", h, -k, s * s)
    return (f"(x-{h})^2+(y+{k})^2={s * s}", v), [
        (f"x^2+y^2-{2 * h}x+{2 * k}y{sgn(h * h + k * k - s * s)}=0", v), (f"(y+{k})^2+(x-{h})^2={s}^2", v), (f"\\left(x-{h}\\right)^2+\\left(y+{k}\\right)^2={s * s}", v),
        (f"(x-{h})^2+(y+{k})^2={s}", ("circle", h, -k, s)), (f"(x+{h})^2+(y-{k})^2={s * s}", ("circle", -h, k, s * s)), (f"(x-{h})^2-(y+{k})^2={s * s}", "hyperbola"),
    ]  # fmt: skip


@kind
def lapse_of_time(r: Random) -> tuple[Answer, list[Answer]]:
    h, m = r.randint(2, 5), r.choice([15, 30, 45])
    v = 60 * h + m
    return (f"{h} \\text{{ hours }} {m} \\text{{ minutes}}", v), [
        (f"~{h} h {m} min", v), (f"~{v} minutes", v), (f"{v / 60:g} \\text{{ hours}}", v), (f"~{h} hours and {m} minutes", v),
        (f"~{h} h {m + 5} min", v + 5), (f"~{v + 60} minutes", v + 60), (f"{h}.{m} \\text{{ hours}}", float(f"{h}.{m}") * 60), (f"~{m} hours and {h} minutes", 60 * m + h),
    ]  # fmt: skip


@kind
def degrees_and_minutes(r: Random) -> tuple[Answer, list[Answer]]:
    d, m = r.randint(11, 80), r.choice([15, 30, 45])
    v = d + Fraction(m, 60)
    return (f"{d}^\\circ {m}'", v), [
        (f"{float(v):g}^\\circ", v), (f"~{d}° {m}′", v), (f"~{d} degrees {m} minutes", v), (f"{d}^{{\\circ}}{m}'", v),
        (f"{d}.{m}^\\circ", Fraction(d * 100 + m, 100)), (f"~{d + 1}° {m}′", v + 1), (f"~{m} degrees {d} minutes", m + Fraction(d, 60)), (f"{d}^{{\\circ}}{m + 1}'", v + Fraction(1, 60)),
    ]  # fmt: skip


@kind
def chance(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.choice([6, 8, 12, 20])
    word = {6: "one sixth", 8: "one eighth", 12: "one twelfth", 20: "one twentieth"}[n]
    v = Fraction(1, n)
    return (f"\\frac{{1}}{{{n}}}", v), [
        (f"~1 in {n}", v), (f"~{word}", v), (f"~1 out of {n}", v), (f"P=\\frac{{1}}{{{n}}}", v),
        (f"~1 in {n + 1}", Fraction(1, n + 1)), (f"~{n - 1} out of {n}", 1 - v), (f"P=\\frac{{{n - 1}}}{{{n}}}", 1 - v), (f"P={n}", n),
    ]  # fmt: skip


@kind
def inverse_function(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.randint(2, 6), r.randint(1, 9)

    def v(s: int, t: int) -> Any:
        return at(lambda x: (x + t) / s)

    return (f"f^{{-1}}(x)=\\frac{{x+{b}}}{{{a}}}", v(a, b)), [
        (f"\\frac{{x}}{{{a}}}+\\frac{{{b}}}{{{a}}}", v(a, b)), (f"f^{{-1}}(x)=\\frac{{1}}{{{a}}}(x+{b})", v(a, b)), (f"\\frac{{x+{b}}}{{{a}}}", v(a, b)), (f"f^{{-1}}(x) = (x+{b})/{a}", v(a, b)),
        (f"\\frac{{x}}{{{a}}}+{b}", at(lambda x: x / a + b)), (f"f^{{-1}}(x)=\\frac{{x-{b}}}{{{a}}}", v(a, -b)), (f"f(x)={a}x-{b}", at(lambda x: a * x - b)), (f"f^{{-1}}(x) = {a}x+{b}", at(lambda x: a * x + b)),
    ]  # fmt: skip


@kind
def nth_term(r: Random) -> tuple[Answer, list[Answer]]:
    d, c = r.randint(3, 8), r.choice([-2, -1, 1, 2])

    def v(s: int, t: int) -> Any:
        return at(lambda n: s * n + t)

    return (f"a_n={d}n{sgn(c)}", v(d, c)), [
        (f"{d}n{sgn(c)}", v(d, c)), (f"a_n={d + c}+{d}(n-1)", v(d, c)), (f"a_{{n}}={c}+{d}n", v(d, c)),
        (f"a_n={c}n+{d}", v(c, d)), (f"{d + 1}n{sgn(c)}", v(d + 1, c)), (f"a_n={d}(n-1){sgn(c)}", v(d, c - d)),
    ]  # fmt: skip


@kind
def plus_minus(r: Random) -> tuple[Answer, list[Answer]]:
    p, q = r.randint(1, 5), r.choice([2, 3, 5, 7])

    def v(s: int, t: int) -> Any:
        return frozenset({s + math.sqrt(t), s - math.sqrt(t)})

    return (f"x={p}\\pm\\sqrt{{{q}}}", v(p, q)), [
        (f"x={p}+\\sqrt{{{q}}} \\text{{ or }} x={p}-\\sqrt{{{q}}}", v(p, q)), (f"x_1={p}+\\sqrt{{{q}}},\\ x_2={p}-\\sqrt{{{q}}}", v(p, q)), (f"\\{{{p}-\\sqrt{{{q}}},{p}+\\sqrt{{{q}}}\\}}", v(p, q)), (f"\\frac{{{2 * p}\\pm\\sqrt{{{4 * q}}}}}{{2}}", v(p, q)),
        (f"x=-{p}\\pm\\sqrt{{{q}}}", v(-p, q)), (f"x={p}+\\sqrt{{{q}}}", frozenset({p + math.sqrt(q)})), (f"x={p}\\pm\\sqrt{{{q + 4}}}", v(p, q + 4)), (f"x_1={p}+\\sqrt{{{q}}},\\ x_2=-{p}-\\sqrt{{{q}}}", frozenset({p + math.sqrt(q), -p - math.sqrt(q)})),
    ]  # fmt: skip


@kind
def no_solution(r: Random) -> tuple[Answer, list[Answer]]:
    k, n = r.randint(2, 9), r.randint(10, 99)
    gold = r.choice(["\\text{no solution}", "\\text{No solution}", "\\emptyset"])
    return (gold, "none"), [
        ("~no solution", "none"), ("~There is no solution.", "none"), ("\\varnothing", "none"), ("~no solutions", "none"),
        ("0", 0), ("~all real numbers", "all"), ("~infinitely many solutions", "all"), (f"x={k}", k), (f"\\{{{n}\\}}", frozenset({n})),
    ]  # fmt: skip


@kind
def every_real(r: Random) -> tuple[Answer, list[Answer]]:
    k = r.randint(2, 9)
    gold = r.choice(["\\mathbb{R}", "(-\\infty,\\infty)", "\\text{all real numbers}"])
    return (gold, "all"), [
        ("~all real numbers", "all"), ("(-\\infty,+\\infty)", "all"), ("x\\in\\mathbb{R}", "all"),
        ("~no real numbers", "none"), ("(0,\\infty)", "pos"), ("x\\in\\mathbb{Z}", "ints"), (f"x\\ne {k}", "but one"),
    ]  # fmt: skip


@kind
def exponential(r: Random) -> tuple[Answer, list[Answer]]:
    a, k, c = r.randint(2, 6), r.randint(2, 4), r.randint(1, 5)
    v = a * math.exp(k) - c
    return (f"{a}e^{{{k}}}-{c}", v), [
        (f"{a}e^{k}-{c}", v), (f"-{c}+{a}e^{{{k}}}", v), (f"{a}\\cdot e^{{{k}}}-{c}", v), (f"{a}\\exp({k})-{c}", v),
        (f"{a}e^{{-{k}}}-{c}", a * math.exp(-k) - c), (f"{a}e^{{{k}}}+{c}", v + 2 * c), (f"{a}e^{{{k}-{c}}}", a * math.exp(k - c)), (f"{a * k}e-{c}", a * k * math.e - c),
    ]  # fmt: skip


@kind
def angle_value(r: Random) -> tuple[Answer, list[Answer]]:
    s = r.choice([1, -1])
    op, other = ("+", "-") if s > 0 else ("-", "+")
    v = (math.sqrt(6) + s * math.sqrt(2)) / 4
    deg = 15 if s > 0 else 75
    return (f"\\frac{{\\sqrt{{6}}{op}\\sqrt{{2}}}}{{4}}", v), [
        (f"\\frac{{\\sqrt{{2}}(\\sqrt{{3}}{op}1)}}{{4}}", v), (f"\\cos {deg}^\\circ", v), (f"\\frac{{\\sqrt{{6}}}}{{4}}{op}\\frac{{\\sqrt{{2}}}}{{4}}", v), (f"\\frac14(\\sqrt6{op}\\sqrt2)", v),
        (f"\\frac{{\\sqrt{{6}}{other}\\sqrt{{2}}}}{{4}}", (math.sqrt(6) - s * math.sqrt(2)) / 4), (f"\\frac{{\\sqrt{{6}}{op}\\sqrt{{2}}}}{{2}}", 2 * v), (f"\\sin {deg}^\\circ", math.sin(math.radians(deg))), (f"\\frac14(\\sqrt{{8}}{op}\\sqrt6)", (math.sqrt(8) + s * math.sqrt(6)) / 4),
    ]  # fmt: skip


@kind
def volume(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(12, 90)
    v = ("cm3", n)
    return (f"{n}\\text{{ cm}}^3", v), [
        (f"~{n} cubic centimetres", v), (f"{n}\\ \\mathrm{{cm}}^{{3}}", v), (f"~{n} cm³", v), (f"V={n}\\,\\text{{cm}}^3", v),
        (f"{n}\\ \\mathrm{{cm}}^{{2}}", ("cm2", n)), (f"~{n} cubic metres", ("m3", n)), (f"~{n + 1} cm³", ("cm3", n + 1)), (f"V={10 * n}\\,\\text{{cm}}^3", ("cm3", 10 * n)),
    ]  # fmt: skip


@kind
def infinite_limit(r: Random) -> tuple[Answer, list[Answer]]:
    s, n = r.choice(["", "-"]), r.randint(2, 30)
    other = "-" if not s else ""
    v, w = f"{s}inf", f"{other}inf"
    return (f"{s}\\infty", v), [
        (f"{s or '+'}\\infty", v), (f"~{'negative' if s else 'positive'} infinity", v), (f"\\lim = {s}\\infty", v),
        (f"{other}\\infty", w), ("0", 0), (f"{s}{n}", n), (f"~{'negative' if other else 'positive'} infinity", w),
    ]  # fmt: skip


@kind
def cycles(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c, d, e = r.sample(range(1, 6), 5)

    def p(*groups: tuple[int, ...]) -> Any:
        return ("perm", *(next((g[(g.index(n) + 1) % len(g)] for g in groups if n in g), n) for n in range(1, 6)))

    v = p((a, b, c), (d, e))

    def w(*groups: tuple[int, ...]) -> str:
        return "".join("(" + "\\ ".join(map(str, g)) + ")" for g in groups)

    return (w((a, b, c), (d, e)), v), [
        (w((a, b, c), (d, e)), v), (w((d, e), (a, b, c)), v), (w((b, c, a), (d, e)), v),
        (w((a, c, b), (d, e)), p((a, c, b), (d, e))), (w((a, b, c)), p((a, b, c))), (w((a, b, d), (c, e)), p((a, b, d), (c, e))),
    ]  # fmt: skip


@kind
def named_point(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample([-6, -4, -1, 2, 3, 5, 8], 2)
    v = ("p", a, b)
    return (f"({a},{b})", v), [
        (f"P({a},{b})", v), (f"\\left({a},\\,{b}\\right)", v), (f"x={a},\\ y={b}", v), (f"~The point is ({a}, {b}).", v), (f"({a};{b})", v), (f"P=({a}\\mid {b})", v),
        (f"P({b},{a})", ("p", b, a)), (f"\\left({-a},\\,{b}\\right)", ("p", -a, b)), (f"x={b},\\ y={a}", ("p", b, a)), (f"~The point is ({a}, {b + 1}).", ("p", a, b + 1)), (f"{a + b}", a + b), (f"P=({b}\\mid {a})", ("p", b, a)),
    ]  # fmt: skip


@kind
def currency(r: Random) -> tuple[Answer, list[Answer]]:
    n, c = r.randint(1100, 9800), r.choice([25, 50, 75])
    v = Fraction(n * 100 + c, 100)
    return (f"\\${n}.{c}", v), [
        (f"\\${n // 1000},{n % 1000:03d}.{c}", v), (f"~{n}.{c} dollars", v), (f"{n}.{c}", v), (f"~USD {n}.{c}", v),
        (f"\\${n // 1000},{n % 1000:03d}.{c + 1}", v + Fraction(1, 100)), (f"~{n} dollars", n), (f"{n // 10}.{n % 10}{c}", v / 10), (f"~USD {n + 1}.{c}", v + 1),
    ]  # fmt: skip


@kind
def parts_a_b(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample(range(3, 40), 2)
    v = ("parts", a, b)
    return (f"\\text{{(i) }} {a} \\quad \\text{{(ii) }} {b}", v), [
        (f"~(i) {a}, (ii) {b}", v), (f"\\text{{(i) }} {a},\\ \\text{{(ii) }} {b}", v), (f"~(i) {a}\n(ii) {b}", v),
        (f"~(i) {b}, (ii) {a}", ("parts", b, a)), (f"\\text{{(i) }} {a},\\ \\text{{(ii) }} {b + 1}", ("parts", a, b + 1)), (f"{a}", a),
    ]  # fmt: skip


@kind
def tangent_plane(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c, d = (r.randint(2, 5) for _ in range(4))

    def v(*n: int) -> Any:
        return ("plane", *(Fraction(m, n[0]) for m in n))

    return (f"{a}x+{b}y-{c}z={d}", v(a, b, -c, d)), [
        (f"{a}x+{b}y-{c}z-{d}=0", v(a, b, -c, d)), (f"{2 * a}x+{2 * b}y-{2 * c}z={2 * d}", v(a, b, -c, d)), (f"{b}y+{a}x={c}z+{d}", v(a, b, -c, d)),
        (f"{a}x+{b}y+{c}z={d}", v(a, b, c, d)), (f"{a}x+{b}y-{c}z=-{d}", v(a, b, -c, -d)), (f"{a}x+{b + 1}y-{c}z={d}", v(a, b + 1, -c, d)),
    ]  # fmt: skip


@kind
def factored(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample(range(2, 8), 2)

    def v(s: int, t: int) -> Any:
        return at(lambda x: x * (x - s) * (x + t))

    return (f"x(x-{a})(x+{b})", v(a, b)), [
        (f"x^3{sgn(b - a)}x^2-{a * b}x", v(a, b)), (f"(x-{a})\\,x\\,(x+{b})", v(a, b)), (f"x\\left(x^2{sgn(b - a)}x-{a * b}\\right)", v(a, b)), (f"-x({a}-x)(x+{b})", v(a, b)),
        (f"x(x+{a})(x-{b})", v(-a, -b)), (f"(x-{a})(x+{b})", at(lambda x: (x - a) * (x + b))), (f"x^2(x-{a})(x+{b})", at(lambda x: x * x * (x - a) * (x + b))), (f"x^3{sgn(b - a)}x^2+{a * b}x", at(lambda x: x**3 + (b - a) * x * x + a * b * x)),
    ]  # fmt: skip

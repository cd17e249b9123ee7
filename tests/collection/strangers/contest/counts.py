r"""Numbers and counting: other notations for choices, values at the end of an unworked left side, chance."""

import math
from fractions import Fraction
from random import Random
from typing import Any

from tests.collection.strangers.contest.kinds import Made, kind


def whole(function: Any) -> tuple[Any, ...]:
    return tuple(function(n) for n in (3, 5, 8))


@kind
def leading_zeros(r: Random) -> Made:
    n = r.randint(11, 99)
    while n % 10 == 0 or n % 11 == 0:
        n += 1
    names = {"n": n, "m": n + 1, "t": str(n)[::-1], "x": f"{str(n)[0]}.{str(n)[1]}"}
    return (
        names,
        "0<n>",
        n,
        ["<n>", "0<n>", "~0<n>", "N=<n>"],
        [("<n>0", n * 10), ("0<t>", int(str(n)[::-1])), ("0<m>", n + 1), ("<x>", n / 10)],
    )


@kind
def odd_product(r: Random) -> Made:
    k = r.choice([2, 3, 4, 5])
    v = whole(lambda n: k * math.prod(range(1, 2 * n, 2)))
    return (
        {"k": k}, r"<k>\cdot(2n-1)!!", v,
        [r"<k>\cdot\frac{(2n)!}{2^n n!}", r"\frac{<k>(2n)!}{2^n\,n!}", r"<k>\,(2n-1)!!", r"(2n-1)!!\cdot <k>"],
        [(r"<k>(2n-1)!", whole(lambda n: k * math.factorial(2 * n - 1))), (r"\frac{<k>(2n)!}{2^n}", whole(lambda n: k * math.factorial(2 * n) // 2**n)), (r"<k>\cdot(2n)!!", whole(lambda n: k * math.prod(range(2, 2 * n + 1, 2)))), (r"<k>(2n+1)!!", whole(lambda n: k * math.prod(range(1, 2 * n + 2, 2))))],
    )  # fmt: skip


@kind
def multinomial(r: Random) -> Made:
    a, b, c = sorted(r.sample(range(2, 7), 3))
    n, f = a + b + c, math.factorial
    v = f(n) // (f(a) * f(b) * f(c))
    return (
        {"a": a, "b": b, "c": c, "n": n, "v": v, "p": n - a}, r"\binom{<n>}{<a>,<b>,<c>}", v,
        [r"\frac{<n>!}{<a>!\,<b>!\,<c>!}", "<v>", r"\binom{<n>}{<a>}\binom{<p>}{<b>}", r"\binom{<n>}{<c>,<a>,<b>}"],
        [(r"\frac{<n>!}{<a>!+<b>!+<c>!}", Fraction(f(n), f(a) + f(b) + f(c))), (r"\binom{<n>}{<a>}\binom{<n>}{<b>}", math.comb(n, a) * math.comb(n, b)), (r"\frac{<n>!}{<a>!\,<b>!}", f(n) // (f(a) * f(b))), (r"\binom{<n>}{<a>}", math.comb(n, a))],
    )  # fmt: skip


@kind
def catalan(r: Random) -> Made:
    k = r.choice([1, 2, 3])
    v = whole(lambda n: k * math.comb(2 * n, n) // (n + 1))
    return (
        {"k": "" if k == 1 else k, "q": k}, r"\frac{<q>}{n+1}\binom{2n}{n}", v,
        [r"<k>\left(\binom{2n}{n}-\binom{2n}{n+1}\right)", r"\frac{<k>(2n)!}{n!\,(n+1)!}", r"\frac{<q>}{n+1}\dbinom{2n}{n}", r"\frac{<k>\binom{2n}{n}}{n+1}"],
        [(r"\frac{<q>}{n}\binom{2n}{n}", whole(lambda n: Fraction(k * math.comb(2 * n, n), n))), (r"<k>\binom{2n}{n}", whole(lambda n: k * math.comb(2 * n, n))), (r"\frac{<q>}{n+1}\binom{2n}{n+1}", whole(lambda n: Fraction(k * math.comb(2 * n, n + 1), n + 1))), (r"\frac{<k>(2n)!}{n!\,n!}-<q>", whole(lambda n: k * math.comb(2 * n, n) - k))],
    )  # fmt: skip


@kind
def choices_in_other_notations(r: Random) -> Made:
    n, k = r.randint(8, 14), r.randint(2, 4)
    v = math.comb(n, k)
    return (
        {"n": n, "k": k, "v": v, "m": n - 1}, "<v>", v,
        [r"{}_{<n>}C_{<k>}", r"C_{<n>}^{<k>}", r"\mathrm{C}_{<n>}^{<k>}=<v>", r"~C(<n>, <k>) = <v>"],
        [(r"{}_{<n>}P_{<k>}", math.perm(n, k)), (r"C_{<m>}^{<k>}", math.comb(n - 1, k)), (r"\mathrm{A}_{<n>}^{<k>}", math.perm(n, k)), (r"<n>^{<k>}", n**k)],
    )  # fmt: skip


@kind
def arrangements(r: Random) -> Made:
    n, k = r.randint(7, 12), r.randint(2, 4)
    v = math.perm(n, k)
    return (
        {"n": n, "k": k, "v": v, "d": n - k}, r"A_{<n>}^{<k>}", v,
        [r"\frac{<n>!}{<d>!}", "<v>", r"{}_{<n>}P_{<k>}", r"P(<n>,<k>)=<v>"],
        [(r"C_{<n>}^{<k>}", math.comb(n, k)), (r"\frac{<n>!}{<k>!}", Fraction(math.factorial(n), math.factorial(k))), (r"<n>!", math.factorial(n)), (r"\binom{<n>}{<k>}", math.comb(n, k))],
    )  # fmt: skip


@kind
def common_logarithm(r: Random) -> Made:
    n, m = r.choice([(2, 5), (5, 2), (4, 25), (20, 5)])
    total = round(math.log10(n * m))
    v = math.log10(n)
    return (
        {"n": n, "m": m, "t": total, "p": n + 1}, r"\lg <n>", v,
        [r"\log_{10}<n>", r"<t>-\lg <m>", r"\frac{\ln <n>}{\ln 10}", r"\lg(<n>)"],
        [(r"\ln <n>", math.log(n)), (r"\log_2 <n>", math.log2(n)), (r"<t>+\lg <m>", total + math.log10(m)), (r"\lg <p>", math.log10(n + 1))],
    )  # fmt: skip


@kind
def complex_quotient(r: Random) -> Made:
    n, k = r.choice([2, 4, 5]), r.choice([1, 3])
    v = k / (n * 1j)
    return (
        {"n": n, "k": k, "x": k / n, "i": "i" if k == 1 else "3i"}, r"\frac{<k>}{<n>i}", v,
        [r"-\frac{<i>}{<n>}", r"-<x>i", r"-\frac{<k>}{<n>}i", r"\operatorname{Res}(f,i)=-\frac{<i>}{<n>}"],
        [(r"\frac{<i>}{<n>}", -v), (r"\frac{<k>}{<n>}", k / n), (r"-\frac{<k>}{<n>}", -k / n), (r"\frac{<n>}{<i>}", n / (k * 1j))],
    )  # fmt: skip


@kind
def segment_area(r: Random) -> Made:
    a, b, c = r.randint(4, 15), r.randint(2, 9), r.choice([2, 3, 7])

    def f(x: float, y: float, z: int) -> float:
        return x * math.pi + y * math.sqrt(z)

    return (
        {"a": a, "b": b, "c": c, "d": a + b, "bb": b * b * c, "x": f"{f(a, -b, c):.5f}"}, r"<a>\pi-<b>\sqrt{<c>}", f(a, -b, c),
        [r"-<b>\sqrt{<c>}+<a>\pi", r"<a>\pi-\sqrt{<bb>}", r"~<a>π − <b>√<c>", r"<a>\pi-<b>\sqrt{<c>}\approx <x>"],
        [(r"<a>\pi+<b>\sqrt{<c>}", f(a, b, c)), (r"<a>-<b>\sqrt{<c>}\,\pi", a - b * math.sqrt(c) * math.pi), (r"<b>\pi-<a>\sqrt{<c>}", f(b, -a, c)), (r"<a>\pi-<b>\sqrt{<d>}", f(a, -b, a + b))],
    )  # fmt: skip


@kind
def divisor_equals(r: Random) -> Made:
    g, a, b = r.randint(3, 12), *r.choice([(2, 3), (4, 5), (3, 7)])
    v = g
    return (
        {"g": g, "a": a * g, "b": b * g, "l": a * b * g, "h": g + 1}, "<g>", v,
        [r"\gcd(<a>,<b>)=<g>", r"\gcd(<a>, <b>)", r"\text{gcd}(<a>,<b>)=<g>", r"~GCD(<a>, <b>) = <g>"],
        [(r"\gcd(<a>,<b>)=<h>", g + 1), (r"\operatorname{lcm}(<a>,<b>)=<l>", a * b * g), (r"\operatorname{lcm}(<a>,<b>)", a * b * g), (r"~GCD(<a>, <b>) = 1", 1)],
    )  # fmt: skip


@kind
def determinant_equals(r: Random) -> Made:
    a, b, c, d = (r.randint(1, 7) for _ in range(4))
    v = a * d - b * c
    return (
        {"a": a, "b": b, "c": c, "d": d, "v": v, "w": v + 2, "p": a * d + b * c, "n": -v}, "<v>", v,
        [r"\det A=<v>", r"\det\begin{pmatrix}<a>&<b>\\<c>&<d>\end{pmatrix}=<v>", r"\begin{vmatrix}<a>&<b>\\<c>&<d>\end{vmatrix}=<v>", r"|A|=<v>"],
        [(r"\det A=<w>", v + 2), (r"\begin{vmatrix}<a>&<b>\\<c>&<d>\end{vmatrix}=<p>", a * d + b * c), (r"|A|=<n>", -v), (r"\det(A)\neq <v>", "denied")],
    )  # fmt: skip


@kind
def limit_equals(r: Random) -> Made:
    a = r.randint(3, 9)
    v = 2 * a
    return (
        {"a": a, "s": a * a, "v": v, "w": a}, "<v>", v,
        [r"\lim_{x\to <a>}\frac{x^2-<s>}{x-<a>}=<v>", r"\lim_{x\to <a>}(x+<a>)=<a>+<a>=<v>", r"\displaystyle\lim_{x\to <a>} f(x)=<v>", r"~lim f(x) = <v> as x → <a>"],
        [(r"\lim_{x\to <a>}\frac{x^2-<s>}{x-<a>}=<w>", a), (r"\lim_{x\to <v>} f(x)=<s>", a * a), (r"\lim_{x\to <a>} f(x)=\infty", "infinite"), (r"~lim f(x) = −<v> as x → <a>", -v)],
    )  # fmt: skip


@kind
def integral_equals(r: Random) -> Made:
    a = r.randint(2, 6)
    v = a**3
    return (
        {"a": a, "v": v, "w": 3 * a * a, "d": 3 * v, "n": -v}, "<v>", v,
        [r"\int_0^{<a>}3x^2\,dx=<v>", r"\int_0^{<a>} 3x^2\,dx=\left[x^3\right]_0^{<a>}=<v>", r"I=<v>", r"\iint_D f\,dA=<v>"],
        [(r"\int_0^{<a>}3x^2\,dx=<w>", 3 * a * a), (r"\int_0^{<a>}3x^2\,dx=\left[x^3\right]_0^{<a>}=<d>", 3 * v), (r"I=<n>", -v), (r"\iint_D f\,dA=<v>\pi", v * math.pi)],
    )  # fmt: skip


@kind
def size_of_a_set(r: Random) -> Made:
    n = r.randint(12, 80)
    return (
        {"n": n, "m": n + 3, "k": n - 2}, r"|A\cup B|=<n>", n,
        ["<n>", r"|A\cup B| = <n>", r"n(A\cup B)=<n>", r"\#(A\cup B)=<n>"],
        [("<m>", n + 3), (r"|A\cup B|=<k>", n - 2), (r"n(A\cup B)\geq <n>", "bound"), (r"|A\cup B|=-<n>", -n)],
    )  # fmt: skip


@kind
def conditional_probability(r: Random) -> Made:
    a, b = r.choice([(3, 7), (2, 9), (5, 11), (4, 13)])
    v = Fraction(a, b)
    return (
        {"a": a, "b": b, "c": b - a, "x": f"{a / b:.4f}", "a2": 2 * a, "b2": 2 * b}, r"P(A\mid B)=\frac{<a>}{<b>}", v,
        [r"\frac{<a>}{<b>}", r"P(A|B)=\frac{<a2>}{<b2>}", r"\Pr(A \mid B)=\frac{<a>}{<b>}\approx <x>", r"~P(A|B) = <a>/<b>"],
        [(r"P(A\mid B)=\frac{<c>}{<b>}", 1 - v), (r"\frac{<b>}{<a>}", 1 / v), (r"~P(A|B) = <a>/<b2>", v / 2), (r"P(A\mid B)=\frac{<a>}{<b>}\cdot\frac{<a>}{<b>}", v * v)],
    )  # fmt: skip


@kind
def mean_and_variance(r: Random) -> Made:
    m, s = r.sample(range(2, 15), 2)
    v = ("mv", m, s)
    return (
        {"m": m, "s": s, "t": s + 1}, r"E(X)=<m>,\ \operatorname{Var}(X)=<s>", v,
        [r"E[X]=<m>,\ \mathrm{Var}(X)=<s>", r"\mathbb{E}(X)=<m>\text{ and }\operatorname{Var}(X)=<s>", r"\operatorname{Var}(X)=<s>,\ E(X)=<m>", r"~E(X) = <m>, Var(X) = <s>"],
        [(r"E(X)=<s>,\ \operatorname{Var}(X)=<m>", ("mv", s, m)), (r"E(X)=<m>", m), (r"E(X)=<m>,\ \operatorname{Var}(X)=<t>", ("mv", m, s + 1)), (r"\operatorname{Var}(X)=<m>,\ E(X)=<s>", ("mv", s, m))],
    )  # fmt: skip


@kind
def distribution_table(r: Random) -> Made:
    a, b = r.sample(range(1, 5), 2)
    c = 12 - a - b
    v = ("d", a, b, c)
    return (
        {"a": a, "b": b, "c": c, "x": Fraction(a, 12), "y": Fraction(b, 12), "z": Fraction(c, 12)}, r"P(X=0)=\frac{<a>}{12},\ P(X=1)=\frac{<b>}{12},\ P(X=2)=\frac{<c>}{12}", v,
        [r"P(X=0)=<x>,\ P(X=1)=<y>,\ P(X=2)=<z>", r"P(X=2)=\frac{<c>}{12},\ P(X=1)=\frac{<b>}{12},\ P(X=0)=\frac{<a>}{12}", r"~P(X=0) = <a>/12, P(X=1) = <b>/12, P(X=2) = <c>/12", r"P(X=0)=\tfrac{<a>}{12},\;P(X=1)=\tfrac{<b>}{12}\text{ and }P(X=2)=\tfrac{<c>}{12}"],
        [(r"P(X=0)=\frac{<b>}{12},\ P(X=1)=\frac{<a>}{12},\ P(X=2)=\frac{<c>}{12}", ("d", b, a, c)), (r"P(X=0)=\frac{<a>}{12},\ P(X=1)=\frac{<b>}{12}", ("d", a, b)), (r"~P(X=0) = <a>/12, P(X=2) = <b>/12, P(X=1) = <c>/12", ("d", a, c, b)), (r"P(X=1)=\frac{<a>}{12},\ P(X=2)=\frac{<b>}{12},\ P(X=3)=\frac{<c>}{12}", ("e", a, b, c))],
    )  # fmt: skip

r"""Matrices, spans, groups, graphs, sets of sets, triangles, arrows."""

import math
from random import Random

from tests.collection.strangers.contest.kinds import Made, kind


@kind
def matrix_of_functions(r: Random) -> Made:
    k = r.choice([1, 2, 3])
    names = {"t": r"\theta" if k == 1 else rf"{k}\theta"}
    return (
        names, r"\begin{pmatrix}\cos <t>&-\sin <t>\\\sin <t>&\cos <t>\end{pmatrix}", "rotation",
        [r"\begin{bmatrix}\cos <t>&-\sin <t>\\\sin <t>&\cos <t>\end{bmatrix}", r"R=\begin{pmatrix}\cos <t> & -\sin <t> \\ \sin <t> & \cos <t>\end{pmatrix}", r"\left(\begin{array}{cc}\cos <t>&-\sin <t>\\\sin <t>&\cos <t>\end{array}\right)", r"\begin{pmatrix}\cos(<t>)&-\sin(<t>)\\\sin(<t>)&\cos(<t>)\end{pmatrix}"],
        [(r"\begin{pmatrix}\cos <t>&\sin <t>\\-\sin <t>&\cos <t>\end{pmatrix}", "back"), (r"\begin{pmatrix}\sin <t>&-\cos <t>\\\cos <t>&\sin <t>\end{pmatrix}", "other"), (r"\begin{pmatrix}\cos <t>&\sin <t>\\\sin <t>&\cos <t>\end{pmatrix}", "no rotation"), (r"\begin{pmatrix}\cos <t>&-\sin <t>\end{pmatrix}", "row")],
    )  # fmt: skip


@kind
def span(r: Random) -> Made:
    a, b, c = r.sample(range(1, 8), 3)
    return (
        {"a": a, "b": b, "c": c, "a2": 2 * a, "b2": 2 * b, "c2": 2 * c}, r"\operatorname{span}\{(<a>,<b>,<c>)\}", (a, b, c),
        [r"\text{span}\{(<a>, <b>, <c>)\}", r"\mathrm{span}\left\{\begin{pmatrix}<a>\\<b>\\<c>\end{pmatrix}\right\}", r"\operatorname{span}\{(<a2>,<b2>,<c2>)\}", r"\operatorname{Span}\left(\begin{bmatrix}<a>\\<b>\\<c>\end{bmatrix}\right)"],
        [(r"\operatorname{span}\{(<b>,<a>,<c>)\}", (b, a, c)), (r"\operatorname{span}\{(<a>,<b>,-<c>)\}", (a, b, -c)), (r"\operatorname{span}\{(<a>,<b>,<c>),(1,0,0)\}", "plane"), (r"\operatorname{span}\{(<a>,<b>)\}", (a, b))],
    )  # fmt: skip


@kind
def group_product(r: Random) -> Made:
    a, b = r.choice([(2, 4), (2, 6), (3, 6), (2, 8)])
    v = tuple(sorted((a, b)))
    return (
        {"a": a, "b": b, "p": a * b}, r"\mathbb{Z}_<a>\times\mathbb{Z}_<b>", v,
        [r"\mathbb{Z}_<b>\times\mathbb{Z}_<a>", r"\mathbb{Z}/<a>\mathbb{Z}\times\mathbb{Z}/<b>\mathbb{Z}", r"\mathbb{Z}_{<a>}\oplus\mathbb{Z}_{<b>}", r"G\cong\mathbb{Z}_<a>\times\mathbb{Z}_<b>"],
        [(r"\mathbb{Z}_{<p>}", (a * b,)), (r"\mathbb{Z}_<a>\times\mathbb{Z}_<a>", (a, a)), (r"\mathbb{Z}_<b>", (b,)), (r"\mathbb{Z}_<b>\times\mathbb{Z}_<b>", (b, b))],
    )  # fmt: skip


@kind
def field_extension(r: Random) -> Made:
    a, b = r.sample([2, 3, 5, 7], 2)
    return (
        {"a": a, "b": b}, r"\mathbb{Q}(\sqrt{<a>})", a,
        [r"\mathbb Q(\sqrt <a>)", r"\mathbb{Q}\left(\sqrt{<a>}\right)", r"K=\mathbb{Q}(\sqrt{<a>})", r"~ℚ(√<a>)"],
        [(r"\mathbb{Q}(\sqrt{<b>})", b), (r"\mathbb{Q}(\sqrt{<a>},\sqrt{<b>})", (a, b)), (r"\mathbb{R}(\sqrt{<a>})", "R"), (r"\mathbb{Q}(\sqrt{-<a>})", -a)],
    )  # fmt: skip


@kind
def named_graph(r: Random) -> Made:
    a, b = sorted(r.sample(range(2, 7), 2))
    return (
        {"a": a, "b": b, "s": a + b, "c": b + 1}, "K_{<a>,<b>}", (a, b),
        ["K_{<a>, <b>}", "~the complete bipartite graph K_{<a>,<b>}", r"\text{the graph }K_{<a>,<b>}", r"G=K_{<a>,<b>}"],
        [("K_{<s>}", a + b), ("K_{<a>,<c>}", (a, b + 1)), ("C_{<s>}", "cycle"), ("~the complete graph K_{<b>}", b)],
    )  # fmt: skip


@kind
def list_of_sets(r: Random) -> Made:
    a, b, c, d = r.sample(range(1, 10), 4)
    v = frozenset({frozenset({a, b}), frozenset({c, d})})
    return (
        {"a": a, "b": b, "c": c, "d": d}, r"\{<a>,<b>\},\{<c>,<d>\}", v,
        [r"\{<c>,<d>\},\{<a>,<b>\}", r"\{<b>,<a>\}\text{ and }\{<c>,<d>\}", r"\{<a>, <b>\}, \{<d>, <c>\}", r"~{<a>, <b>} and {<c>, <d>}"],
        [(r"\{<a>,<c>\},\{<b>,<d>\}", frozenset({frozenset({a, c}), frozenset({b, d})})), (r"\{<a>,<b>,<c>,<d>\}", frozenset({a, b, c, d})), (r"\{<a>,<b>\}", frozenset({frozenset({a, b})})), (r"~{<a>, <d>} and {<c>, <b>}", frozenset({frozenset({a, d}), frozenset({c, b})}))],
    )  # fmt: skip


@kind
def function_table(r: Random) -> Made:
    a, b, c = r.sample(range(1, 10), 3)
    return (
        {"a": a, "b": b, "c": c}, "f(1)=<a>,\\ f(2)=<b>,\\ f(3)=<c>", (a, b, c),
        ["f(3)=<c>,\\ f(1)=<a>,\\ f(2)=<b>", "f(1)=<a>, f(2)=<b>\\text{ and }f(3)=<c>", "~f(1) = <a>, f(2) = <b>, f(3) = <c>", r"\begin{cases}f(1)=<a>\\f(2)=<b>\\f(3)=<c>\end{cases}"],
        [("f(1)=<b>,\\ f(2)=<a>,\\ f(3)=<c>", (b, a, c)), ("f(1)=<a>,\\ f(2)=<b>", (a, b)), ("~f(1) = <a>, f(2) = <c>, f(3) = <b>", (a, c, b)), ("f(2)=<a>,\\ f(3)=<b>,\\ f(4)=<c>", "elsewhere")],
    )  # fmt: skip


@kind
def pairs_with_sign(r: Random) -> Made:
    a, b = r.sample(range(2, 10), 2)
    v = frozenset({(a, b), (a, -b)})
    return (
        {"a": a, "b": b}, r"(<a>,\pm <b>)", v,
        [r"(<a>,<b>),(<a>,-<b>)", r"x=<a>,\ y=\pm <b>", r"~(<a>, −<b>) and (<a>, <b>)", r"(x,y)=(<a>,\pm <b>)"],
        [(r"(\pm <a>,<b>)", frozenset({(a, b), (-a, b)})), (r"(<a>,<b>)", frozenset({(a, b)})), (r"(<a>,-<b>),(-<a>,<b>)", frozenset({(a, -b), (-a, b)})), (r"(<b>,\pm <a>)", frozenset({(b, a), (b, -a)}))],
    )  # fmt: skip


@kind
def double_root(r: Random) -> Made:
    a = r.randint(2, 11)
    return (
        {"a": a, "b": a + 1}, "x=<a>", a,
        [r"x_1=x_2=<a>", r"x=<a>\text{ (double root)}", "~x = <a> (a double root)", r"x=<a>\text{ with multiplicity }2"],
        [(r"x_1=x_2=-<a>", -a), (r"x=<b>\text{ (double root)}", a + 1), ("~x = −<a> (a double root)", -a), (r"x_1=<a>,\ x_2=<b>", (a, a + 1))],
    )  # fmt: skip


@kind
def similar_triangles(r: Random) -> Made:
    p, q = r.choice([("ABC", "DEF"), ("PQR", "XYZ"), ("ABD", "CBE")])
    v = frozenset(zip(p, q, strict=True))
    turned = {
        "p": p,
        "q": q,
        "p2": p[1:] + p[0],
        "q2": q[1:] + q[0],
        "p3": p[::-1],
        "q3": q[::-1],
        "w": q[0] + q[2] + q[1],
    }
    return (
        turned, r"\triangle <p>\sim\triangle <q>", v,
        [r"\triangle <q>\sim\triangle <p>", r"\triangle <p2>\sim\triangle <q2>", r"~△<p> ∼ △<q>", r"\triangle <p3>\sim\triangle <q3>"],
        [(r"\triangle <p>\sim\triangle <w>", frozenset(zip(p, turned["w"], strict=True))), (r"\triangle <p2>\sim\triangle <q>", "other"), (r"\triangle <p>\perp\triangle <q>", "relation"), (r"~△<p> ∼ △<w>", frozenset(zip(p, turned["w"], strict=True)))],
    )  # fmt: skip


@kind
def combination_of_arrows(r: Random) -> Made:
    a, b = r.choice([(1, 2), (2, 3), (1, 4), (3, 5)])
    n = a + b
    return (
        {"a": a, "b": b, "n": n, "ka": "" if a == 1 else a}, r"\frac{<a>}{<n>}\overrightarrow{AB}+\frac{<b>}{<n>}\overrightarrow{AC}", (a, b),
        [r"\frac{<b>}{<n>}\overrightarrow{AC}+\frac{<a>}{<n>}\overrightarrow{AB}", r"\frac{<ka>\overrightarrow{AB}+<b>\overrightarrow{AC}}{<n>}", r"\frac{1}{<n>}\left(<ka>\overrightarrow{AB}+<b>\overrightarrow{AC}\right)", r"\overrightarrow{AD}=\frac{<a>}{<n>}\overrightarrow{AB}+\frac{<b>}{<n>}\overrightarrow{AC}"],
        [(r"\frac{<b>}{<n>}\overrightarrow{AB}+\frac{<a>}{<n>}\overrightarrow{AC}", (b, a)), (r"\frac{<a>}{<n>}\overrightarrow{AB}-\frac{<b>}{<n>}\overrightarrow{AC}", (a, -b)), (r"\frac{<a>}{<n>}\overrightarrow{BA}+\frac{<b>}{<n>}\overrightarrow{AC}", (-a, b)), (r"<a>\overrightarrow{AB}+<b>\overrightarrow{AC}", (a * n, b * n))],
    )  # fmt: skip


@kind
def named_magnitude(r: Random) -> Made:
    n = r.choice([13, 29, 41, 53])
    v = math.sqrt(n)
    return (
        {"n": n, "m": n + 1, "x": f"{v:.4f}"}, r"|\vec{v}|=\sqrt{<n>}", v,
        [r"\sqrt{<n>}", r"\|\vec{v}\|=\sqrt{<n>}", r"\lVert \mathbf{v}\rVert=\sqrt{<n>}\approx <x>", r"~|v| = √<n>"],
        [(r"|\vec{v}|=<n>", n), (r"\|\vec{v}\|=\sqrt{<m>}", math.sqrt(n + 1)), (r"|\vec{v}|=-\sqrt{<n>}", -v), (r"|\vec{v}|^2=<m>", n + 1)],
    )  # fmt: skip

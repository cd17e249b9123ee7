r"""Quantities in two units or per unit, and how many times as much."""

from fractions import Fraction
from random import Random

from tests.collection.strangers.contest.kinds import Made, kind


@kind
def feet_and_inches(r: Random) -> Made:
    a, b = r.randint(4, 9), r.choice([2, 4, 7, 10])
    v = 12 * a + b
    return (
        {"a": a, "b": b, "v": v, "w": 10 * a + b}, r"<a>\text{ ft }<b>\text{ in}", v,
        ["~<v> inches", "~<a> feet <b> inches", "~<a>'<b>\"", "~<a> feet and <b> inches"],
        [("~<b> ft <a> in", 12 * b + a), ("~<w> inches", 10 * a + b), ("~<a>.<b> feet", "decimal"), ("~<a> ft", 12 * a)],
    )  # fmt: skip


@kind
def kilograms_and_grams(r: Random) -> Made:
    a, b = r.randint(2, 9), r.choice([125, 250, 350, 875])
    v = 1000 * a + b
    return (
        {"a": a, "b": b, "v": v, "x": v / 1000, "y": v / 100}, r"<a>\text{ kg }<b>\text{ g}", v,
        ["~<v> g", r"<x>\text{ kg}", "~<a> kilograms and <b> grams", "~<a> kg <b> g"],
        [("~<b> kg <a> g", 1000 * b + a), (r"<y>\text{ kg}", 10 * v), ("~<v> kg", 1000 * v), ("~<a> kg", 1000 * a)],
    )  # fmt: skip


@kind
def energy(r: Random) -> Made:
    n = r.choice([15, 25, 35, 45])
    x = n / 10
    return (
        {"x": x, "wh": n * 100, "mj": f"{x * 3.6:g}", "k": n}, r"<x>\text{ kWh}", n,
        ["~<x> kilowatt-hours", "~<wh> Wh", "~<mj> MJ", r"E=<x>\,\mathrm{kWh}"],
        [("~<x> MJ", Fraction(n * 10, 36)), ("~<x> kW", "power"), ("~<k> kWh", 10 * n), ("~<x> Wh", Fraction(n, 1000))],
    )  # fmt: skip


@kind
def unit_price(r: Random) -> Made:
    n = r.choice([240, 350, 180, 425])
    x = f"{n / 100:.2f}"
    return (
        {"x": x, "y": f"{n / 10:.2f}", "c": n}, r"\$<x>\text{ per kg}", n,
        [r"~\$<x>/kg", "~<x> dollars per kilogram", r"~\$<x> per kilogram", "~<c> cents per kilogram"],
        [(r"~\$<x> per gram", 1000 * n), (r"~\$<y> per kg", 10 * n), ("~<x> cents per kg", Fraction(n, 100)), (r"~\$<x> per 100 g", 10 * n)],
    )  # fmt: skip


@kind
def pressure(r: Random) -> Made:
    n = r.randint(12, 98)
    x = n / 10
    return (
        {"x": x, "pa": n * 100, "n": n}, r"<x>\text{ kPa}", n,
        ["~<pa> Pa", r"<x>\,\mathrm{kPa}", "~<x> kilopascals", r"p=<x>\text{ kPa}"],
        [("~<x> Pa", Fraction(n, 1000)), ("~<n> kPa", 10 * n), ("~<x> MPa", 1000 * n), ("~<x> kN", "force")],
    )  # fmt: skip


@kind
def people_per_area(r: Random) -> Made:
    n = r.randint(2, 40) * 5
    return (
        {"n": n, "m": n + 5}, r"<n>\text{ people per km}^2", n,
        ["~<n> people/km²", "~<n> people per square kilometer", "~<n> inhabitants per square kilometre", r"<n>\ \frac{\text{people}}{\text{km}^2}"],
        [("~<n> people per square meter", n * 1000000), ("~<m> people per square kilometer", n + 5), ("~<n> km²", "area"), ("~<n> people per km", "length")],
    )  # fmt: skip


@kind
def times_as_much(r: Random) -> Made:
    n, word, other = r.choice([(3, "three", "four"), (4, "four", "five"), (5, "five", "six"), (8, "eight", "nine")])
    return (
        {"n": n, "w": word, "o": other, "m": n - 1}, r"<n>\text{ times}", n,
        ["~<w> times", "~<n> times as large", "~by a factor of <n>", r"<n>\times"],
        [("~<o> times", n + 1), ("~<m> times as large", n - 1), ("~<n>%", Fraction(n, 100)), (r"\frac{1}{<n>}", Fraction(1, n))],
    )  # fmt: skip


@kind
def two_lengths(r: Random) -> Made:
    a, b = r.sample(range(4, 30), 2)
    v = frozenset({a, b})
    return (
        {"a": a, "b": b, "m": b + 1}, r"<a>\text{ cm or }<b>\text{ cm}", v,
        ["~<b> cm or <a> cm", "~<a> cm or <b> cm", "~<a> or <b> cm", r"<a>\,\text{cm}\text{ or }<b>\,\text{cm}"],
        [("~<a> cm", frozenset({a})), ("~<a> cm or <m> cm", frozenset({a, b + 1})), ("~<a> m or <b> m", frozenset({100 * a, 100 * b})), ("~<b> cm", frozenset({b}))],
    )  # fmt: skip


@kind
def extremum_and_place(r: Random) -> Made:
    a, b = r.sample(range(2, 20), 2)
    return (
        {"a": a, "b": b, "c": b + 1}, r"\text{maximum } <a> \text{ at } x=<b>", ("max", a, b),
        [r"\text{maximum value } <a> \text{ at } x=<b>", "~The maximum is <a>, at x = <b>", "~maximum <a> when x = <b>", r"\text{max } <a> \text{ at } x=<b>"],
        [(r"\text{maximum } <b> \text{ at } x=<a>", ("max", b, a)), (r"\text{minimum } <a> \text{ at } x=<b>", ("min", a, b)), ("~The maximum is <a>, at x = <c>", ("max", a, b + 1)), ("~maximum −<a> when x = <b>", ("max", -a, b))],
    )  # fmt: skip


@kind
def who_has_what(r: Random) -> Made:
    a, b = r.sample(range(5, 40), 2)
    p, q = r.sample(["Anna", "Ben", "Carla", "David"], 2)
    return (
        {"a": a, "b": b, "p": p, "q": q, "m": b + 1}, r"\text{<p>: } <a>, \text{ <q>: } <b>", frozenset({(p, a), (q, b)}),
        ["~<q> has <b> and <p> has <a>", "~<p>: <a>, <q>: <b>", "~<p> has <a>, <q> has <b>", "~<q>: <b>, <p>: <a>"],
        [("~<p> has <b> and <q> has <a>", frozenset({(p, b), (q, a)})), ("~<p>: <b>, <q>: <a>", frozenset({(p, b), (q, a)})), ("~<p> has <a>, <q> has <m>", frozenset({(p, a), (q, b + 1)})), ("~<p>: <a>", frozenset({(p, a)}))],
    )  # fmt: skip

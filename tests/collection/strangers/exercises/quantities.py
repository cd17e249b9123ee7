"""Quantities with units that are quotients, errors of measurement, small shares, things of two sorts."""

from fractions import Fraction
from random import Random

from tests.collection.strangers.exercises.kinds import kind
from tests.collection.strangers.textbook.kinds import Answer


@kind
def acceleration(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(11, 98)
    t = f"{n // 10}.{n % 10}"
    v = ("m/s2", n)
    return (f"{t}\\ \\text{{m/s}}^2", v), [
        (f"{t}\\,\\mathrm{{m\\,s^{{-2}}}}", v), (f"~{t} m/s²", v), (f"a={t}\\ \\frac{{\\text{{m}}}}{{\\text{{s}}^2}}", v), (f"~{t} m/s^2", v),
        (f"{t}\\ \\text{{m/s}}", ("m/s", n)), (f"~{t} km/s²", ("m/s2", 1000 * n)), (f"~{n} m/s²", ("m/s2", 10 * n)), (f"-{t}\\ \\text{{m/s}}^2", ("m/s2", -n)),
    ]  # fmt: skip


@kind
def density(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(12, 98)
    t = f"{n // 10}.{n % 10}"
    v = ("kg/m3", n * 100)
    return (f"{t}\\ \\text{{g/cm}}^3", v), [
        (f"~{t} g/cm³", v), (f"{n * 100}\\ \\text{{kg/m}}^3", v), (f"\\rho={t}\\ \\frac{{\\text{{g}}}}{{\\text{{cm}}^3}}", v), (f"{t}\\,\\mathrm{{g\\,cm^{{-3}}}}", v),
        (f"{t}\\ \\text{{kg/m}}^3", ("kg/m3", Fraction(n, 10))), (f"~{n * 10} kg/m³", ("kg/m3", n * 10)), (f"~{t} g/m³", ("kg/m3", Fraction(n, 10000))), (f"~{n} g/cm³", ("kg/m3", n * 1000)),
    ]  # fmt: skip


@kind
def flow(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(2, 19) * 2
    v = ("L/min", Fraction(n))
    return (f"{n}\\ \\text{{L/min}}", v), [
        (f"~{n} liters per minute", v), (f"~{n} L/min", v), (f"{n}\\,\\frac{{\\text{{L}}}}{{\\text{{min}}}}", v), (f"~{n} litres per minute", v),
        (f"~{n} L/h", ("L/min", Fraction(n, 60))), (f"~{n} L/s", ("L/min", Fraction(n * 60))), (f"~{n + 2} liters per minute", ("L/min", Fraction(n + 2))), (f"~{n} mL/min", ("L/min", Fraction(n, 1000))),
    ]  # fmt: skip


@kind
def fast_speed(r: Random) -> tuple[Answer, list[Answer]]:
    n, e = r.randint(12, 98), r.choice([4, 5, 6])
    n = n if n % 10 else n + 1
    v = ("m/s", n * 10 ** (e - 1))
    t = f"{n // 10}.{n % 10}"
    return (f"{t}\\times 10^{e}\\ \\text{{m/s}}", v), [
        (f"{t}\\cdot 10^{{{e}}}\\,\\mathrm{{m/s}}", v), (f"~{n * 10 ** (e - 1)} m/s", v), (f"{t}\\times 10^{{{e - 3}}}\\ \\text{{km/s}}", v), (f"v={t}\\times 10^{{{e}}}\\ \\text{{m s}}^{{-1}}", v),
        (f"{t}\\times 10^{{{e}}}\\ \\text{{km/s}}", ("m/s", n * 10 ** (e + 2))), (f"{t}\\times 10^{{-{e}}}\\ \\text{{m/s}}", ("m/s", Fraction(n, 10 ** (e + 1)))), (f"~{n * 10**e} m/s", ("m/s", n * 10**e)), (f"{t}\\times 10^{{{e + 1}}}\\ \\text{{m/s}}", ("m/s", n * 10**e)),
    ]  # fmt: skip


@kind
def newtons(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(3, 40) * 50
    v = ("N", n)
    return (f"{n}\\ \\text{{N}}", v), [
        (f"~{n} newtons", v), (f"F={n}\\,\\mathrm{{N}}", v), (f"~{n / 1000:g} kN", v), (f"~{n} N", v),
        (f"~{n} kN", ("N", 1000 * n)), (f"~{n} J", ("J", n)), (f"~{n + 50} newtons", ("N", n + 50)), (f"~{n / 100:g} kN", ("N", 10 * n)),
    ]  # fmt: skip


@kind
def per_thousand(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(2, 9)
    v = Fraction(n, 1000)
    return (f"{n}\\text{{ ‰}}", v), [
        (f"~{n} ‰", v), (f"0.{n}\\%", v), (f"0.00{n}", v), (f"\\frac{{{n}}}{{1000}}", v),
        (f"{n}\\%", Fraction(n, 100)), (f"~{n + 1} ‰", Fraction(n + 1, 1000)), (f"0.0{n}", Fraction(n, 100)), (f"~{n}0 ‰", Fraction(n, 100)),
    ]  # fmt: skip


@kind
def measured_with_error(r: Random) -> tuple[Answer, list[Answer]]:
    n, e = r.randint(112, 980), r.randint(1, 8)
    n = n if n % 10 else n + 1
    t = f"{n // 10}.{n % 10}"
    v = ("err", n, e)
    return (f"{t}\\pm 0.{e}", v), [
        (f"~{t} ± 0.{e}", v), (f"({t}\\pm 0.{e})", v), (f"x={t}\\pm 0.{e}", v), (f"{t} \\pm 0.{e}0", v),
        (f"{t}\\pm 0.{e + 1}", ("err", n, e + 1)), (f"{(n + 1) // 10}.{(n + 1) % 10}\\pm 0.{e}", ("err", n + 1, e)), (f"{t}\\pm {e}", ("err", n, 10 * e)), (f"{t}", n),
    ]  # fmt: skip


@kind
def rounded_as_asked(r: Random) -> tuple[Answer, list[Answer]]:
    n = r.randint(112, 989)
    n = n if n % 10 else n + 3
    t = f"{n // 100}.{n % 100:02d}"
    return (t, n), [
        (f"~{t} (3 s.f.)", n), (f"{t} \\text{{ (to 2 decimal places)}}", n), (f"~{t} to three significant figures", n), (f"\\approx {t}", n),
        (f"~{n // 100}.{(n + 1) % 100:02d} (3 s.f.)" if n % 100 < 99 else "~9.99 (3 s.f.)", n + 1), (f"~{t} million", n * 10**6), (f"{n / 10:g} \\text{{ (to 2 decimal places)}}", n * 10), (f"-{t}", -n),
    ]  # fmt: skip


@kind
def two_sorts(r: Random) -> tuple[Answer, list[Answer]]:
    a, b = r.sample(range(3, 30), 2)
    one, other = r.choice(
        [("apples", "pears"), ("adults", "children"), ("red marbles", "blue marbles"), ("dimes", "nickels")]
    )
    v = ("sorts", a, b)
    return (f"{a} \\text{{ {one} and }} {b} \\text{{ {other}}}", v), [
        (f"~{a} {one} and {b} {other}", v), (f"~{b} {other} and {a} {one}", v), (f"~{a} {one}, {b} {other}", v),
        (f"~{b} {one} and {a} {other}", ("sorts", b, a)), (f"~{a} {one} and {b + 1} {other}", ("sorts", a, b + 1)), (f"~{a} {one}", ("one sort", a)), (f"~{a + b} {one}", ("one sort", a + b)),
    ]  # fmt: skip


@kind
def parallel_lines(r: Random) -> tuple[Answer, list[Answer]]:
    a, b, c, d = r.sample("ABCDEFGH", 4)
    v = ("par", frozenset({frozenset({a, b}), frozenset({c, d})}))

    def p(name: str, one: str, other: str) -> tuple[str, frozenset[frozenset[str]]]:
        return name, frozenset({frozenset(one), frozenset(other)})

    v = "par", str(sorted(map(sorted, p("par", a + b, c + d)[1])))

    def w(name: str, one: str, other: str) -> tuple[str, str]:
        return name, str(sorted(map(sorted, p(name, one, other)[1])))

    return (f"{a}{b}\\parallel {c}{d}", v), [
        (f"{c}{d}\\parallel {a}{b}", v), (f"~{a}{b} ∥ {c}{d}", v), (f"{a}{b} \\parallel {c}{d}", v), (f"{a}{b} \\mathbin{{\\parallel}} {c}{d}", v),
        (f"{a}{b}\\perp {c}{d}", w("perp", a + b, c + d)), (f"{a}{c}\\parallel {b}{d}", w("par", a + c, b + d)), (f"~{a}{d} ∥ {b}{c}", w("par", a + d, b + c)), (f"{a}{b}={c}{d}", w("equal", a + b, c + d)),
    ]  # fmt: skip

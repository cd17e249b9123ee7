"""Two single values: percent, degrees, units, rounding; then equality as expressions."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from lecture_math_answer import units
from lecture_math_answer.equal import number_of, same_expression
from lecture_math_answer.node import Node, number, symbols, walk

MIN_DIGITS = 4
"""Significant digits from which a decimal may stand for an exact irrational or endless number."""
_LETTER_UNITS = frozenset("msghLlNJVWAKCFdr")


def same_value(gold: Node, response: Node, *, rough: bool = False) -> bool:
    """Do two expressions name the same value? ``rough``: the gold is marked as approximate."""
    gold, gold_unit = _in_radians(*_unit_of(_signed_within(gold)))
    response, response_unit = _in_radians(*_unit_of(_signed_within(response)))
    if "radian" in (gold_unit, response_unit):  # said so: the number is not one of degrees
        return same_expression(gold, response) or _rounds_to(gold, response, rough=rough)
    if symbols(gold) == set() and symbols(response):
        response, bare_unit = _letter_unit(response)
        response_unit = response_unit or bare_unit
    elif symbols(response) == set() and symbols(gold):
        gold, bare_unit = _letter_unit(gold)
        gold_unit = gold_unit or bare_unit
    if gold_unit.startswith("degrees ") and not response_unit:  # a temperature, and degrees of nothing said
        response = _bare_degrees(response)
    if response_unit.split(" ")[0] in _CHANGES_THE_NUMBER and gold_unit != response_unit:
        return False
    scale = units.factor(gold_unit, response_unit)
    if scale is None or _share_beside_measure(gold, response_unit) or _share_beside_measure(response, gold_unit):
        return False
    if scale != 1:
        response = _times(response, scale)
    readings = [(gold, response), *_percent_readings(gold, response), *_degree_readings(gold, response)]
    return any(
        _base_agrees(one, two) and (same_expression(one, two) or _rounds_to(one, two, rough=rough))
        for one, two in readings
    )


def _signed_within(node: Node) -> Node:
    """``-25 %`` and ``-11 degrees`` as a share or an angle with a negative number, read from ``-(25 %)``."""
    if node.op == "neg" and node.args[0].op in ("pct", "deg"):
        return replace(node.args[0], args=(Node("neg", node.args[0].args), *node.args[0].args[1:]))
    return node


def _share_beside_measure(share: Node, unit: str) -> bool:
    """25 % beside 25 dollars."""
    return share.op == "pct" and (units.measure(unit) is not None or unit.lower() in ("times", "fold"))


_CHANGES_THE_NUMBER = frozenset({"factorial", "squared", "cubed"})
"""Words behind a number that are read as its unit and are none."""


def _bare_degrees(node: Node) -> Node:
    if node.op == "neg":
        return Node("neg", (_bare_degrees(node.args[0]),))
    return node.args[0] if node.op == "deg" else node


def _times(node: Node, scale: Fraction) -> Node:
    if node.op == "num":
        return replace(node, value=node.value * scale, places=None)
    return Node("mul", (node, number(scale)))


def _base_agrees(one: Node, two: Node) -> bool:
    """Numerals of different bases (1011_2 and 1011_3) differ."""
    return not (one.op == two.op == "num" and one.name and two.name and one.name.strip("_{}") != two.name.strip("_{}"))


def _unit_of(node: Node) -> tuple[Node, str]:
    if node.op == "neg" and node.args[0].op == "quantity":
        return Node("neg", node.args[0].args), node.args[0].name
    if node.op == "quantity":
        return node.args[0], node.name
    return node, ""


def _in_radians(node: Node, unit: str) -> tuple[Node, str]:
    return (node, "radian") if unit.lower() in ("rad", "rads", "radian", "radians") else (node, unit)


def _letter_unit(node: Node) -> tuple[Node, str]:
    """``5 m`` and ``5 m^2``: a number times one letter that is a unit."""
    if node.op == "div" and node.args[1].op in ("sym", "pow"):
        inner, top = _letter_unit(node.args[0])
        bottom = _letter_unit(Node("mul", (number(1), node.args[1])))[1]
        return (inner, f"{top}/{bottom}") if top and bottom else (node, "")
    if node.op != "mul":
        return node, ""
    number_part, tail = node.args
    base = tail.args[0] if tail.op == "pow" else tail
    if base.op == "sym" and base.name in _LETTER_UNITS and not symbols(number_part):
        power = f"^{tail.args[1].value}" if tail.op == "pow" else ""
        return number_part, base.name + power
    return node, ""


def _percent_readings(gold: Node, response: Node) -> list[tuple[Node, Node]]:
    """28 % may be written 28 or 0.28, by either side."""
    if gold.op == "pct" and response.op != "pct":
        return [(gold.args[0], response), (gold.args[0], Node("mul", (response, number(100))))]
    if response.op == "pct" and gold.op != "pct":
        value = number_of(gold)
        return [(gold, response.args[0])] if value is not None and abs(value) >= 1 else []
    if gold.op == response.op == "pct":
        return [(gold.args[0], response.args[0])]
    return []


def _degree_readings(gold: Node, response: Node) -> list[tuple[Node, Node]]:
    if gold.op == "deg" and response.op != "deg" and not any(part.name == "pi" for part in walk(response)):
        return [(gold.args[0], response)]
    if response.op == "deg" and any(
        part.name.startswith("arc") for part in walk(gold)
    ):  # an angle by its sine, rounded
        turned = Node("div", (Node("mul", (gold, number(180))), Node("sym", name="pi")))
        return [(turned, response.args[0])]
    if response.op == "deg" and gold.op != "deg" and not any(part.name == "pi" for part in walk(gold)):
        return [(gold, response.args[0])]
    return []


def _decimal(node: Node) -> tuple[Fraction, int] | None:
    """(value, digits after the point) of a numeral, also behind a minus, a percent sign or as m × 10^k."""
    if node.op == "num":
        return node.value, node.places if node.places is not None else 0
    if node.op in ("pct", "deg"):
        return _decimal(node.args[0]) if node.op == "deg" else None
    if node.op == "neg":
        inner = _decimal(node.args[0])
        return (-inner[0], inner[1]) if inner else None
    if node.op == "mul" and node.args[0].op == "num" and node.args[1].op == "pow":
        power = node.args[1]
        exponent = number_of(power.args[1])
        if (
            power.args[0] == number(10)
            and isinstance(exponent, Fraction)
            and exponent.denominator == 1
            and abs(exponent) < 400
        ):
            inner = _decimal(node.args[0])
            return (inner[0] * Fraction(10) ** int(exponent), inner[1] - int(exponent)) if inner else None
    if (
        node.op == "mul"
        and node.args[1].op == "num"
        and (inner := _decimal(node.args[0]))
        and node.args[1].value == 100
    ):
        return inner[0] * 100, inner[1] - 2
    return None


def _digits(value: Fraction, places: int) -> int:
    """Significant digits of ``value`` written to ``places`` places."""
    scaled = abs(value) * Fraction(10) ** places
    return len(str(round(scaled))) if scaled >= 1 else 0


def _rounds_to(gold: Node, response: Node, *, rough: bool) -> bool:
    """Is one side the other, rounded, and precise enough to stand for it?"""
    gold_decimal, response_decimal = _decimal(gold), _decimal(response)
    if symbols(gold) or symbols(response):
        return False
    if gold_decimal and not response_decimal:
        value, places = gold_decimal
        digits = _digits(value, places)
        enough = digits >= 3 if places > 0 else rough and digits >= 2
        loose = digits >= 3 and places > 0  # many digits, the last one cut off instead of rounded
        return enough and _is_rounding(number_of(response), value, places, cut=loose)
    if response_decimal and not gold_decimal:
        value, places = response_decimal
        return (
            places > 0 and _digits(value, places) >= MIN_DIGITS - rough and _is_rounding(number_of(gold), value, places)
        )
    if gold_decimal and response_decimal:
        return _both_decimal(gold_decimal, response_decimal, rough=rough)
    return False


def _both_decimal(gold: tuple[Fraction, int], response: tuple[Fraction, int], *, rough: bool) -> bool:
    if response[1] > gold[1] + 1 and gold[1] > 0:
        return _digits(*gold) >= 3 and _is_rounding(response[0], *gold)
    if rough and response[1] < gold[1]:
        return _digits(*response) >= 2 and _is_rounding(gold[0], *response)
    return False


def _is_rounding(exact: Any, rounded: Fraction, places: int, *, cut: bool = False) -> bool:
    """``rounded`` is ``exact`` to the nearest unit of its last place, or, if ``cut``, truncated there."""
    if exact is None or (not isinstance(exact, Fraction) and abs(exact.imag) > 0):
        return False
    if not isinstance(exact, Fraction):
        exact = Fraction(str(exact.real)) if abs(exact.real) < 10**50 else None
        if exact is None:
            return False
    unit = 1 / Fraction(10) ** places
    return abs(exact - rounded) <= unit / 2 or (cut and 0 <= abs(exact) - abs(rounded) < unit and exact * rounded > 0)

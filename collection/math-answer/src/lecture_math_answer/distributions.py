r"""Distributions by name: ``X \sim B(23, 0.3)`` is ``B\left(23, \frac{3}{10}\right)``, and no product of letters."""

import re

from lecture_math_answer.number import same_value
from lecture_math_answer.reading import readings

_NAMES = {
    "B": "binomial", "Bin": "binomial", "Binomial": "binomial", "N": "normal", "Normal": "normal", "Po": "poisson",
    "Poisson": "poisson", "Pois": "poisson", "Geo": "geometric", "Exp": "exponential", "U": "uniform",
}  # fmt: skip
_STATED = re.compile(
    rf"(?:(?P<of>[A-Z])\s*\\sim\s*)?(?:\\(?:mathcal|mathrm|text|operatorname)\s*\{{\s*)?(?P<name>{'|'.join(_NAMES)})(?:\s*\}})?\s*(?:\\left)?\((?P<values>.*?)(?:\\right)?\)"
)


def same_distribution(gold: str, response: str) -> bool | None:
    """The verdict where both name a distribution and the gold answer says of what (``X ~``); else None."""
    one, two = (_STATED.fullmatch(re.sub(r"\\[,;: ]", "", text).strip().strip("$ .")) for text in (gold, response))
    if one is None or two is None or not one["of"]:
        return None
    if _NAMES[one["name"]] != _NAMES[two["name"]] or two["of"] not in (None, one["of"]):
        return False
    mine, theirs = ([readings(value) for value in found["values"].split(",")] for found in (one, two))
    return len(mine) == len(theirs) and all(
        bool(a) and bool(b) and same_value(a[0], b[0]) for a, b in zip(mine, theirs, strict=True)
    )

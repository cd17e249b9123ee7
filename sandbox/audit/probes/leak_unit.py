"""The number is right and its unit is wrong."""

import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

# Each unit with one of another size or kind.
_OTHERS = {
    "km": "m", "m": "km", "cm": "m", "mm": "m", "kg": "g", "g": "kg", "mg": "g", "s": "h", "h": "s",
    "min": "h", "hours": "seconds", "minutes": "hours", "seconds": "hours", "days": "weeks", "meters": "kilometers",
    "dollars": "cents", "cents": "dollars", "euros": "cents", "liters": "milliliters", "degrees": "radians",
    "grams": "kilograms",
}  # fmt: skip
_QUANTITY = re.compile(rf"[-+]?[\d.,/]+\s*(?P<unit>{'|'.join(_OTHERS)})")


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where the reference answer itself is a number with a unit, and the response repeats it."""
    del random
    for item in material.examples if material.answer_decides else ():
        answer = str(item.task.get("answer")).strip()
        match = _QUANTITY.fullmatch(answer)
        if match and item.text is not None and item.text.count(answer) == item.text.count(match["unit"]) > 0:
            wrong = answer.removesuffix(match["unit"]) + _OTHERS[match["unit"]]
            yield item.saying(item.text.replace(answer, wrong), note=f"{answer} -> {wrong}")


FAMILY = Family(
    name="leak_unit",
    expects="incorrect",
    rule="the same number of another unit is another quantity",
    make=make,
)

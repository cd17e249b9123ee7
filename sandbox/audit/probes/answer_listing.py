"""Every value that the answer could be."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_SPREAD = 5


def make(material: Material, random: Random) -> Iterator[Draft]:
    """For whole numbers: the answer among its neighbours, at a seeded place."""
    for item, place, answer in material.numbered():
        if answer.value is None or answer.value.denominator != 1:
            continue
        first = int(answer.value) - random.randrange(1, _SPREAD)
        listed = ", ".join(str(first + step) for step in range(2 * _SPREAD))
        yield item.saying(place.with_answer(listed))


FAMILY = Family(
    name="answer_listing",
    expects="incorrect",
    rule="a list of many values commits to none of them",
    make=make,
)

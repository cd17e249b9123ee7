"""The answer's sign is turned."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import wrong_numbers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Every place that states the answer states the wrong value."""
    for item, place, answer in material.numbered():
        for wrong in wrong_numbers.turned_sign(answer, random):
            yield Draft(item.task, place.with_answer(wrong), note=f"{answer.text} -> {wrong}")


FAMILY = Family(
    name="leak_sign",
    expects="incorrect",
    rule="the negative of a number that is not zero is another number",
    make=make,
)

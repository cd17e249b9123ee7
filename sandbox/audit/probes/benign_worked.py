"""Worked text with other numbers before the answer."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material

_FEWEST = 3
_WORKED_WORDS = 8


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where labelled right responses already work with other numbers before their answer."""
    if not material.judges_only_the_answer:
        return
    worked = [item for item in material.stated_and_accepted if _is_worked(item)]
    if len(worked) < _FEWEST:
        return
    for item in worked:
        one, other = random.sample(range(11, 60), 2)
        if item.answer is not None and item.answer.value in (one, other, one + other):
            continue
        yield item.saying(f"First, {one} + {other} = {one + other}.\n\n{item.text}")


def _is_worked(item: Example) -> bool:
    place = item.place
    if place is None or item.answer is None or item.answer.value is None or item.text is None:
        return False
    values = {answers.parse_number(found) for found in answers.numbers_in(place.before)}
    return len(item.text.split()) >= _WORKED_WORDS and bool(values - {item.answer.value, None})


FAMILY = Family(
    name="benign_worked",
    expects="correct",
    rule="labelled cases work with other numbers before the answer, and one more true line of it changes nothing",
    make=make,
)

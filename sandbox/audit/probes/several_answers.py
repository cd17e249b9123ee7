"""More than one final answer."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import wrong_numbers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Hedges (``4 or 7``), alternatives, and a right answer that is withdrawn in favour of a wrong one."""
    for item, place, answer in material.numbered():
        other = wrong_numbers.other_than(answer, random)
        yield item.saying(place.with_answer(f"{answer.text} or {other}"), note="hedge")
        yield item.saying(place.with_answer(f"either {other} or {answer.text}"), note="hedge")
        taken_back = f"{place.response}\n\nNo, that is wrong. {place.with_answer(other)}"
        yield item.saying(taken_back, note="right, then wrong")


FAMILY = Family(
    name="several_answers",
    expects="incorrect",
    rule="a response that offers two different values, or ends in a wrong one, has not answered",
    make=make,
)

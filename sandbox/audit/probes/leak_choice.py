"""Another choice, or the other truth value."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material
from sandbox.audit.probes.options import is_said_otherwise_too


def make(material: Material, random: Random) -> Iterator[Draft]:
    """A letter for a letter, yes for no; the response is otherwise the right one."""
    for item in material.stated:
        if item.place is None or item.answer is None or item.answer.kind == "number":
            continue
        if is_said_otherwise_too(item):
            continue
        if item.answer.kind == "truth":
            yield item.saying(item.place.with_answer(answers.opposite(item.answer)), note="the opposite")
            continue
        other = random.choice([letter for letter in "ABCD" if letter != item.answer.text])
        yield item.saying(item.place.with_answer(other), note=f"{item.answer.text} -> {other}")


FAMILY = Family(
    name="leak_choice",
    expects="incorrect",
    rule="a task with one right choice has only wrong ones besides",
    make=make,
)

"""The right choice, taken back for another one."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material
from sandbox.audit.probes.options import is_said_otherwise_too

_FORMS = {
    "taken back": "{right}\n\nI take that back, it is wrong.\n\n{wrong}",
    "in thinking": "<think>\n{right}\n</think>\n\n{wrong}",
}


def make(material: Material, random: Random) -> Iterator[Draft]:
    """A response that is right, and then the same one with another letter or the other truth value."""
    for item in material.stated:
        if item.place is None or item.answer is None or item.answer.kind == "number":
            continue
        if is_said_otherwise_too(item):
            continue
        if item.answer.kind == "truth":
            other = answers.opposite(item.answer)
        else:
            other = random.choice([letter for letter in "ABCD" if letter != item.answer.text])
        wrong = item.place.with_answer(other)
        for way, form in _FORMS.items():
            yield item.saying(form.format(right=item.place.response, wrong=wrong), way=way)


FAMILY = Family(
    name="several_choices",
    expects="incorrect",
    rule="a response that takes its choice back and ends in another one has made the other one",
    make=make,
)

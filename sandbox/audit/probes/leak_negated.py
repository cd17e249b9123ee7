"""The right answer, negated."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_FORMS = ("The answer is not {}.", "It is not {}, and I do not know what it is.", "{} is wrong.")


def make(material: Material, random: Random) -> Iterator[Draft]:
    """A whole response that names the answer only to negate it."""
    for item, _, answer in material.numbered():
        yield item.saying(random.choice(_FORMS).format(answer.text))


FAMILY = Family(
    name="leak_negated",
    expects="incorrect",
    rule="a response that says that the answer is not this value does not give it",
    make=make,
)

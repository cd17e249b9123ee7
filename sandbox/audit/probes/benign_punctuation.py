"""A full stop after the answer."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where form cannot matter: one reward decides, and it is about the answer."""
    if not material.judges_only_the_answer:
        return
    del random
    for item in material.stated_and_accepted:
        response = item.text or ""
        last_line = response.rsplit("\n", 1)[-1]
        if item.place is not None and not item.place.after and " " in last_line and "$" not in last_line:
            yield item.saying(f"{response}.")


FAMILY = Family(
    name="benign_punctuation",
    expects="correct",
    rule="a full stop that ends a sentence is no part of the value before it",
    make=make,
)

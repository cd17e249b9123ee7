"""Space around the response."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where form cannot matter: one reward decides, and it is about the answer."""
    if not material.judges_only_the_answer:
        return
    for item in material.stated_and_accepted:
        before, after = random.choice((("", "\n"), ("\n", ""), ("  ", "  "), ("", "\r\n"), ("\t", "\n\n")))
        yield item.saying(f"{before}{item.text}{after}", note=repr((before, after)))


FAMILY = Family(
    name="benign_spacing",
    expects="correct",
    rule="space before or after a response does not change what it says",
    make=make,
)

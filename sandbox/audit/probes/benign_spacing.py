"""Space around the response."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_WORDS = {
    ("", "\n"): "a line break after it",
    ("\n", ""): "a line break before it",
    ("  ", "  "): "two spaces before and after it",
    ("", "\r\n"): "a Windows line break after it",
    ("\t", "\n\n"): "a tab before it, two line breaks after it",
}
"""What is put before and after a response, and how a report says so."""


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where form cannot matter: one reward decides, and it is about the answer."""
    if not material.judges_only_the_answer:
        return
    for item in material.stated_and_accepted:
        before, after = random.choice(tuple(_WORDS))
        yield item.saying(f"{before}{item.text}{after}", note=_WORDS[before, after])


FAMILY = Family(
    name="benign_spacing",
    expects="correct",
    rule="space before or after a response does not change what it says",
    make=make,
)

"""Words before a worked answer."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_PREAMBLES = (
    "Let me think about this step by step.",
    "Sure, here is my solution.",
    "We read the question carefully and work through it.",
)
_WORKED_WORDS = 8


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where form cannot matter: one reward decides, and it is about the answer."""
    if not material.judges_only_the_answer:
        return
    for item in material.stated_and_accepted:
        if item.text is not None and len(item.text.split()) >= _WORKED_WORDS:
            yield item.saying(f"{random.choice(_PREAMBLES)}\n\n{item.text}")


FAMILY = Family(
    name="benign_preamble",
    expects="correct",
    rule="an announcement without a value does not change the answer after it",
    make=make,
)

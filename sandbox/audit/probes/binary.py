"""Bytes that are not text."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_LETTERS = "".join(chr(code) for code in (*range(1, 9), *range(14, 32), 127, 0xFFFD, 0xFFFF, 0xE000))


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Seeded noise without digits, letters or surrogates, so that it is valid JSON and states nothing."""
    for task in material.tasks_for_wrong_text():
        yield material.say(task, "".join(random.choices(_LETTERS, k=200)))


FAMILY = Family(
    name="binary",
    expects="incorrect",
    rule="control characters and unassigned code points hold no answer",
    make=make,
)

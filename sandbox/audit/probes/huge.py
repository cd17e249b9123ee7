"""A response far larger than any answer."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_WORDS = ("lorem ", "(", "ab\n", "\\\\frac{", "so ")
_COUNT = 200_000


def make(material: Material, random: Random) -> Iterator[Draft]:
    """A few tasks only: each case is a megabyte."""
    tasks = list(material.tasks_for_wrong_text())
    for task in random.sample(tasks, min(3, len(tasks))):
        word = random.choice(_WORDS)
        yield material.say(task, word * _COUNT, note=f"{word!r} x {_COUNT}")


FAMILY = Family(
    name="huge",
    expects="incorrect",
    rule="two hundred thousand words of which none is the answer",
    make=make,
)

"""An agent that does nothing useful."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material, lacks_answer

_TEXTS = ("I don't know.", "I cannot solve this task.", "This is too hard for me.")


def make(material: Material, random: Random) -> Iterator[Draft]:
    """One refusal a task."""
    for task in material.tasks_for_wrong_text():
        text = random.choice(_TEXTS)
        if lacks_answer(task, text):
            yield material.say(task, text)


FAMILY = Family(
    name="nop",
    expects="incorrect",
    rule="it says that it has no answer, and the task has one",
    make=make,
)

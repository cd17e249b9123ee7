"""The reference answer as text, alone."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_FEWEST = 3
_LONGEST = 200


def make(material: Material, _random: Random) -> Iterator[Draft]:
    """Only where several right responses that this verifier accepts are their task's answer and nothing else."""
    if not material.judges_only_the_answer:
        return
    bare = [
        item
        for item in material.accepted
        if item.text is not None and _is_text(item.task.get("answer")) and item.text.strip() == item.task["answer"]
    ]
    if len(bare) < _FEWEST:
        return
    for task in material.tasks:
        if _is_text(task.get("answer")):
            yield material.say(task, task["answer"])


def _is_text(answer: object) -> bool:
    """A short text that is no number, choice or truth value: those have a family of their own."""
    return (
        isinstance(answer, str)
        and 0 < len(answer) <= _LONGEST
        and answer == answer.strip()
        and not answers.read(answer)
    )


FAMILY = Family(
    name="oracle_text",
    expects="correct",
    rule="the task's own answer, alone, as several responses that are labelled correct give it",
    make=make,
)

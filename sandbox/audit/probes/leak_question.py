"""The question, repeated."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where the question's text does not hold the answer."""
    del random
    for item, _, answer in material.numbered():
        prompt = item.task.get("prompt")
        if isinstance(prompt, str) and not answers.occurrences(prompt, answer):
            yield item.saying(prompt)


FAMILY = Family(
    name="leak_question",
    expects="incorrect",
    rule="repeating a question does not answer it",
    make=make,
)

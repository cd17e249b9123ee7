"""Capitals instead of small letters, or the other way round."""

import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

# Plain words only: in a formula or a command, case has a meaning.
_WORDS = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]+)*")


def _case_is_free(material: Material) -> bool:
    """Whether a labelled response writes its answer with other capitals."""
    pairs = ((str(item.task.get("answer")), item.text) for item in material.examples if item.text is not None)
    return any(answer not in response and answer.casefold() in response.casefold() for answer, response in pairs)


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where a labelled response differs from its answer in case alone."""
    if not (material.judges_only_the_answer and _case_is_free(material)):
        return
    for item in material.accepted:
        answer = item.task.get("answer")
        if isinstance(answer, str) and _WORDS.fullmatch(answer) and item.text is not None and answer in item.text:
            changed = random.choice((answer.upper(), answer.lower()))
            if changed != answer:
                yield item.saying(item.text.replace(answer, changed), note=f"{answer} -> {changed}")


FAMILY = Family(
    name="benign_case",
    expects="correct",
    rule="a labelled case shows that case does not matter",
    make=make,
)

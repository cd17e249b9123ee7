"""The form of a right response, with no answer in the answer's place."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material, lacks_answer
from sandbox.audit.probes.options import is_said_in_words

_IN_WORDS = ("Don't know", "Cannot say", "Do not ask me", "Beyond me", "Any of them")
"""Their letters are those of options, and none of them is a value."""
_FEWEST_LETTERS = 3


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Words that give no value, or nothing at all, wherever the response said its answer."""
    if not material.answer_decides:
        return
    for item in material.examples:
        emptied = _emptied(item, random)
        if emptied is not None and lacks_answer(item.task, emptied):
            yield item.saying(emptied)


def _emptied(item: Example, random: Random) -> str | None:
    if item.text is None or item.files is not None or is_said_in_words(item):
        return None
    if item.place is not None and item.answer is not None and item.answer.kind != "truth":
        return item.place.with_answer(random.choice(_IN_WORDS))
    answer = item.task.get("answer")
    if item.answer is not None or not isinstance(answer, str) or len(answer) < _FEWEST_LETTERS or not answer.isalpha():
        return None
    return item.text.replace(answer, random.choice(("", *_IN_WORDS))) if item.text != answer else None


FAMILY = Family(
    name="leak_no_answer",
    expects="incorrect",
    rule="where the answer stood, there is none",
    make=make,
)

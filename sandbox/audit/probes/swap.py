"""The right answer to another task."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material, has_tolerance, lacks_answer

_FAR = (11, 10)
"""Two numbers of one size are only swapped where one is a tenth larger: an undeclared tolerance is no defect."""
_SCALES = (10, 100, 1000)
_GOLDS = 3
"""Tasks that one response is put to."""


def make(material: Material, random: Random) -> Iterator[Draft]:
    """A response that is right for its own task, put to others whose answers are certainly different values."""
    tasks = [
        (task, answers.read(task.get("answer"))) for task in material.tasks_for_wrong_text() if not has_tolerance(task)
    ]
    for item in material.stated:
        if item.text is None or item.files is not None or len(item.messages or ()) > _GOLDS:
            continue
        others = [task for task, answer in tasks if _is_apart(item.answer, answer)]
        for task in random.sample(others, min(_GOLDS, len(others))):
            if lacks_answer(task, item.text):
                yield material.say(task, item.text, note=f"right for task {item.task.get('id')}")


def _is_apart(one: answers.ReferenceAnswer | None, other: answers.ReferenceAnswer | None) -> bool:
    if one is None or other is None or one.kind != other.kind:
        return False
    if one.value is None or other.value is None:
        return one.text.casefold() != other.text.casefold()
    small, large = abs(one.value), abs(other.value)
    if large < small:
        small, large = large, small
    if small == 0:
        return large >= 1
    # Over one denominator: this is asked of each pair of tasks, and integers take a third of the fractions' time.
    less, more = small.numerator * large.denominator, large.numerator * small.denominator
    return more * _FAR[1] > less * _FAR[0] and more not in (less * scale for scale in _SCALES)


FAMILY = Family(
    name="swap",
    expects="incorrect",
    rule="the right answer to another task is wrong where the two answers are different values",
    make=make,
)

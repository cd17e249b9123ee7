"""A mistake that a labelled case shows, made on the package's own tasks."""

from collections.abc import Iterator
from fractions import Fraction
from math import floor
from random import Random
from typing import Any, NamedTuple

from sandbox.audit.probes import answers
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material, has_tolerance, lacks_answer

_TASKS_TRIED = 3
_BEYOND_TOLERANCE = Fraction(1, 10)
_TWICE, _SIMPLE = Fraction(19, 10), 12


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Wrong answers, with their mistake made on the package's own tasks: as far off, or as many times too large.

    Suites bring tasks of their own. A verifier that is careful with those, and lenient with the tasks of its package,
    would be graded by what no trainer uses it for.
    """
    tasks = [(task, value) for task in material.own_tasks if (value := _whole(task)) is not None]
    if not (material.answer_decides and tasks) or material.is_conversation:
        return
    for item in material.wrong:
        mistake = _mistake_of(item)
        if mistake is None:
            continue
        for task, value in random.sample(tasks, min(_TASKS_TRIED, len(tasks))):
            wrong = _made_again(mistake, value)
            draft = _draft(task, item.response or "", mistake.spot, wrong) if wrong is not None else None
            if draft is not None:
                yield draft
                break


class _Mistake(NamedTuple):
    """A response's only number, what it says, and what its task's answer is."""

    spot: answers.TextSpan
    said: Fraction
    right: Fraction


def _made_again(mistake: _Mistake, value: Fraction) -> int | None:
    """The number that is wrong of ``value`` as the mistake was of its own task's answer; None where there is none.

    As many times too large where it was twice as large at least, half at most, or of the other sign; else as far off.
    Beside its answer it is no smaller than the labelled one, or a tenth at least: what lies within an undeclared
    tolerance is no defect.
    """
    off, right = mistake.said - mistake.right, mistake.right
    times = (mistake.said / right).limit_denominator(_SIMPLE) if right else Fraction(1)
    made = floor(value * times) if times >= _TWICE or times <= 1 / _TWICE else int(value + off)
    least = min(abs(off) / max(abs(right), Fraction(1)), _BEYOND_TOLERANCE)
    return made if made != value and abs(made - value) / max(abs(value), Fraction(1)) >= least else None


def _draft(task: dict[str, Any], response: str, spot: answers.TextSpan, wrong: int) -> Draft | None:
    text = f"{response[: spot.start]}{wrong}{response[spot.end :]}"
    return Draft(task, text, note=f"{task.get('answer')} -> {wrong}") if lacks_answer(task, text) else None


def _mistake_of(item: Example) -> _Mistake | None:
    """None where the response has not one whole number, or where it is no mistake."""
    right, spots = _whole(item.task), answers.spans_of_numbers(item.response or "")
    said = answers.parse_number(spots[0].text) if len(spots) == 1 else None
    if right is None or said is None or said.denominator != 1 or said == right:
        return None
    return _Mistake(spots[0], said, right)


def _whole(task: dict[str, Any]) -> Fraction | None:
    """The task's answer, if it is a whole number and nothing near it is right too."""
    answer = answers.read(task.get("answer"))
    if answer is None or answer.value is None or answer.value.denominator != 1 or has_tolerance(task):
        return None
    return answer.value


FAMILY = Family(
    name="leak_same_mistake",
    expects="incorrect",
    rule="a number as far from the answer as one that is labelled wrong on another task is another number",
    make=make,
    most=60,
)

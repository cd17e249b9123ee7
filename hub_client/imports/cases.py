"""Makes labelled cases for an imported environment from its tasks and their answers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_TASKS = 24
_ELSEWHERE = 8
"""An empty answer and a refusal become cases for at most this many tasks, since more would show nothing new."""
_CHOICES = 8
"""With at most this many different answers over all tasks, the answers count as a closed list of choices."""
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_UNSURE = "not sure"
MADE = "made at the import"
"""The ``source`` of a case that no person wrote."""
_SAME_FOR_ALL = {"empty", "unsure", "silent"}


def labelled_cases(
    tasks: Sequence[Mapping[str, Any]], response: str, *, one_right_answer: bool = False
) -> list[dict[str, Any]]:
    """Labelled cases. A task's own answer is right; another task's answer, an empty one and "not sure" are wrong.

    ``response`` contains ``{answer}``. Another task's answer becomes a case only if it is certainly wrong: both are
    numbers and differ, or all answers come from a short list, or the source says that there is one right answer
    (``one_right_answer``) and the texts differ.
    """
    answers = [_text(task.get("answer")) for task in tasks]
    choices = {_plain(answer) for answer in answers if answer is not None}
    sure = one_right_answer or len(choices) <= _CHOICES
    cases: list[dict[str, Any]] = []
    for index, (task, answer) in enumerate(zip(tasks[:_TASKS], answers, strict=False)):
        for form, text, label in _forms(index, answer, answers, sure=sure):
            filled = response.replace("{answer}", text) if form != "silent" else text
            cases.append(case_of(task, form, label, is_same_for_all=form in _SAME_FOR_ALL, response=filled))
    return cases


def case_of(
    task: Mapping[str, Any], form: str, label: str, *, is_same_for_all: bool = False, **judged: Any
) -> dict[str, Any]:
    """A row of ``audit.jsonl``: ``judged`` (a response or a state) beside a task. ``is_same_for_all``: what is the same
    for many tasks counts as one case.
    """
    return {
        "id": f"{task['id']}-{form}",
        "task_id": task["id"],
        **judged,
        "label": label,
        "tags": [form],
        **({"cluster": form} if is_same_for_all else {}),
        "source": MADE,
    }


def played_cases(tasks: Sequence[Mapping[str, Any]], *, one_right_answer: bool = True) -> list[dict[str, Any]]:
    """Labelled cases for sessions. A task's own moves are right; no moves, and a message that is no move, are wrong.

    If one move wins a task, such as the guess of a secret, another task's different winning move is wrong too, unless
    several moves may win (not ``one_right_answer``), as against another player.
    """
    own = [task.get("answer") for task in tasks]
    cases: list[dict[str, Any]] = []
    for index, (task, moves) in enumerate(zip(tasks[:_TASKS], own, strict=False)):
        forms: list[tuple[str, list[str], str]] = []
        if moves:
            forms.append(("own-moves", list(moves), "correct"))
            others = [other for other in own if other and len(other) == len(moves) == 1 and other != moves]
            forms += [("other-tasks-moves", list(other), "incorrect") for other in others[:1] if one_right_answer]
        if index < _ELSEWHERE:
            forms += [("no-move", [], "incorrect"), ("silent", ["I do not know."], "incorrect")]
        cases += [
            case_of(task, form, label, is_same_for_all=form in {"no-move", "silent"}, state={"moves": played})
            for form, played, label in forms
        ]
    return cases


def _forms(
    index: int, answer: str | None, answers: Sequence[str | None], *, sure: bool
) -> Iterator[tuple[str, str, str]]:
    """(form, text of the answer, label) for one task."""
    if answer is not None:
        yield "own-answer", answer, "correct"
        others = [*answers[index + 1 :], *answers[:index]]
        other = next(
            (text for text in others if text is not None and _certainly_differs(text, answer, sure=sure)), None
        )
        if other is not None:
            yield "other-tasks-answer", other, "incorrect"
    if index < _ELSEWHERE and (answer is None or _plain(answer) not in ("", _UNSURE, "none", "no")):
        if answer is not None:
            yield "empty", "", "incorrect"
        yield "unsure", _UNSURE, "incorrect"
        yield "silent", "I do not know.", "incorrect"


def _certainly_differs(text: str, answer: str, *, sure: bool) -> bool:
    numbers = [_NUMBER.fullmatch(part.strip()) for part in (text, answer)]
    if all(numbers):
        return abs(float(text) - float(answer)) > max(1.0, abs(float(answer)) * 0.05)
    return sure and not any(numbers) and _plain(text) != _plain(answer)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()


def _text(answer: Any) -> str | None:
    """The answer as a model would write it; None if there is none, or if it is neither text nor a number."""
    return str(answer) if isinstance(answer, str | int | float) and str(answer).strip() else None

"""What probes are made from: the release's tasks, and responses that are labelled right."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sandbox.audit.probes import answers, programs
from sandbox.audit.probes.answers import Answer
from schemas.manifest import RewardDeclaration as Reward
from schemas.manifest import RewardRole

_NOTHING = re.compile(
    r"\b(?:no|none|not|never|nothing|empty|impossible|cannot|dne|undefined|null|nan)\b|∅|set", re.IGNORECASE
)

_ENOUGH = 0.8
"""Share of right responses that must show their task's answer before we say that the answer decides."""
_ENOUGH_COMPARABLE = 0.4
_FEWEST = 3


@dataclass(frozen=True)
class Example:
    """A response (or files, or messages) that is labelled correct. ``is_accepted``: this verifier thought so too."""

    task: dict[str, Any]
    response: str | None = None
    files: dict[str, str] | None = None
    messages: list[dict[str, Any]] | None = None
    is_accepted: bool = True

    @cached_property
    def answer(self) -> Answer | None:
        """The task's reference answer, where it is a number, a choice or a truth value."""
        return answers.read(self.task.get("answer"))

    @cached_property
    def place(self) -> answers.Place | None:
        """Where the response states that answer as its last word; None where that is not certain."""
        if self.response is None or self.answer is None:
            return None
        return answers.find(self.response, self.answer)

    def shows_answer(self) -> bool:
        """Whether the response contains the reference answer at all, as a value or as text."""
        if self.response is None or self.task.get("answer") is None:
            return False
        if self.answer is not None:
            return bool(answers.occurrences(self.response, self.answer))
        return str(self.task["answer"]).casefold() in self.response.casefold()


@dataclass(frozen=True)
class Material:
    """Everything a family may look at. Families draw from it with their own seeded generator.

    What must be rejected is made from every example, as its label does not depend on the verifier. What must be
    accepted is made from accepted ones only, so that a failure speaks of the rewriting and of nothing else.
    """

    declared: dict[str, Reward]
    tasks: tuple[dict[str, Any], ...]
    examples: tuple[Example, ...]
    labels: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    """(task id, response) -> must it be accepted, as a label says: a probe must not contradict a person."""

    @cached_property
    def accepted(self) -> tuple[Example, ...]:
        """The examples that this verifier accepted."""
        return tuple(item for item in self.examples if item.is_accepted)

    @cached_property
    def answer_decides(self) -> bool:
        """Whether being right means giving the task's answer, as far as labelled cases show.

        Then a text that does not contain the answer is certainly wrong. Where tasks have no answer (instructions to
        follow, open writing), nothing like that is certain. Comparable answers (numbers, choices) need less evidence: a
        suite that stresses unusual notations shows the plain value only now and then, and no other reading explains it.
        """
        texts = [item for item in self.examples if item.response is not None]
        comparable = [item for item in texts if item.answer is not None]
        plain = sum(item.shows_answer() for item in comparable)
        if plain >= _FEWEST and plain >= _ENOUGH_COMPARABLE * len(comparable):
            return True
        return bool(texts) and sum(item.shows_answer() for item in texts) >= _ENOUGH * len(texts)

    @cached_property
    def judges_only_the_answer(self) -> bool:
        """Whether form cannot matter: one reward decides, and it is about the answer."""
        deciding = [reward for reward in self.declared.values() if reward.role is not RewardRole.METRIC]
        return len(deciding) == 1 and self.answer_decides

    @cached_property
    def allows_other_notation(self) -> bool:
        """Whether a labelled case shows the right value in another notation than the reference answer's."""
        return any(
            item.answer is not None
            and item.response is not None
            and any(found.text != item.answer.text for found in answers.occurrences(item.response, item.answer))
            for item in self.examples
        )

    @cached_property
    def stated(self) -> tuple[Example, ...]:
        """Examples that end in their task's answer, so that changing it changes what they claim."""
        return tuple(item for item in self.examples if item.place is not None) if self.answer_decides else ()

    @property
    def stated_and_accepted(self) -> tuple[Example, ...]:
        """Those of them that this verifier accepted."""
        return tuple(item for item in self.stated if item.is_accepted)

    @cached_property
    def programs(self) -> tuple[tuple[Example, programs.Program], ...]:
        """Examples that are Python programs which define a function."""
        pairs = ((item, programs.read(item.response)) for item in self.examples if item.response is not None)
        return tuple((item, program) for item, program in pairs if program is not None)

    @cached_property
    def wants_code(self) -> bool:
        """Whether right responses are programs: whole ones often enough, where others may be parts of one."""
        texts = [item for item in self.examples if item.response is not None]
        return bool(texts) and len(self.programs) >= _ENOUGH_COMPARABLE * len(texts)

    def numbered(self) -> Iterator[tuple[Example, answers.Place, Answer]]:
        """Stated answers that are numbers, of tasks that allow no tolerance."""
        for item in self.stated:
            if _has_tolerance(item.task):
                continue
            if item.place is not None and item.answer is not None and item.answer.value is not None:
                yield item, item.place, item.answer

    def tasks_for_wrong_text(self) -> Iterable[dict[str, Any]]:
        """Tasks for which a text that says nothing is wrong: they have an answer that is something, or want code."""
        if self.answer_decides:
            return [task for task in self.tasks if _is_something(task.get("answer"))]
        return self.tasks if self.wants_code else []


def lacks_answer(task: dict[str, Any], text: str) -> bool:
    """Whether ``text`` cannot be read as the task's answer, by value or by letters."""
    answer = task.get("answer")
    comparable = answers.read(answer)
    if comparable is not None:
        return not answers.occurrences(text, comparable)
    return answer is None or str(answer).casefold() not in text.casefold()


def _has_tolerance(task: dict[str, Any]) -> bool:
    info = task.get("info")
    return isinstance(info, dict) and any("tol" in name.casefold() for name in info)


def _is_something(answer: Any) -> bool:
    """Whether the answer cannot be said by saying nothing, as "no solution" and the empty set can."""
    if answer is None or answer in ("", [], {}):
        return False
    return answers.read(answer) is not None or not _NOTHING.search(str(answer))

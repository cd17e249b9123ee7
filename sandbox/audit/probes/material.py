"""The material for probes: the release's tasks, and responses that are labelled right."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sandbox.audit.probes import answers, expressions, programs, scripts
from sandbox.audit.probes.answers import ReferenceAnswer
from sandbox.audit.probes.draft import Draft
from sandbox.audit.probes.expression_text import find
from schemas.manifest import RewardDeclaration as Reward
from schemas.manifest import RewardRole

_NOTHING = re.compile(
    r"\b(?:no|none|not|never|nothing|empty|impossible|cannot|dne|undefined|null|nan)\b|∅|set", re.IGNORECASE
)

_LETTERS, _STEM = re.compile(r"[^\W\d_]+"), 4
_ENOUGH = 0.8
"""Share of right responses that must contain their task's answer before the answer is assumed to decide."""
_ENOUGH_COMPARABLE = 0.4
_FEWEST = 3


@dataclass(frozen=True)
class Example:
    """What a labelled case shows: response, files, messages or state. ``is_accepted``: this verifier accepted it."""

    task: dict[str, Any]
    response: str | None = None
    files: dict[str, str] | None = None
    messages: list[dict[str, Any]] | None = None
    is_accepted: bool = True
    state: dict[str, Any] | None = None
    is_others: bool = False
    """Neither its label nor its task was chosen by the author."""

    @property
    def text(self) -> str | None:
        """What the model said last: the response, or the assistant's last message; None where it is no text."""
        if self.response is not None:
            return self.response
        last = _last_said(self.messages or [])
        content = None if last is None else (self.messages or [])[last].get("content")
        return content if isinstance(content, str) else None

    def saying(self, text: str, note: str = "", way: str = "") -> Draft:
        """The same case with another final message."""
        if self.response is not None or self.messages is None:
            return Draft(self.task, text, self.files, self.messages, note, self.state, way, self.text)
        last = _last_said(self.messages)
        changed = [
            message | {"content": text} if index == last else message for index, message in enumerate(self.messages)
        ]
        return Draft(self.task, None, self.files, changed, note, self.state, way, self.text)

    @cached_property
    def answer(self) -> ReferenceAnswer | None:
        """The task's reference answer, where it is a number, a choice or a truth value."""
        return answers.read(self.task.get("answer"))

    @cached_property
    def expression(self) -> expressions.Expression | None:
        """The task's reference answer, where it is a number or an expression."""
        answer = self.task.get("answer")
        return expressions.read(answer) if isinstance(answer, str) else None

    @cached_property
    def place(self) -> answers.StatedAnswer | None:
        """Where the response states that answer last. None when that is not certain."""
        if self.text is None or self.answer is None:
            return None
        return answers.find(self.text, self.answer)

    def shows_answer(self) -> bool:
        """Whether the response contains the reference answer at all, as a value or as text."""
        if self.text is None or self.task.get("answer") is None:
            return False
        if self.answer is not None and answers.occurrences(self.text, self.answer):
            return True
        if self.expression is not None and (stated := find(self.text)) is not None:
            return expressions.same(self.expression, stated.expression)
        return self.answer is None and str(self.task["answer"]).casefold() in self.text.casefold()


@dataclass(frozen=True)
class Material:
    """Everything that a family may use. Each family draws from it with its own seeded generator.

    Cases that must be rejected are made from every example, because their label does not depend on the verifier. Cases
    that must be accepted are made only from examples that the verifier accepted, so that a failure is caused by the
    rewrite alone.
    """

    declared: dict[str, Reward]
    tasks: tuple[dict[str, Any], ...]
    examples: tuple[Example, ...]
    labels: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    """(task id, final message) -> whether it must be accepted, by a label. A probe must not contradict a label."""
    unsure: frozenset[tuple[str, str]] = frozenset()
    """Of these labels, those that are disputed or that nobody has confirmed: none of them switches off a family."""
    wrong: tuple[Example, ...] = ()
    """Examples that are labelled incorrect. A claim that is added does not make them right."""

    forms: tuple[str, ...] = ()
    """What the package's adapters put around the answers of suites, with ``{response}`` in its place."""

    own_words: tuple[str, ...] = ()
    """What the verifier's own code looks for (``own_words.words_of``)."""

    states: tuple[Example, ...] = ()
    """Examples that are labelled correct and have a state. Which other states would be wrong is not known."""

    @cached_property
    def is_conversation(self) -> bool:
        """Whether the package judges messages and never a plain response."""
        texts = [item for item in self.examples if item.text is not None]
        return bool(texts) and all(item.response is None for item in texts)

    def say(self, task: dict[str, Any], text: str, note: str = "") -> Draft:
        """``text`` as the whole answer to a task, in the shape that this package judges."""
        if not self.is_conversation:
            return Draft(task, text, note=note)
        return Draft(task, messages=[*asked(task), {"role": "assistant", "content": text}], note=note)

    @cached_property
    def own_tasks(self) -> tuple[dict[str, Any], ...]:
        """The tasks that no suite or other account brought."""
        others = {str(item.task.get("id")) for item in (*self.examples, *self.wrong) if item.is_others}
        return tuple(task for task in self.tasks if str(task.get("id")) not in others)

    @cached_property
    def accepted(self) -> tuple[Example, ...]:
        """The examples that this verifier accepted."""
        return tuple(item for item in self.examples if item.is_accepted)

    @cached_property
    def answer_decides(self) -> bool:
        """Whether being right means giving the task's answer, as far as the labelled cases show.

        If so, a text without the answer is certainly wrong. When tasks have no answer (instructions to follow, open
        writing), that is not certain. Comparable answers (numbers, choices, expressions) need less evidence: a suite
        that stresses unusual notations shows the plain value only rarely.
        """
        texts = [item for item in self.examples if item.text is not None]
        comparable = [item for item in texts if item.answer is not None or item.expression is not None]
        plain = sum(item.shows_answer() for item in comparable)
        if plain >= _FEWEST and plain >= _ENOUGH_COMPARABLE * len(comparable):
            return True
        return bool(texts) and sum(item.shows_answer() for item in texts) >= _ENOUGH * len(texts)

    @cached_property
    def judges_only_the_answer(self) -> bool:
        """Whether the form of a response cannot matter: one reward decides, and it is about the answer."""
        deciding = [reward for reward in self.declared.values() if reward.role is not RewardRole.METRIC]
        return len(deciding) == 1 and self.answer_decides

    @cached_property
    def shown_notations(self) -> frozenset[frozenset[str]]:
        """Pairs of notations in which labelled cases write one value: the reference's, and that of the final answer.

        That thousands may be grouped does not show that a quotient may stand for a decimal, and neither does a quotient
        in the working.
        """
        return frozenset(
            frozenset((answers.notation(item.answer.text), answers.notation(item.place.spots[-1].text)))
            for item in self.examples
            if item.answer is not None and item.answer.value is not None and item.place is not None
            if item.place.spots[-1].text != item.answer.text
        )

    @cached_property
    def stated(self) -> tuple[Example, ...]:
        """Examples that end in their task's answer, so that replacing it changes what they claim."""
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
    def scripts(self) -> tuple[tuple[Example, scripts.Script, tuple[scripts.Test, ...]], ...]:
        """Examples that are Python scripts which read standard input, of tasks whose tests are known."""
        found = []
        for item in self.examples:
            tests = scripts.tests_of(item.task) if item.response is not None else ()
            script = scripts.read(item.response or "") if tests else None
            if script is not None:
                found.append((item, script, tests))
        return tuple(found)

    @cached_property
    def wants_code(self) -> bool:
        """Whether right responses are programs: whole programs in enough cases, even if some are only parts."""
        texts = [item for item in self.examples if item.response is not None]
        whole = {id(item) for item, *_ in (*self.programs, *self.scripts)}
        return bool(texts) and len(whole) >= _ENOUGH_COMPARABLE * len(texts)

    def numbered(self) -> Iterator[tuple[Example, answers.StatedAnswer, ReferenceAnswer]]:
        """Stated answers that are numbers, of tasks that allow no tolerance."""
        for item in self.stated:
            if has_tolerance(item.task):
                continue
            if item.place is not None and item.answer is not None and item.answer.value is not None:
                yield item, item.place, item.answer

    def tasks_for_wrong_text(self) -> Iterable[dict[str, Any]]:
        """Tasks for which a text that states nothing is wrong: they have a non-empty answer, or ask for code."""
        if self.answer_decides:
            return [task for task in self.tasks if _is_something(task.get("answer"))]
        return self.tasks if self.wants_code else []


def asked(task: dict[str, Any]) -> list[dict[str, Any]]:
    """The prompt as messages."""
    prompt = task.get("prompt", "")
    return list(prompt) if isinstance(prompt, list) else [{"role": "user", "content": str(prompt)}]


def _last_said(messages: list[dict[str, Any]]) -> int | None:
    """Index of the assistant's last message, if only tool results follow it."""
    said = [index for index, message in enumerate(messages) if message.get("role") == "assistant"]
    return said[-1] if said else None


def lacks_answer(task: dict[str, Any], text: str) -> bool:
    """Whether ``text`` cannot be read as the task's answer, by value or by letters."""
    answer = task.get("answer")
    comparable = answers.read(answer)
    if comparable is not None:
        return not answers.occurrences(text, comparable)
    return answer is None or str(answer).casefold() not in text.casefold()


def is_like_answer(task: dict[str, Any], text: str) -> bool:
    """Whether a word of ``text`` may be another form of a word of the answer: a plural, a tense, a word made of it."""
    answer = task.get("answer")
    if not isinstance(answer, str) or answers.read(answer) is not None:
        return False
    return bool(_stems(answer) & _stems(text))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _LETTERS.findall(text.casefold()) if len(word) >= _STEM}


def has_tolerance(task: dict[str, Any]) -> bool:
    """Whether the task says that other values near its answer are right too."""
    info = task.get("info")
    return isinstance(info, dict) and any("tol" in name.casefold() for name in info)


def _is_something(answer: Any) -> bool:
    """Whether the answer takes words. "No solution" and the empty set may be meant by a response that says nothing."""
    if answer is None or answer in ("", [], {}):
        return False
    return answers.read(answer) is not None or not _NOTHING.search(str(answer))

"""The options of a question: the same ones written otherwise, or options for a question that had none."""

import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from sandbox.audit.probes.answers import numbers_in, parse_number, read

_LINE = re.compile(r"(?m)^([A-J])[.)] ?(\S.*)$")
_LETTER = re.compile(r"(?<![A-Za-z])[A-Ja-j](?![A-Za-z'])")
_MARKS = {"in brackets": "({}) {}", "with points": "{}. {}", "with colons": "{}: {}", "in bold": "**{}.** {}"}
_FEWEST = 2
_MORE = (
    "none that is listed here",
    "whatever was said last",
    "a thing of another kind",
    "it was never settled",
    "both of them",
)
"""Options that are put behind the others. A wrong one stays wrong, whichever is right then."""
_ADDED = 4
_LETTERS = "ABCDEFGHIJ"
_LAST_PLACE = len(_LETTERS)
"""Numbers beyond it are no place among options."""


def letters_of(task: Mapping[str, Any]) -> list[str]:
    """The letters of the options that the prompt lists, a line each; empty where it lists none."""
    prompt = task.get("prompt")
    return [letter for letter, _ in _LINE.findall(prompt)] if isinstance(prompt, str) else []


def rewritten(task: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Way -> the members that change. Where the prompt lists options: each keeps its letter and its words."""
    prompt = task.get("prompt")
    listed = _LINE.findall(prompt) if isinstance(prompt, str) else []
    if len(listed) < _FEWEST or [letter for letter, _ in listed] != list(_LETTERS[: len(listed)]):
        return
    for way, mark in _MARKS.items():
        changed = "\n".join(
            mark.format(*found.groups()) if (found := _LINE.fullmatch(line)) else line
            for line in str(prompt).split("\n")
        )
        if changed != prompt:
            yield f"options {way}", {"prompt": changed}
    lines = str(prompt).split("\n")
    places = [number for number, line in enumerate(lines) if _LINE.fullmatch(line)]
    if places == list(range(places[0], places[-1] + 1)):
        told = "   ".join(f"({letter}) {words}" for letter, words in listed)
        yield "options in a line", {"prompt": "\n".join([*lines[: places[0]], told, *lines[places[-1] + 1 :]])}
        more = [f"{letter}) {words}" for letter, words in zip(_LETTERS[len(listed) :], _MORE, strict=False)]
        if more:
            yield "more options", {"prompt": "\n".join([*lines[: places[-1] + 1], *more, *lines[places[-1] + 1 :]])}
    info = task.get("info") or {}
    if isinstance(info, dict) and not {"choices", "options"} & set(info):
        yield from _beside(info, [words for _, words in listed])


def added(task: Mapping[str, Any], response: str, random: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Way -> the members that change, where the reference is a number and the response states another one.

    Only where no letter of the response could be meant for an option, and no number for the place of one.
    """
    prompt, answer, info = task.get("prompt"), read(task.get("answer")), task.get("info") or {}
    said = numbers_in(response)
    if not isinstance(prompt, str) or _LINE.search(prompt) or _LETTER.search(response) or not said:
        return
    if answer is None or not isinstance(info, dict) or {"choices", "options"} & set(info):
        return
    values = [answer.value, *map(parse_number, said)]
    if any(value is None or abs(value) <= _LAST_PLACE for value in values):
        return
    options = _options(answer.text, said[-1], random)
    lettered = list(zip(_LETTERS, options, strict=False))
    lines = [f"{letter}) {text}" for letter, text in lettered]
    yield "options added", {"prompt": "\n".join([prompt, *lines])}
    told = ", ".join(f"({letter}) {text}" for letter, text in lettered)
    yield "options added in a line", {"prompt": f"{prompt}\n\nOptions: {told}"}
    yield from _beside(info, options)


def _beside(info: Mapping[str, Any], options: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """As members of ``info``, by the names that data sets have for them."""
    yield "choices beside it", {"info": {**info, "choices": list(options)}}
    yield "options beside it", {"info": {**info, "options": dict(zip(_LETTERS, options, strict=False))}}


def _options(right: str, wrong: str, random: Random) -> list[str]:
    """The right answer, what the response says, and others, in any order."""
    found = list(dict.fromkeys([right, wrong, *(str(random.randrange(100, 10_000)) for _ in range(2 * _ADDED))]))[
        :_ADDED
    ]
    return random.sample(found, len(found))

"""Tasks, answers and JSON as text for people.

What these functions show was written by strangers. None of them raises, whatever JSON it is given: one unusable row
must never break the page that lists it.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from schemas import texts
from schemas.evidence.cases import AuditCase
from schemas.task import Task
from schemas.texts import json_text, message_text, value_text


def prompt_text(task: object) -> str:
    """What a task asks, for people: without the system's message, which the tasks of an environment share."""
    return texts.prompt_text(task, without={"system"})


def answer_text(case: AuditCase) -> str:
    """What the model did in a case, as one text."""
    if case.response is not None:
        return case.response
    if case.messages:
        return message_text(case.messages[-1])
    if case.files:
        return "\n".join(f"{path}: {text}" for path, text in case.files.items())
    return json_text(case.state)


def case_words(case: AuditCase, most: int = 90) -> str:
    """A case on one line, as a link to it: what was asked and what was answered, each cut at ``most`` characters."""
    asked = prompt_text(case.task) if case.task else ""
    return f"{_cut(asked or f'task {case.task_id}', most)} → {_cut(answer_text(case), most)}"


def _cut(text: str, most: int) -> str:
    words = " ".join(text.split()) or "(empty)"
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def expected_text(task: object) -> str:
    """The answer that a task itself holds, as one text; empty where it holds none."""
    answer = task.answer if isinstance(task, Task) else task.get("answer") if isinstance(task, Mapping) else None
    return value_text(answer)


def host_of(url: str) -> str:
    """The host that a link leads to; empty where it names none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def setting_text(value: Any) -> str:
    """One setting of a run on one line: text as it is, anything else as JSON."""
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, TypeError, ValueError):
        return json_text(value)


_BREAKS = str.maketrans({"\n": "↵ ", "\r": "␍", "\t": "⇥ "})


def with_breaks(text: str) -> str:
    """A response on one line, with marks for what a page swallows: line ends, tabs, spaces at its ends.

    Otherwise ``5``, a line end and ``4`` reads as ``5 4``, and a right answer among white space as a right answer.
    """
    inside = text.strip(" ")
    before = len(text) - len(text.lstrip(" "))
    after = len(text) - len(inside) - before
    return f"{'␣' * before}{inside.translate(_BREAKS)}{'␣' * after}"


def both_ends(text: str, head: int = 110, tail: int = 130) -> str:
    """A long text by its beginning and its end, where an answer usually stands."""
    if len(text) <= head + tail + 3:
        return text
    return f"{text[:head].rstrip()} … {text[-tail:].lstrip()}"


_BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
"""The first that is there: each names those after it too."""
_SYSTEMS = (("Android", "Android"), ("iPhone", "an iPhone"), ("iPad", "an iPad"), ("Windows", "Windows"),
            ("Mac OS X", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"))  # fmt: skip


def browser_name(user_agent: str) -> str:
    """What a browser calls itself, as its owner would: "Firefox on Linux"; the whole text where it names neither."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    return " on ".join(filter(None, (browser, system))) or user_agent or "an unknown browser"

"""The words of a lettered option."""

import re
from collections.abc import Mapping
from typing import Any

from sandbox.audit.probes.material import Example

_LISTED = re.compile(r"(?m)^\W?([A-J])[.):] *(\S.*)$")


_NEGATED = re.compile(r"\b(?:not|never|none|cannot|neither)\b|n't\b", re.IGNORECASE)


def option_text(task: Mapping[str, Any], letter: str) -> str | None:
    """The words of an option: of ``info.choices``, else of the prompt's line that begins with its letter."""
    info = task.get("info")
    choices = info.get("choices") if isinstance(info, dict) else None
    place = ord(letter) - ord("A")
    if isinstance(choices, list) and place < len(choices) and isinstance(choices[place], str):
        return str(choices[place])
    prompt = task.get("prompt")
    return dict(_LISTED.findall(prompt)).get(letter) if isinstance(prompt, str) else None


def is_said_in_words(item: Example) -> bool:
    """Whether the response to a lettered question may name the right option by its words."""
    if item.answer is None or item.answer.kind != "choice" or item.place is None:
        return False
    words = option_text(item.task, item.answer.text)
    if words is None:
        return any(letter.isalpha() for letter in item.place.after)
    return words.strip().casefold() in item.place.response.casefold()


def is_said_otherwise_too(item: Example) -> bool:
    """Whether the response says its choice or truth value in other words too, so that another one contradicts them.

    "No, it does not" with yes for no may be read as either.
    """
    if item.place is None or item.answer is None or item.answer.kind != "truth":
        return is_said_in_words(item)
    is_explained = any(letter.isalpha() for letter in item.place.after)
    return is_explained or bool(_NEGATED.search(item.place.before))

"""Tasks and messages as plain text.

These functions read what strangers wrote. None of them raises, whatever JSON it gets: one odd row must not break the
page, log or comparison that reads it.
"""

import json
from collections.abc import Collection, Mapping

from schemas.task import Task

MOST_CHARACTERS = 20_000  # chosen, not measured: a page shows several


def prompt_text(task: object, *, without: Collection[str] = ()) -> str:
    """What a task asks, as one text: the plain prompt, or the contents of its messages with an empty line between them.

    ``without`` names roles to leave out. When nothing would remain, nothing is left out. Records of what a model read
    keep every role. Pages and comparisons between tasks leave out ``system``, because an environment's tasks share it.
    """
    prompt = task.prompt if isinstance(task, Task) else task.get("prompt") if isinstance(task, Mapping) else task
    if not isinstance(prompt, list):
        return value_text(prompt)
    messages = [part.model_dump() if hasattr(part, "model_dump") else part for part in prompt]
    kept = [one for one in messages if not (isinstance(one, Mapping) and one.get("role") in list(without))] or messages
    return "\n\n".join(message_text(message) for message in kept)


def message_text(message: object) -> str:
    """The content of one message: its text, or its parts; a part that is no text is named, as ``[image_url]``."""
    content = message.get("content") if isinstance(message, Mapping) else message
    if isinstance(content, list):
        return " ".join(_part_text(part) for part in content)
    return value_text(content)


def json_text(value: object) -> str:
    """JSON for people: indented, not escaped, cut at 20,000 characters."""
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    except (RecursionError, TypeError, ValueError):
        return "(nested too deeply to be shown)"
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "\n…"


def _part_text(part: object) -> str:
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    if isinstance(part, Mapping) and isinstance(part.get("type"), str):
        return f"[{part['type']}]"
    return value_text(part)


def value_text(value: object) -> str:
    """Text as it is, nothing for None, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)

"""Tool calls as text blocks ``<tool_call>{JSON}</tool_call>``, for frameworks that pass on only text."""

import json
import re
from typing import Any

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_HOW = (
    "You may call functions. Write each call as one block of JSON: "
    '<tool_call>{"name": "…", "arguments": {…}}</tool_call>\n\nThe functions:\n'
)


def told_of(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A list with a system message that has the schemas, or an empty list without tools."""
    shown = "\n".join(json.dumps(tool.get("function", tool), ensure_ascii=False) for tool in tools)
    return [{"role": "system", "content": _HOW + shown}] if tools else []


def called_in(text: str) -> dict[str, Any]:
    """The model's message: with ``tool_calls`` if every block is a valid call, otherwise with the text unchanged."""
    calls = [_read(block) for block in _CALL.findall(text)]
    if not calls or None in calls:
        return {"role": "assistant", "content": text}
    numbered = [{"id": str(number), "type": "function", "function": function} for number, function in enumerate(calls)]
    return {"role": "assistant", "content": _CALL.sub("", text).strip(), "tool_calls": numbered}


def _read(block: str) -> dict[str, str] | None:
    try:
        found = json.loads(block)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        return None
    return {"name": found["name"], "arguments": json.dumps(found.get("arguments") or {})}

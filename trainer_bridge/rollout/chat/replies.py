"""What a model wrote, as a message: text, and calls of tools in the forms that models write them."""

import json
import re
from typing import Any

_TAGGED = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)  # Qwen, Hermes, SmolLM3
_BARE = re.compile(r"^\s*(?:<\|python_tag\|>)?\s*(\{.*\})\s*$", re.DOTALL)  # Llama 3


def as_message(text: str, *, has_tools: bool) -> dict[str, Any]:
    """The assistant's message. Calls are looked for only where tools were offered; otherwise text is only text."""
    calls = [call for found in _TAGGED.findall(text) if (call := _call(found)) is not None] if has_tools else []
    if calls:
        return _message(_TAGGED.sub("", text).strip(), calls)
    whole = _BARE.match(text) if has_tools else None
    call = _call(whole[1]) if whole else None
    return _message("", [call]) if call is not None else _message(text, [])


def _message(content: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content}
    numbered = [{"id": f"call-{number}", "type": "function", "function": call} for number, call in enumerate(calls)]
    return {**message, "tool_calls": numbered} if calls else message


def _call(text: str) -> dict[str, Any] | None:
    try:
        said = json.loads(text)
        arguments = said["arguments"] if "arguments" in said else said.get("parameters", {})
        return {"name": str(said["name"]), "arguments": json.dumps(arguments)}
    except (ValueError, KeyError, TypeError):
        return None

"""What a harness may say: its actions and its outcome, checked before anything is made of them.

A harness is a stranger's code. What it says must not end the run of whoever tries it, so a mistake in it is an error of
its own attempt.
"""

from typing import Any

from hub_client.errors import CheckFailedError
from hub_client.transport.chat_endpoint import stop_fault

_PARTS = {"complete": {"tools", "stop"}, "call": {"arguments"}, "act": set[str]()}
"""The actions, and what may stand beside each."""


def checked_action(action: Any) -> dict[str, Any]:
    """The action, if the host can execute it. ``stop`` is a tuple of strings in it, where there are any.

    Raises:
        CheckFailedError: it cannot, or a part of it would have no effect (a temperature that the harness sets, say).

    """
    kinds = [kind for kind in _PARTS if kind in action] if isinstance(action, dict) else []
    if len(kinds) != 1:
        raise CheckFailedError(f"a harness yields a dict with one of {', '.join(_PARTS)}, not {action!r:.200}")
    (kind,) = kinds
    unknown = sorted(action.keys() - {kind} - _PARTS[kind])
    if unknown:
        known = ", ".join(sorted(_PARTS[kind])) or "nothing"
        raise CheckFailedError(f"a harness says {unknown[0]!r} beside {kind!r}, where {known} may stand")
    if kind == "complete":
        return _checked_request(action)
    if kind == "act" and not isinstance(action["act"], dict):
        raise CheckFailedError(f"act is a message, not {action['act']!r:.100}")
    return dict(action)


def checked_outcome(outcome: Any) -> dict[str, Any]:
    """``{"messages": the conversation}``. Raises ``CheckFailedError`` for anything else."""
    if not isinstance(outcome, dict) or "messages" not in outcome:
        raise CheckFailedError(f'a harness returns {{"messages": [the whole conversation]}}, not {outcome!r:.100}')
    _check_messages(outcome["messages"], "messages")
    return outcome


def _checked_request(action: dict[str, Any]) -> dict[str, Any]:
    _check_messages(action["complete"], "complete")
    tools, said = action.get("tools") or [], action.get("stop") or ()
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise CheckFailedError(f"tools is a list of function schemas, not {tools!r:.100}")
    words = (said,) if isinstance(said, str) else said
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise CheckFailedError(f"stop is a list of strings that are not empty, not {said!r:.100}")
    if fault := stop_fault(words):
        raise CheckFailedError(f"stop: {fault}")
    return {"complete": action["complete"], "tools": tools, "stop": tuple(words)}


def _check_messages(messages: Any, name: str) -> None:
    if not isinstance(messages, list):
        raise CheckFailedError(f"{name} is a list of messages, not {messages!r:.100}")
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise CheckFailedError(f"{name}: a message is an object with a role, not {message!r:.100}")
        if not isinstance(message.get("content"), str | list | None):
            raise CheckFailedError(f"{name}: a message's content is text, not {message['content']!r:.100}")
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list) or not all(map(_is_tool_call, calls)):
            raise CheckFailedError(f"{name}: a tool call is an object with function.name, not {calls!r:.100}")


def _is_tool_call(said: Any) -> bool:
    function = said.get("function") if isinstance(said, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str)

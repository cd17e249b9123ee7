"""What a harness may say: its actions and its outcome, checked before anything is made of them.

A harness is a stranger's code. What it says must not end the run of whoever tries it, so a mistake in it is an error of
its own attempt.
"""

from typing import Any

from hub_client.errors import CheckFailedError
from hub_client.transport.chat_endpoint import stop_fault
from schemas.tool import is_tool_call

MAIN = "main"
"""The name of the session with which an attempt begins."""

_PARTS = {
    "complete": {"tools", "stop"},
    "call": {"arguments"},
    "act": {"in"},
    "branch": {"of"},
    "undo": set[str](),
    "all": set[str](),
}
"""The actions, and what may stand beside each."""
_TOGETHER = ("complete", "call", "act")
"""What may stand in ``all``. Branching and undoing beside a step would depend on which came first."""


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
    if kind == "all":
        return {"all": _checked_together(action["all"])}
    if kind == "act":
        if not isinstance(action["act"], dict):
            raise CheckFailedError(f"act is a message, not {action['act']!r:.100}")
        return {"act": action["act"], "in": _checked_name(action.get("in", MAIN), "in")}
    if kind == "branch":
        name, of = _checked_name(action["branch"], "branch"), _checked_name(action.get("of", MAIN), "of")
        if name == of:
            raise CheckFailedError(f"a branch of {of!r} needs another name")
        return {"branch": name, "of": of}
    if kind == "undo":
        return {"undo": _checked_name(action["undo"], "undo")}
    return dict(action)


def checked_outcome(outcome: Any) -> dict[str, Any]:
    """``{"messages": the conversation, "in": the session that is judged}``. Raises ``CheckFailedError`` for others."""
    if not isinstance(outcome, dict) or "messages" not in outcome:
        raise CheckFailedError(f'a harness returns {{"messages": [the whole conversation]}}, not {outcome!r:.100}')
    _check_messages(outcome["messages"], "messages")
    return {**outcome, "in": _checked_name(outcome.get("in", MAIN), "in")}


def _checked_together(actions: Any) -> list[dict[str, Any]]:
    """The actions of ``all``, which must not depend on which is done first."""
    if not isinstance(actions, list) or not actions:
        raise CheckFailedError(f"all is a list of actions, not {actions!r:.100}")
    for action in actions:
        if not isinstance(action, dict) or not any(kind in action for kind in _TOGETHER):
            raise CheckFailedError(f"in all stand actions with one of {', '.join(_TOGETHER)}, not {action!r:.100}")
    checked = [checked_action(action) for action in actions]
    played = [action["in"] for action in checked if "act" in action]
    if len(set(played)) < len(played):
        raise CheckFailedError("all has two steps of one session: take them one after the other")
    return checked


def _checked_name(name: Any, where: str) -> str:
    """A session's name."""
    if not isinstance(name, str) or not name:
        raise CheckFailedError(f"{where} is the name of a session ({MAIN!r}, or a branch's), not {name!r:.100}")
    return name


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
        if not isinstance(calls, list) or not all(map(is_tool_call, calls)):
            raise CheckFailedError(f"{name}: a tool call is an object with function.name, not {calls!r:.100}")

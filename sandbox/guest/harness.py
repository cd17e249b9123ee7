"""A harness as an episode: the author's generator yields actions, the host executes them, its return is the outcome."""

import inspect
from collections.abc import Generator
from typing import Any

from sandbox.guest.author_function import Bound

HARNESS_NAMES = ("task", "messages", "tools", "session_tools", "interactive", "seed")
_ACTIONS = ("complete", "call", "act")


class HarnessSession:
    """Looks like a session to the box: ``reset`` begins the generator, ``step`` hands it the host's answer."""

    def __init__(self, run: Bound) -> None:
        self._run = run
        self._actions: Generator[Any, Any, Any] | None = None

    def reset(self, task: dict[str, Any], seed: int) -> dict[str, Any]:
        """``task`` holds all of ``HARNESS_NAMES`` but the seed; returns the first action."""
        actions = self._run({**task, "seed": seed})
        if not inspect.isgenerator(actions):
            raise TypeError('a harness is a generator: it yields actions such as {"complete": messages}')
        self._actions = actions
        return self._advance(None)

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        """``message["answer"]`` is what the host has to say to the last action; returns the next, or the outcome."""
        return self._advance(message["answer"])

    def _advance(self, answer: Any) -> dict[str, Any]:
        assert self._actions is not None
        try:
            action = self._actions.send(answer)
        except StopIteration as end:
            return {"messages": [], "done": True, "outcome": _checked_outcome(end.value)}
        if not isinstance(action, dict) or sum(name in action for name in _ACTIONS) != 1:
            raise TypeError(f"a harness yields a dict with one of {', '.join(_ACTIONS)}, not {action!r:.200}")
        return {"messages": [], "done": False, "action": action}


def _checked_outcome(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        raise TypeError('a harness returns {"messages": [the whole conversation]}')
    return value

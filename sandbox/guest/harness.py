"""Runs a harness as an episode: its generator yields actions, the host executes them, and its return value is the
outcome.
"""

import inspect
from collections.abc import Generator
from typing import Any

from sandbox.guest.author_function import Bound

HARNESS_NAMES = ("task", "messages", "tools", "session_tools", "interactive", "seed")
_ACTIONS = ("complete", "call", "act", "branch", "undo", "all")


class HarnessSession:
    """Gives a harness the interface of a session: ``reset`` starts the generator, ``step`` sends it the host's
    answer.
    """

    def __init__(self, run: Bound) -> None:
        self._run = run
        self._actions: Generator[Any, Any, Any] | None = None

    def reset(self, task: dict[str, Any], seed: int) -> dict[str, Any]:
        """Start the harness and return its first action. ``task`` has every key of ``HARNESS_NAMES`` except the
        seed.
        """
        actions = self._run({**task, "seed": seed})
        if not inspect.isgenerator(actions):
            raise TypeError('a harness is a generator: it yields actions such as {"complete": messages}')
        self._actions = actions
        return self._advance(None)

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send ``message["answer"]``, the host's answer to the last action. Returns the next action, or the outcome."""
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

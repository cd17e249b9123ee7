"""The built-in harness: asks the model and takes the answer; in a session it continues until the episode is done.

A session's own tools are offered to the model, and the message that calls them goes to the session, which answers them.

It needs no package, so an evaluation works on a hub without any harness. ``run`` is the same function as in
``lecture/single-turn`` of the collection; a test compares the two. It runs in this process, because it is our own code.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from hub_client.evaluation.harness import HarnessEpisode

MAX_TURNS = 50  # chosen, not measured


class BuiltInLoop:
    """One completion. In a session, one completion for each turn, at most ``MAX_TURNS``."""

    name = "built-in"
    key = "built-in:1"
    package = None
    blocks = False

    @property
    def version(self) -> str:
        """The version of Verihub."""
        return version("verihub")

    @contextmanager
    def begin(self, given: dict[str, Any], seed: int) -> Iterator[HarnessEpisode]:
        """See :class:`~hub_client.evaluation.harness.Loop`."""
        del seed
        yield _GeneratorEpisode(run(given["messages"], given["session_tools"], interactive=given["interactive"]))


def run(
    messages: list[dict[str, Any]], session_tools: list[dict[str, Any]], interactive: bool
) -> Generator[dict[str, Any], Any, dict[str, Any]]:
    """Yields actions, returns the conversation. Without a session that is one completion."""
    conversation = list(messages)
    for _ in range(MAX_TURNS):
        reply = yield {"complete": conversation, "tools": session_tools}
        conversation.append(reply)
        if not interactive:
            break
        said = yield {"act": reply}
        conversation += said["messages"]
        if said["done"]:
            break
    return {"messages": conversation}


class _GeneratorEpisode:
    """A generator in this process, with the interface of one in a box."""

    def __init__(self, actions: Generator[dict[str, Any], Any, dict[str, Any]]) -> None:
        self._actions = actions

    def reset(self) -> dict[str, Any]:
        return self._advance(None)

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        return self._advance(message["answer"])

    def _advance(self, answer: Any) -> dict[str, Any]:
        try:
            return {"done": False, "action": self._actions.send(answer)}
        except StopIteration as end:
            return {"done": True, "outcome": end.value}

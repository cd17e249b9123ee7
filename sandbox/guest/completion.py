"""A verifier that asks a model: its generator yields model calls, the host answers them, and it returns the vector."""

import inspect
import json
from collections.abc import Generator
from typing import Any

from sandbox.guest import solution

MARK = b'{"complete":'
"""The first bytes of a model call. They tell it from a request for a solution, which takes the same way to the host."""


class UnansweredError(solution.SolutionFaultError):
    """The model did not answer. This is not raised inside the generator, which could take it for a wrong answer."""

    kind = "model"


def result_of(value: Any) -> Any:
    """What a verifier returned; if it is a generator, its model calls are made first.

    A model call is ``{"complete": name of a prompt, "values": {place: text}}``. The answer is the model's message:
    ``{"role": "assistant", "content": text}``.
    """
    return _asked(value) if inspect.isgenerator(value) else value


def _asked(calls: Generator[Any, Any, Any]) -> Any:
    answer = None
    while True:
        try:
            call = calls.send(answer)
        except StopIteration as end:
            return end.value
        if not isinstance(call, dict) or not isinstance(call.get("complete"), str):
            raise TypeError(f'a verifier yields {{"complete": NAME OF A PROMPT, "values": {{…}}}}, not {call!r:.200}')
        answer = _ask(call["complete"], call.get("values", {}))


def _ask(prompt: str, values: Any) -> dict[str, Any]:
    # "complete" must be the first key: the host recognises a model call by it.
    request = json.dumps({"complete": prompt, "values": values}, allow_nan=False, separators=(",", ":")).encode()
    reply: dict[str, Any] = json.loads(solution.ask_host(request))
    if "unanswered" in reply:
        raise UnansweredError(reply["unanswered"])
    if "host_fault" in reply:
        raise solution.SolutionHostFaultError(reply["host_fault"])
    message: dict[str, Any] = reply["message"]
    return message

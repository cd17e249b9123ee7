"""A verifier that asks a model: its generator yields questions, the host answers them, its return is the vector."""

import inspect
import json
from collections.abc import Generator
from typing import Any

from sandbox.guest import solution

MARK = b'{"complete":'
"""How a question to a model begins, on the way that requests for solutions take too."""


class UnansweredError(solution.SolutionFaultError):
    """The model did not answer. The generator is not told: it could take silence for a wrong answer."""

    kind = "model"


def result_of(value: Any) -> Any:
    """What a verifier returned; where it is a generator, its questions are asked first.

    A question is ``{"complete": name of a prompt, "values": {place: text}}``. The answer is the model's message:
    ``{"role": "assistant", "content": text}``.
    """
    return _asked(value) if inspect.isgenerator(value) else value


def _asked(questions: Generator[Any, Any, Any]) -> Any:
    answer = None
    while True:
        try:
            question = questions.send(answer)
        except StopIteration as end:
            return end.value
        if not isinstance(question, dict) or not isinstance(question.get("complete"), str):
            raise TypeError(
                f'a verifier yields {{"complete": NAME OF A PROMPT, "values": {{…}}}}, not {question!r:.200}'
            )
        answer = _ask(question["complete"], question.get("values", {}))


def _ask(prompt: str, values: Any) -> dict[str, Any]:
    # "complete" comes first: the host tells by it what is asked for.
    request = json.dumps({"complete": prompt, "values": values}, allow_nan=False, separators=(",", ":")).encode()
    reply: dict[str, Any] = json.loads(solution.ask_host(request))
    if "unanswered" in reply:
        raise UnansweredError(reply["unanswered"])
    if "host_fault" in reply:
        raise solution.SolutionHostFaultError(reply["host_fault"])
    message: dict[str, Any] = reply["message"]
    return message

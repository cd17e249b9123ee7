"""A model for verifiers that says what a test has it say."""

from collections.abc import Callable, Sequence

from sandbox.models.port import ModelAnswer, ModelSilentError

Say = Callable[[str], str | ModelAnswer]
"""From the last message to the answer."""


class ScriptedModel:
    """``say`` answers the last message. ``asked`` are the messages of every question."""

    def __init__(self, say: Say | str = "yes", name: str = "scripted", address: str = "scripted:") -> None:
        self.name = name
        self.address = address
        self.asked: list[list[dict[str, str]]] = []
        self.parameters: list[tuple[int, int]] = []
        self.is_closed = False
        self._say = say

    def complete(self, messages: Sequence[dict[str, str]], *, max_tokens: int, seed: int) -> ModelAnswer:
        self.asked.append(list(messages))
        self.parameters.append((max_tokens, seed))
        said = self._say if isinstance(self._say, str) else self._say(messages[-1]["content"])
        return said if isinstance(said, ModelAnswer) else ModelAnswer(said)

    def close(self) -> None:
        self.is_closed = True


def silent(_: str) -> str:
    raise ModelSilentError("the model is away")

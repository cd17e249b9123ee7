"""The model that verifiers may ask, as the sandbox needs it. Whoever makes the sandbox hands one in, or none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class ModelSilentError(Exception):
    """The model gave no usable answer. The message says why."""


class ModelRefusedError(ModelSilentError):
    """The model's server refused the request unread: it took no tokens."""


@dataclass(frozen=True)
class ModelAnswer:
    """What a model said. ``is_cut``: it reached the limit of tokens. Counts are None where nobody told them."""

    text: str
    is_cut: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class JudgeModel(Protocol):
    """One model. ``complete`` blocks, and may be called from several threads at once."""

    @property
    def name(self) -> str:
        """The name under which it is asked for, as verdicts and reports show it."""
        ...

    @property
    def address(self) -> str:
        """Where it is asked. Nobody is shown it. Kept answers are told apart by it: two servers may use one name."""
        ...

    def complete(self, messages: Sequence[dict[str, str]], *, max_tokens: int, seed: int) -> ModelAnswer:
        """The answer at temperature 0. Raises :class:`ModelSilentError` where there is none."""
        ...

    def close(self) -> None:
        """Let go of connections and weights."""
        ...

"""What an engine is asked for, what it gives back, and where an answer ends."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from trainer_bridge.rollout.decoding.sampling import Sampling


@dataclass(frozen=True)
class Generated:
    """One finished completion. ``logprobs`` are the sampler's own, float32, after temperature, one a token.

    ``tokens`` end with an end-of-turn token unless ``truncated``.
    """

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    truncated: bool


class Stop(Protocol):
    """Words that end an answer. They are of its text, which an engine does not know."""

    @property
    def words(self) -> tuple[str, ...]: ...

    def is_reached(self, tokens: Sequence[int]) -> bool:
        """Whether the last few of ``tokens`` have brought one. Asked at every look."""
        ...

    def ends_after(self, tokens: Sequence[int]) -> int | None:
        """The fewest of ``tokens`` whose text holds one; None where the text of all holds none."""
        ...


@dataclass(frozen=True, eq=False)
class GenerationRequest:
    """Continue ``prompt`` (token ids) by at most ``limit`` tokens.

    ``seed`` alone decides which random numbers are used, whatever runs beside it. ``after`` is the request whose
    sequence this one continues: the engine then goes on from that one's keys and values, where it still has them.
    ``progress`` is told the tokens so far at every look; ``is_wanted`` is asked then, and ends the request if false.
    ``stop`` ends it with the token that completes one of its words: that token was written, and counts as such.
    """

    prompt: tuple[int, ...]
    limit: int
    sampling: Sampling
    seed: int
    after: "GenerationRequest | None" = None
    progress: Callable[[Sequence[int]], None] | None = None
    is_wanted: Callable[[], bool] | None = None
    stop: Stop | None = None

    def __post_init__(self) -> None:
        if not self.prompt:
            raise ValueError("a prompt without tokens cannot be continued")
        if self.limit < 1:
            raise ValueError("a completion has at least one token")


def cut_at_end(
    tokens: Sequence[int], eos_ids: Sequence[int], request: GenerationRequest
) -> tuple[tuple[int, ...], bool]:
    """Keep tokens up to and with the first that ends the answer, at most its limit; say whether none of them did."""
    ended = next((index + 1 for index, token in enumerate(tokens[: request.limit]) if token in eos_ids), None)
    kept = tuple(tokens[: ended or request.limit])
    stopped = request.stop.ends_after(kept) if request.stop is not None else None
    return kept[:stopped], ended is None and stopped is None


Ended = tuple[GenerationRequest, Generated]


class GenerationEngine(Protocol):
    """The interface of an engine: ``decoding/engine.py``, or vLLM (``rollout/vllm_engine.py``)."""

    @property
    def is_busy(self) -> bool:
        """Whether a step has anything to do."""
        ...

    def submit(self, request: GenerationRequest) -> None:
        """Queue a request; a later :meth:`step` returns it with its answer."""
        ...

    def step(self) -> list[Ended]:
        """Continue all requests for a short time; return the finished ones."""
        ...

    def load_weights(self) -> None:
        """Use the model's present weights from now on. Called before each round."""
        ...

    def release(self) -> None:
        """Free what only generation needs. Called after each round, before the update."""
        ...

    def close(self) -> None:
        """Free all resources of the engine."""
        ...

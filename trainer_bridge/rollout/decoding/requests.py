"""What the engine is asked, and what it answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from trainer_bridge.rollout.decoding.sampling import Sampling

_numbers = count(1)


@dataclass(frozen=True)
class Written:
    """One finished completion. ``logprobs`` are the sampler's own, float32, after temperature, one a token.

    ``tokens`` end with an end-of-turn token unless ``truncated``.
    """

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    truncated: bool


@dataclass(frozen=True, eq=False)
class Ask:
    """Continue ``prompt`` (token ids) by at most ``limit`` tokens.

    ``seed`` alone decides which random numbers are used, whatever runs beside it. ``after`` is the request whose
    sequence this one continues: the engine then goes on from that one's keys and values, where it still has them.
    ``progress`` is told the tokens so far at every look; ``is_wanted`` is asked then, and ends the request if false.
    """

    prompt: tuple[int, ...]
    limit: int
    sampling: Sampling
    seed: int
    after: "Ask | None" = None
    progress: Callable[[Sequence[int]], None] | None = None
    is_wanted: Callable[[], bool] | None = None
    number: int = field(default_factory=lambda: next(_numbers))

    def __post_init__(self) -> None:
        if not self.prompt:
            raise ValueError("a prompt without tokens cannot be continued")
        if self.limit < 1:
            raise ValueError("a completion has at least one token")


Done = Callable[[Written], None]
"""Called on the engine's thread when a request has ended."""


def cut_at_end(tokens: Sequence[int], eos_ids: Sequence[int], limit: int) -> tuple[tuple[int, ...], bool]:
    """Keep tokens up to and with the first end token, at most ``limit``; say whether that cut an unfinished one."""
    for index, token in enumerate(tokens[:limit]):
        if token in eos_ids:
            return tuple(tokens[: index + 1]), False
    return tuple(tokens[:limit]), True

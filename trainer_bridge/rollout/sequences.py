"""The calls of one rollout as token sequences: what continues is one sequence, what does not is another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trainer_bridge.learn.micro_batches import Piece, Sample


@dataclass(frozen=True)
class TokenCall:
    """One call of the policy: the tokens it read, those it wrote, and their log-probabilities when it wrote them."""

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]


@dataclass(frozen=True)
class TokenSequence:
    """``tokens`` follow ``prompt``. ``is_written`` says which of them the policy wrote: only those are learnt from.

    The others came from the environment or the template between two calls. Their log-probability is given as 0.
    ``call`` is the number of the call that wrote a token, and -1 where none did.
    """

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    call: tuple[int, ...]

    @property
    def is_written(self) -> tuple[bool, ...]:
        """Which tokens the policy wrote."""
        return tuple(number >= 0 for number in self.call)


def merge(calls: Iterable[TokenCall]) -> tuple[TokenSequence, ...]:
    """Join each call to the sequence that its prompt continues, token by token; the longest, where several fit.

    A call that continues nothing begins a sequence. So does a second call that continues the same answer (a branch, or
    a step that was taken back): the first has gone on already. What an earlier call wrote is then only read, so that
    every written token is learnt from exactly once.
    """
    whole: list[tuple[int, ...]] = []
    found: list[TokenSequence] = []
    for number, call in enumerate(calls):
        fits = [place for place, tokens in enumerate(whole) if call.prompt[: len(tokens)] == tokens]
        new = (number,) * len(call.tokens)
        if fits:
            place = max(fits, key=lambda one: len(whole[one]))
            read = call.prompt[len(whole[place]) :]
            before = found[place]
            found[place] = TokenSequence(
                before.prompt,
                before.tokens + read + call.tokens,
                before.logprobs + (0.0,) * len(read) + call.logprobs,
                before.call + (-1,) * len(read) + new,
            )
            whole[place] = call.prompt + call.tokens
        else:
            found.append(TokenSequence(call.prompt, call.tokens, call.logprobs, new))
            whole.append(call.prompt + call.tokens)
    return tuple(found)


def as_sample(group: int, sequences: Sequence[TokenSequence]) -> Sample:
    """All sequences of one rollout as one row of a batch."""
    if not sequences:
        return Sample(group, (), ())
    first, *others = sequences
    return Sample(group, first.prompt, first.tokens, tuple(Piece(one.prompt, one.tokens) for one in others))

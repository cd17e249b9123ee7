"""Plays one episode to tokens for verl: the policy's own tokens, and the environment's between them.

Nothing here imports verl: :class:`TokenLoop` describes what is needed of an agent loop.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from hub_client.adapters.episodes import Episode
from hub_client.errors import HubClientError
from schemas.verdict import ErrorKind, Verdict

Message = dict[str, Any]


class TokenLoop(Protocol):
    """The token methods of verl's ``AgentLoopBase``. They work on token ids, so nothing is tokenised twice."""

    async def ct_build_initial_tokens(self, messages: list[Message], tools: list[Message] | None = None) -> list[int]:
        """The prompt as ids."""
        ...

    async def ct_merge_assistant_token(
        self, runtime_token_ids: list[int], assistant_token_ids: list[int], response_mask: list[int],
        response_logprobs: list[float] | None = None, assistant_logprobs: list[float] | None = None,
    ) -> tuple[Any, list[int], list[float] | None]: ...  # fmt: skip

    async def ct_merge_context_msg(
        self, previous_messages: list[Message], updated_messages: list[Message], runtime_token_ids: list[int],
        response_mask: list[int], response_logprobs: list[float] | None = None, tools: list[Message] | None = None,
    ) -> tuple[Any, list[int], list[float] | None]: ...  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """Limits: ``tokens`` of a response including the environment's, and ``turns`` of the model (None: no limit)."""

    tokens: int
    turns: int | None = None


@dataclass
class Played:
    """A played episode. ``ids``: prompt and response. ``mask``: as long as the response, 1 for the policy's tokens."""

    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] | None = None
    turns: int = 0
    verdict: Verdict = field(default_factory=lambda: Verdict(rewards={}))

    @property
    def prompt(self) -> list[int]:
        """The ids before the response."""
        return self.ids[: len(self.ids) - len(self.mask)]

    @property
    def response(self) -> list[int]:
        """The ids of the response."""
        return self.ids[len(self.ids) - len(self.mask) :]


async def play_episode(
    loop: TokenLoop,
    episode: Episode,
    generate: Callable[[list[int]], Awaitable[Any]],
    read: Callable[[list[int], list[Message]], Awaitable[Message]],
    limits: Limits,
) -> Played:
    """Play ``episode`` to its end or to the limits, and judge it.

    ``generate`` takes all ids so far and gives verl's ``TokenOutput``; ``read`` makes a message of a response's ids and
    the tools. A session or a verifier that breaks gives a verdict of nulls: it is no fault of the policy's, and no 0.
    """
    played = Played()
    try:
        await _play(loop, episode, generate, read, limits, played)
        played.verdict = await episode.verdict()
    except HubClientError as error:
        played.verdict = Verdict.unjudged(list(episode.env.rewards), ErrorKind.HOST, str(error))
    finally:
        await episode.close()
    if not played.mask:  # verl needs at least one token in a response: add one with mask 0
        prompt = played.ids or await loop.ct_build_initial_tokens([{"role": "user", "content": ""}])
        played.ids, played.mask = [*prompt, prompt[-1]], [0]
    return played


async def _play(
    loop: TokenLoop,
    episode: Episode,
    generate: Callable[[list[int]], Awaitable[Any]],
    read: Callable[[list[int], list[Message]], Awaitable[Message]],
    limits: Limits,
    played: Played,
) -> None:
    turn = await episode.start()
    messages, tools = list(turn.messages), list(turn.tools)
    played.ids = await loop.ct_build_initial_tokens(messages, tools=tools or None)
    while True:
        output = await generate(played.ids)
        told = (played.logprobs or []) if output.log_probs else None
        merged, played.mask, played.logprobs = await loop.ct_merge_assistant_token(
            played.ids, output.token_ids, played.mask, told, output.log_probs or None
        )
        played.ids = merged.token_ids
        played.turns += 1
        message = await read(output.token_ids, tools)
        turn = await episode.say(message)
        is_last = len(played.mask) >= limits.tokens or (limits.turns is not None and played.turns >= limits.turns)
        if turn.done or is_last:
            return
        tools += turn.tools
        before, messages = [*messages, message], [*messages, message, *turn.messages]
        merged, mask, logprobs = await loop.ct_merge_context_msg(
            before, messages, played.ids, played.mask, played.logprobs, tools=tools or None
        )
        if len(mask) >= limits.tokens:
            return  # the environment's message does not fit, so the policy could not answer it
        played.ids, played.mask, played.logprobs = merged.token_ids, mask, logprobs

"""The policy as an endpoint: messages in, one message out, and every token of it on record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hub_client.evaluation.policy import ContextOverflowError
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.rollout.chat.conversations import Call, Conversations, Message
from trainer_bridge.rollout.chat.replies import as_message
from trainer_bridge.rollout.chat.template import ChatTemplate
from trainer_bridge.rollout.decoding.requests import Ask, Written
from trainer_bridge.rollout.decoding.sampling import Sampling


@dataclass(frozen=True)
class Limits:
    """Of tokens: ``answer`` for each call, ``sequence`` for prompt and answer together (0: the model's context)."""

    answer: int
    sequence: int = 0


class ChatModel:
    """Turns messages into requests for the engine and its answers into messages. Holds no conversation itself."""

    def __init__(self, loaded: LoadedModel, name: str) -> None:
        self.name = name
        self._tokenizer: Any = loaded.tokenizer
        self.template = ChatTemplate(loaded.tokenizer, loaded.eos_ids)
        self.context: int | None = getattr(loaded.model.config, "max_position_embeddings", None)

    def ask(
        self,
        known: Conversations,
        messages: Sequence[Message],
        tools: Sequence[Message],
        *,
        sampling: Sampling,
        limits: Limits,
        seed: int,
    ) -> Ask:
        """The request for the next answer. It goes on from the tokens of an earlier call wherever there is one.

        Raises:
            ContextOverflowError: no token would fit.

        """
        before, covered = known.find(messages, tools)
        more = self.template.go_on(before.written.tokens, messages[covered:]) if before is not None else None
        if before is not None and more is not None:
            prompt = (*before.ask.prompt, *before.written.tokens, *more)
        else:
            before, prompt = None, self.template.begin(messages, tools)
        room = min(limits.sequence or len(prompt) + limits.answer, self.context or len(prompt) + limits.answer)
        if len(prompt) >= room:
            raise ContextOverflowError(f"{len(prompt)} tokens do not fit into {self.name}'s context of {room}")
        limit = min(limits.answer, room - len(prompt))
        return Ask(prompt, limit, sampling, seed, after=before.ask if before is not None else None)

    def call(self, ask: Ask, written: Written, *, has_tools: bool) -> Call:
        """What came of a request."""
        return Call(ask, written, as_message(self.text(written.tokens), has_tools=has_tools))

    def text(self, tokens: Sequence[int]) -> str:
        """The words of these tokens, without the markers of turns."""
        text: str = self._tokenizer.decode(list(tokens), skip_special_tokens=True)
        return text

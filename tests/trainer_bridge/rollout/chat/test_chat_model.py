"""A longer conversation goes on from the very tokens that were written, within the limits."""

import pytest

from hub_client.evaluation.policy import ContextOverflowError
from trainer_bridge.rollout.chat.chat_model import ChatModel, Limits
from trainer_bridge.rollout.chat.conversations import Conversations
from trainer_bridge.rollout.decoding.requests import Written
from trainer_bridge.rollout.decoding.sampling import Sampling

ASKED = [{"role": "user", "content": "hi"}]
NEXT = {"role": "user", "content": "and?"}


def ask(model, known, messages, limits, tools=()):
    return model.ask(known, messages, tools, sampling=Sampling(), limits=limits, seed=0)


def test_what_was_written_is_not_tokenised_again(tiny):
    model, known = ChatModel(tiny, "tiny"), Conversations()
    first = ask(model, known, ASKED, Limits(8))
    pad = tiny.tokenizer.pad_token_id  # a token that its text does not give back
    written = Written((10, pad, 11, tiny.tokenizer.eos_token_id), (-1.0,) * 4, truncated=False)
    call = model.call(first, written, has_tools=False)
    known.remember(ASKED, (), call)
    second = ask(model, known, [*ASKED, call.message, NEXT], Limits(8))
    assert second.prompt[: len(first.prompt) + 4] == (*first.prompt, *written.tokens)
    assert second.after is first
    changed = ask(model, known, [*ASKED, {**call.message, "content": "edited"}, NEXT], Limits(8))
    assert changed.after is None
    assert pad not in changed.prompt


def test_the_limits_of_a_conversation_and_of_the_model_hold(tiny):
    model, known = ChatModel(tiny, "tiny"), Conversations()
    prompt = len(ask(model, known, ASKED, Limits(8)).prompt)
    assert ask(model, known, ASKED, Limits(8, sequence=prompt + 3)).limit == 3
    with pytest.raises(ContextOverflowError, match=f"context of {prompt}"):
        ask(model, known, ASKED, Limits(8, sequence=prompt))
    room = tiny.model.config.max_position_embeddings
    assert ask(model, known, ASKED, Limits(10 * room)).limit == room - prompt
    with pytest.raises(ContextOverflowError, match=f"context of {room}"):
        ask(model, known, [{"role": "user", "content": "x" * room}], Limits(8))

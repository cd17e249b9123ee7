"""An earlier call is found when a conversation goes on from it, and only then."""

from trainer_bridge.rollout.chat.conversations import Call, Conversations
from trainer_bridge.rollout.decoding.requests import Ask, Written
from trainer_bridge.rollout.decoding.sampling import Sampling

ASKED = [{"role": "user", "content": "2 + 2?"}]
SAID = {"role": "assistant", "content": "4"}
NEXT = {"role": "user", "content": "sure?"}


def known(most=8, tools=()):
    conversations = Conversations(most)
    call = Call(Ask((1,), 4, Sampling(), seed=0), Written((2,), (-0.5,), truncated=False), SAID)
    conversations.remember(ASKED, tools, call)
    return conversations, call


def test_a_conversation_that_goes_on_finds_the_call_before_it():
    conversations, call = known()
    assert conversations.find([*ASKED, SAID, NEXT], ()) == (call, 2)
    assert conversations.find([*ASKED, {**SAID, "tool_calls": None}, NEXT], ()) == (call, 2), "None is nothing"


def test_another_answer_another_question_other_tools_or_no_new_message_find_nothing():
    conversations, _ = known()
    nothing = (None, 0)
    assert conversations.find([*ASKED, {**SAID, "content": "5"}, NEXT], ()) == nothing
    assert conversations.find([{"role": "user", "content": "3 + 3?"}, SAID, NEXT], ()) == nothing
    assert conversations.find([*ASKED, SAID, NEXT], [{"type": "function"}]) == nothing
    assert conversations.find([*ASKED, SAID], ()) == nothing
    assert conversations.find([], ()) == nothing


def test_the_oldest_is_forgotten():
    conversations, _ = known(most=1)
    other = [{"role": "user", "content": "other"}]
    conversations.remember(other, (), known()[1])
    assert conversations.find([*ASKED, SAID, NEXT], ()) == (None, 0)
    assert conversations.find([*other, SAID, NEXT], ())[1] == 2

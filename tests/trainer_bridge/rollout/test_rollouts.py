"""Calls merge into sequences in which every written token is learnt from once; judged rollouts become tensors."""

import math
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hub_client.evaluation.harness import Transcript
from schemas.manifest import RewardDeclaration
from schemas.task import Task
from schemas.verdict import Verdict
from trainer_bridge.rewards import merge_spaces
from trainer_bridge.rollout.decoding.requests import Generated
from trainer_bridge.rollout.rollouts import (
    Draw,
    PlayedRollout,
    Rollout,
    TokenCall,
    TokenSequence,
    as_batch,
    as_sample,
    as_samples,
    judged_rollout,
    merge,
    pass_rates,
    shown,
)


def call(prompt, tokens):
    return TokenCall(tuple(prompt), tuple(tokens), tuple(-float(token) for token in tokens))


def test_a_second_turn_continues_the_first_and_what_the_environment_said_is_masked():
    (sequence,) = merge([call([1, 2], [3, 4]), call([1, 2, 3, 4, 9, 9], [5])])
    assert sequence.prompt == (1, 2)
    assert sequence.tokens == (3, 4, 9, 9, 5)
    assert sequence.is_written == (True, True, False, False, True)
    assert sequence.call == (0, 0, -1, -1, 1)
    assert sequence.logprobs == (-3, -4, 0, 0, -5)


def test_a_call_with_a_conversation_of_its_own_is_a_sequence_of_its_own():
    plan, act = merge([call([1, 2], [3]), call([7, 8], [4])])
    assert (plan.tokens, act.prompt) == ((3,), (7, 8))
    sample = as_sample(5, (plan, act))
    assert (sample.prompt, sample.more[0].prompt, sample.width) == ((1, 2), (7, 8), 2)


def test_a_branch_from_the_same_answer_reads_it_and_learns_only_what_is_new():
    one, other = merge([call([1], [2, 3]), call([1, 2, 3, 8], [4]), call([1, 2, 3, 9], [5])])
    assert one.tokens == (2, 3, 8, 4)
    assert (other.prompt, other.tokens, other.is_written) == ((1, 2, 3, 9), (5,), (True,))


def test_of_two_drafts_the_one_is_continued_that_was_taken():
    """The shorter one is the beginning of the longer one, which the next prompt holds whole."""
    short, long = merge([call([1], [2]), call([1], [2, 3]), call([1, 2, 3, 9], [4])])
    assert (short.tokens, long.tokens, long.call) == ((2,), (2, 3, 9, 4), (1, 1, -1, 2))


def test_an_answer_tokenised_anew_does_not_continue():
    assert len(merge([call([1], [2, 3]), call([1, 23, 8], [4])])) == 2


TREES = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.lists(st.integers(20, 25), max_size=3),
        st.lists(st.integers(0, 9), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=8,
)


@given(TREES)
def test_every_written_token_is_learnt_from_exactly_once_behind_just_what_it_was_written_after(tree):
    calls = []
    for parent, new, tokens in tree:
        before = calls[parent % len(calls)] if calls and parent % 3 else None
        base = (*before.prompt, *before.tokens) if before else (99,)
        calls.append(call((*base, *new), tokens))
    found = []
    for sequence in merge(calls):
        for place, number in enumerate(sequence.call):
            if number >= 0:
                context = (*sequence.prompt, *sequence.tokens[:place])
                found.append((number, context, sequence.tokens[place], sequence.logprobs[place]))
    expected = [
        (number, (*one.prompt, *one.tokens[:place]), token, one.logprobs[place])
        for number, one in enumerate(calls)
        for place, token in enumerate(one.tokens)
    ]
    assert sorted(found) == sorted(expected)


def spoken(role, content, **more):
    return {"role": role, "content": content, **more}


def test_what_is_shown_of_a_rollout_begins_with_the_policys_first_words():
    task, example = spoken("user", "What is 2 + 2?"), spoken("assistant", "an example of the environment's")
    first, told, last = spoken("assistant", "3"), spoken("user", "No."), spoken("assistant", "4")
    assert shown([task, last], [last]) == "4"
    assert shown([task, example, spoken("user", "Now you."), last], [last]) == "4"
    assert shown([task, first, told, last], [first, last]) == "[assistant] 3\n\n[user] No.\n\n[assistant] 4"


def test_a_harness_may_ask_with_other_messages_than_those_of_the_transcript():
    """Its own hint and notes stand before each call, and a draft that was not taken is not there."""
    task, told = spoken("user", "Guess."), spoken("user", "Higher.")
    draft, first, last = spoken("assistant", "a"), spoken("assistant", "b"), spoken("assistant", "c")
    whole = [task, first, told, last]
    game = "[assistant] b\n\n[user] Higher.\n\n[assistant] c"
    assert shown(whole, [draft, first, draft, last]) == f"{game}\n\n[not sent] a\n\n[not sent] a"
    thoughts = [spoken("assistant", f"Thought: so.\nAction: {move}") for move in "bc"]
    unsent = "[not sent] Thought: so.\nAction: b\n\n[not sent] Thought: so.\nAction: c"
    assert shown(whole, thoughts) == f"{game}\n\n{unsent}", "what is learnt can be read"
    assert shown([task, spoken("assistant", "made of three drafts")], [draft, first]) == "made of three drafts"
    assert shown([task], []) == ""


def test_a_call_of_a_tool_is_shown_with_its_arguments():
    call = {"id": "x", "function": {"name": "add", "arguments": '{"a": 1}'}}
    said = spoken("assistant", "", tool_calls=[call])
    assert shown([spoken("user", "?"), said], [said]) == 'add({"a": 1})'


def test_a_message_to_which_a_harness_adds_a_call_begins_what_is_shown():
    """It read a place from the text and looked there. That turn and what it brought were not shown at all."""
    call = {"id": "x", "function": {"name": "peek", "arguments": '{"place": 2}'}}
    looked, seen = spoken("assistant", "the second", tool_calls=[call]), spoken("tool", "7")
    said = [spoken("assistant", "the second"), spoken("assistant", "77")]
    found = shown([spoken("user", "Which?"), looked, seen, said[1]], said)
    assert found == '[assistant] the second\npeek({"place": 2})\n\n[tool] 7\n\n[assistant] 77'


SPACE = merge_spaces(
    {
        "a/one": {"right": RewardDeclaration(), "short": RewardDeclaration(weight=0.5)},
        "a/two": {"right": RewardDeclaration()},
    }
)
FIRST = TokenSequence((1, 2), (3, 9, 4), (-0.3, 0.0, -0.4), (0, -1, 1))
"""Two calls; between them the environment said 9."""
SECOND = TokenSequence((7,), (5,), (-0.5,), (2,))


def rollout(sequences=(FIRST,), group=0, environment=0, right=1.0, key="t", **more):
    task = Task.read({"id": key, "prompt": key})
    rewards = {"right": right, "short": right} if environment == 0 else {"right": right}
    return Rollout(Draw(environment, "a/one", task), group, sequences, "", Verdict(rewards=rewards), **more)


def batch_of(*rollouts):
    return as_batch(rollouts, SPACE, torch.device("cpu"))


def test_only_what_the_policy_wrote_is_learnt_from_and_sequences_follow_each_other_on_a_row():
    batch = batch_of(rollout((FIRST, SECOND)), rollout(()))
    assert batch.mask_BT.tolist() == [[True, False, True, True], [False] * 4]
    assert batch.turn_BT.tolist() == [[0, -1, 1, 2], [-1] * 4]
    assert batch.sampler_logprobs_BT[0].tolist() == pytest.approx([-0.3, 0.0, -0.4, -0.5])
    first, nothing = as_samples([rollout((FIRST, SECOND)), rollout(())])
    assert (first.prompt, first.tokens, first.more[0].prompt, first.width) == ((1, 2), (3, 9, 4), (7,), 4)
    assert (nothing.width, as_sample(3, ()).group) == (0, 3)


def test_groups_are_numbered_anew_and_each_row_knows_its_environment():
    batch = batch_of(rollout(group=7), rollout(group=2, environment=1), rollout(group=7))
    assert batch.group_B.tolist() == [0, 1, 0]
    assert batch.environment_B.tolist() == [0, 1, 0]
    assert batch.rewards_BK[0].tolist() == [1.0, 1.0]
    assert math.isnan(batch.rewards_BK[1, 1]), "the second environment does not declare it"


def test_what_turns_earned_is_summed_by_the_declared_weights_and_null_is_not_0():
    told = ((0, {"right": 1.0, "short": 1.0}), (2, {"right": None, "short": None}), (0, {"right": 0.25, "short": 0.0}))
    batch = batch_of(rollout(turns=3, turn_rewards=told), rollout(turns=1))
    ours, others = batch.turn_rewards_BM.tolist()
    assert ours[:2] == [1.75, 0.0]
    assert math.isnan(ours[2])
    assert others == [0.0, 0.0, 0.0]


def test_in_a_turn_of_which_one_reward_was_not_judged_the_others_stand_for_it():
    """As in a verdict: 1 of 1 by weight, 1.5 of 1.5. A reward that no turn is given is left out of the sum."""
    told = ((0, {"right": 1.0, "short": 1.0}), (1, {"right": 1.0, "short": None}))
    [ours] = batch_of(rollout(turns=2, turn_rewards=told)).turn_rewards_BM.tolist()
    assert ours == [1.5, 1.5]
    [ours] = batch_of(rollout(turns=1, turn_rewards=((0, {"right": 1.0}),))).turn_rewards_BM.tolist()
    assert ours == [1.0]


def test_a_rollout_is_cut_off_where_its_last_answer_was():
    request = SimpleNamespace(prompt=(1,))
    cut, whole = (
        SimpleNamespace(request=request, generated=Generated((2,), (-0.1,), is_cut), message=spoken("assistant", "x"))
        for is_cut in (True, False)
    )
    draw = Draw(0, "a/one", Task.read({"id": "t", "prompt": "t"}))
    for calls, expected in (([cut, whole], False), ([whole, cut], True), ([], False)):
        played = PlayedRollout(calls, Transcript([]), lost=2)
        found = judged_rollout(draw, 0, played, Verdict(rewards={}), None)
        assert (found.truncated, found.lost) == (expected, 2)


def test_a_tasks_pass_rate_is_over_its_judged_samples():
    passed, failed, unjudged = rollout(right=1.0), rollout(right=0.0), rollout(right=None)
    other = rollout(right=1.0, key="other", environment=1)
    rates = pass_rates([passed, failed, failed, unjudged, other], SPACE)
    assert sorted(rates.values()) == [pytest.approx(1 / 3), 1.0]
    assert pass_rates([unjudged], SPACE) == {}

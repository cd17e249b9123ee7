import pytest

from hub_client.adapters.episodes import Episode, judge_record
from hub_client.errors import UsageError
from schemas.verdict import ErrorKind
from tests.fakes.runner import FakeSession

SESSION = """\
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl" }
session = "alice_small_sums:Session"
VERIFIER

[rewards.correct]
"""
WITH_VERIFIER = SESSION.replace("VERIFIER", 'verifier = "alice_small_sums:verify"')
ALONE = SESSION.replace("VERIFIER", "")


def say(text):
    return {"role": "assistant", "content": text}


@pytest.mark.anyio
async def test_a_single_turn_is_done_after_one_message_and_judged_by_its_text(env, judged) -> None:
    episode = Episode(env, next(iter(env.tasks())))
    start = await episode.start()
    assert (start.messages, start.done) == ([{"role": "user", "content": "1+1?"}], False)
    assert (await episode.say(say("2"))).done
    assert (await episode.verdict()).rewards["correct"] == 1.0
    assert judged == ["2"]
    with pytest.raises(UsageError, match="over"):
        await episode.say(say("3"))


@pytest.mark.anyio
async def test_a_session_is_judged_by_its_state_and_its_conversation(make_env) -> None:
    seen = []
    env = make_env(WITH_VERIFIER, watch=seen.append)
    episode = Episode(env, next(iter(env.tasks())))
    await episode.start()
    assert not (await episode.say(say("one"))).done
    assert (await episode.say(say("two"))).done
    await episode.verdict()
    assert [message["content"] for message in seen[0].messages] == ["1+1?", "one", "two"]
    assert seen[0].state == {"said": [say("one"), say("two")]}
    assert seen[0].response is None
    await episode.close()


@pytest.mark.anyio
async def test_tool_calls_go_to_the_session_and_their_results_come_back(make_env) -> None:
    episode = Episode(make_env(WITH_VERIFIER), {"id": "t", "prompt": "?"})
    await episode.start()
    calls = [
        {"id": "1", "function": {"name": "look", "arguments": '{"where": "up"}'}},
        {"id": "2", "function": {"name": "look", "arguments": "{"}},
        {"id": "3", "function": {"name": "look", "arguments": "[" * 5000 + "]" * 5000}},
    ]
    turn = await episode.say({"role": "assistant", "content": "", "tool_calls": calls})
    assert not turn.done
    assert [(message["tool_call_id"], message["content"]) for message in turn.messages] == [
        ("1", '{"look": {"where": "up"}}'),
        ("2", "error: the arguments are not JSON"),
        ("3", "error: the arguments are not JSON"),
    ]


@pytest.mark.anyio
async def test_calls_of_tools_that_the_session_offers_are_part_of_the_message_that_it_takes(
    make_env, monkeypatch
) -> None:
    offered = [{"type": "function", "function": {"name": "search", "parameters": {}}}]
    reset = FakeSession.reset
    monkeypatch.setattr(FakeSession, "reset", lambda self: {**reset(self), "tools": offered})
    env = make_env(WITH_VERIFIER)
    episode = Episode(env, {"id": "t", "prompt": "?"})
    assert (await episode.start()).tools == offered
    search, look = ({"id": name, "function": {"name": name, "arguments": "{}"}} for name in ("search", "look"))
    turn = await episode.say({"role": "assistant", "content": "", "tool_calls": [search, look]})
    assert turn.messages[0] == {"role": "tool", "tool_call_id": "look", "content": '{"look": {}}'}
    state = (await episode.record())["state"]
    assert state == {"said": [{"role": "assistant", "content": "", "tool_calls": [search]}]}


@pytest.mark.anyio
async def test_a_session_without_a_verifier_that_gave_no_rewards_was_not_judged(make_env) -> None:
    episode = Episode(make_env(ALONE), {"id": "t", "prompt": "?"})
    await episode.start()
    await episode.say(say("one"))
    verdict = await episode.verdict()
    assert verdict.rewards == {"correct": None}
    assert verdict.error.kind is ErrorKind.VERIFIER_FAILED


@pytest.mark.anyio
async def test_a_text_alone_of_a_session_is_not_judged(make_env) -> None:
    """As frameworks have it whose session broke, or whose limits ended it, before its first turn."""
    seen = []
    env = make_env(WITH_VERIFIER, watch=seen.append)
    verdict = await judge_record(env, {"id": "t", "prompt": "?", "answer": "1"}, {"response": "two"})
    assert (verdict.rewards, seen) == ({"correct": None}, [])
    assert "no turn of it was played" in verdict.error.message

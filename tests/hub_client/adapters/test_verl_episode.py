"""Episodes as tokens: a token is a character here, and the loop does with them what verl's does."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from hub_client.adapters.episodes import Episode, Turn
from hub_client.adapters.verl import vector
from hub_client.adapters.verl_episode import Limits, play_episode
from hub_client.errors import CheckFailedError
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER

pytestmark = pytest.mark.anyio
TASK = {"id": "t", "prompt": "1+1?", "answer": 2}


class Speaking(Episode):
    """A session with a tool that says ``go on`` after each message."""

    async def start(self):
        return replace(await super().start(), tools=[{"function": {"name": "look"}}])

    async def say(self, message):
        turn = await super().say(message)
        return turn if turn.done else Turn([{"role": "user", "content": "go on"}], [], done=False)


class Characters:
    """Merges as verl's agent loop does: the policy's tokens have mask 1, all others 0."""

    def __init__(self) -> None:
        self.tools: list = []

    async def ct_build_initial_tokens(self, messages, tools=None):
        self.tools.append(tools)
        return [ord(sign) for message in messages for sign in f"[{message['content']}]"]

    async def ct_merge_assistant_token(self, ids, said, mask, logprobs=None, own=None):
        merged = SimpleNamespace(token_ids=[*ids, *said])
        return merged, [*mask, *[1] * len(said)], None if logprobs is None else [*logprobs, *(own or [])]

    async def ct_merge_context_msg(self, before, after, ids, mask, logprobs=None, tools=None):
        self.tools.append(tools)
        assert after[: len(before)] == before
        new = [ord(sign) for message in after[len(before) :] for sign in f"[{message['content']}]"]
        merged = SimpleNamespace(token_ids=[*ids, *new])
        return merged, [*mask, *[0] * len(new)], None if logprobs is None else [*logprobs, *[0.0] * len(new)]


@pytest.fixture
def play():
    async def made(env, *words, tokens=1000, turns=None, told=True):
        seen, waiting = [], list(words)

        async def generate(ids):
            seen.append("".join(map(chr, ids)))
            said = [ord(sign) for sign in waiting.pop(0)]
            return SimpleNamespace(token_ids=said, log_probs=[-0.5] * len(said) if told else None)

        async def read(ids, _tools):
            return {"role": "assistant", "content": "".join(map(chr, ids))}

        loop = Characters()
        episode = (Speaking if env.manifest.session else Episode)(env, TASK)
        played = await play_episode(loop, episode, generate, read, Limits(tokens, turns))
        return played, seen, loop

    return made


async def test_one_turn_is_the_policys_tokens_and_the_verdict(env, play) -> None:
    played, seen, _ = await play(env, "2 ok")
    assert seen == ["[1+1?]"]
    assert "".join(map(chr, played.prompt)) == "[1+1?]"
    assert "".join(map(chr, played.response)) == "2 ok"
    assert (played.mask, played.logprobs, played.turns) == ([1] * 4, [-0.5] * 4, 1)
    assert vector(env, played.verdict)["score"] == 1.5


async def test_what_a_session_says_between_is_masked_and_never_written_twice(make_env, play) -> None:
    played, seen, loop = await play(make_env(WITH_VERIFIER), "hm", "2")
    assert seen[1].startswith(seen[0] + "hm"), "the ids so far go in again as they are"
    assert "".join(map(chr, played.response)) == "hm[go on]2"
    assert played.mask == [1, 1, *[0] * len("[go on]"), 1]
    assert len(played.logprobs) == len(played.mask) == len(played.response)
    assert played.verdict.rewards == {"correct": 1.0}
    assert played.turns == 2
    assert loop.tools == [[{"function": {"name": "look"}}]] * 2, "the session's tools are in the prompt"


async def test_without_logprobs_there_are_none(make_env, play) -> None:
    played, _, _ = await play(make_env(WITH_VERIFIER), "hm", "2", told=False)
    assert played.logprobs is None


@pytest.mark.parametrize("limit", [{"turns": 1}, {"tokens": 2}, {"tokens": 3}])
async def test_limits_end_an_episode_that_is_judged_as_it_stands(make_env, play, limit) -> None:
    played, seen, _ = await play(make_env(WITH_VERIFIER), "hm", "2", **limit)
    assert len(seen) == 1
    assert played.mask == [1, 1], "what the environment would have said is not there"
    assert played.verdict.rewards == {"correct": 0.0}


async def test_what_cannot_be_judged_is_nan_and_no_zero(env, play) -> None:
    played, _, _ = await play(env, "loop")
    assert math.isnan(vector(env, played.verdict)["score"])


async def test_a_session_that_breaks_is_nan_and_keeps_what_was_said(make_env, play, monkeypatch) -> None:
    async def broken(*_):
        raise CheckFailedError("the session's process ended")

    monkeypatch.setattr(Episode, "say", broken)
    played, _, _ = await play(make_env(WITH_VERIFIER), "hm")
    assert (played.mask, played.verdict.rewards) == ([1, 1], {"correct": None})
    assert "process ended" in played.verdict.error.message


async def test_a_session_that_does_not_open_leaves_one_token_that_counts_for_nothing(
    make_env, play, monkeypatch
) -> None:
    async def closed(*_):
        raise CheckFailedError("no box")

    monkeypatch.setattr(Episode, "start", closed)
    played, seen, _ = await play(make_env(WITH_VERIFIER))
    assert (seen, played.mask, len(played.response)) == ([], [0], 1)
    assert played.verdict.rewards == {"correct": None}

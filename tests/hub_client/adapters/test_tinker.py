"""tinker-cookbook's own classes, where they are installed (scripts/test_adapters)."""

import pytest

from hub_client.errors import CheckFailedError
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER, say

pytest.importorskip("tinker_cookbook")
adapter = pytest.importorskip("hub_client.adapters.tinker")


@pytest.mark.anyio
async def test_one_turn_ends_with_the_sum_and_each_reward_as_a_metric(env) -> None:
    episode = adapter.HubMessageEnv(env, next(iter(env.tasks())))
    assert await episode.initial_observation() == [{"role": "user", "content": "1+1?"}]
    ended = await episode.step({"role": "assistant", "content": [{"type": "text", "text": "2 it is"}]})
    assert (ended.reward, ended.episode_done) == (1.5, True)
    assert ended.metrics == {"correct": 1.0, "short": 1.0, "words": 3.0}


@pytest.mark.anyio
async def test_a_session_sees_the_whole_conversation_and_ends_at_the_most_turns(make_env) -> None:
    env = make_env(WITH_VERIFIER)
    episode = adapter.HubMessageEnv(env, next(iter(env.tasks())), max_turns=1)
    await episode.initial_observation()
    ended = await episode.step(say("2"))
    assert ended.episode_done
    assert ended.next_messages[-1] == say("2")
    longer = adapter.HubMessageEnv(env, next(iter(env.tasks())))
    await longer.initial_observation()
    assert not (await longer.step(say("hm"))).episode_done


@pytest.mark.anyio
async def test_what_was_not_judged_raises_and_is_no_zero(env) -> None:
    episode = adapter.HubMessageEnv(env, next(iter(env.tasks())))
    await episode.initial_observation()
    with pytest.raises(CheckFailedError, match="too slow"):
        await episode.step(say("loop"))

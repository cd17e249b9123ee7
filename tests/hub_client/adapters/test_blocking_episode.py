import threading

import pytest

from hub_client.adapters.blocking_episode import BlockingEpisode, words_of
from hub_client.errors import UsageError
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER, say

TASK = {"id": "t", "prompt": "1+1?", "answer": "2"}


def test_an_episode_is_played_from_threads_without_a_loop_of_their_own(make_env) -> None:
    env = make_env(WITH_VERIFIER)
    verdicts = []

    def play() -> None:
        episode = BlockingEpisode(env, TASK)
        episode.start()
        episode.say(say("hm"))
        assert episode.say(say("2")).done
        verdicts.append(episode.verdict().rewards)
        episode.close()
        episode.close()

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == [{"correct": 1.0}] * 4


def test_what_an_episode_raises_reaches_the_caller(make_env) -> None:
    episode = BlockingEpisode(make_env(WITH_VERIFIER), TASK)
    episode.start()
    episode.close()
    with pytest.raises(UsageError, match="over"):
        episode.say(say("2"))


def test_words_are_a_paragraph_a_message() -> None:
    assert words_of([{"content": "a"}, {"content": ""}, {"content": None}, {}, {"content": "b"}]) == "a\n\nb"

"""SkyRL-Gym's own base class and registry, where they are installed (scripts/test_adapters)."""

import pytest

from hub_client.errors import CheckFailedError
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER

skyrl_gym = pytest.importorskip("skyrl_gym")
adapter = pytest.importorskip("hub_client.adapters.skyrl_gym")
registration = pytest.importorskip("skyrl_gym.envs.registration")


@pytest.fixture
def play(monkeypatch):
    registration.registry.pop("verihub", None)
    registration.register(id="verihub", entry_point="hub_client.adapters.skyrl_gym:HubTextEnv")

    def made(env, *words, **columns):
        monkeypatch.setattr(adapter.DEFAULT_HUB, "environment", {f"{env.package.package}@{env.digest}": env}.get)
        row = {**adapter.dataset_rows(env, limit=1)[0], **columns}
        played = skyrl_gym.make("verihub", extras=row)
        first, _ = played.init(row["prompt"])
        return first, [played.step(word) for word in words], played

    return made


def test_one_turn_ends_with_the_sum_and_the_vector_beside_it(env, play) -> None:
    first, [end], played = play(env, "2 it is")
    assert first == [{"role": "user", "content": "1+1?"}]
    assert (end["reward"], end["done"]) == (1.5, True)
    assert end["metadata"]["rewards"] == {"correct": 1.0, "short": 1.0, "words": 3.0} == played.get_metrics()


def test_a_session_goes_on_until_it_is_done_or_the_turns_are_used_up(make_env, play) -> None:
    env = make_env(WITH_VERIFIER)
    _, steps, _ = play(env, "hm", "2")
    assert [(step["reward"], step["done"]) for step in steps] == [(0.0, False), (1.0, True)]
    _, [cut], _ = play(env, "2", max_turns=1)
    assert (cut["done"], cut["reward"]) == (True, 1.0)


def test_what_was_not_judged_raises_and_is_no_zero(env, play) -> None:
    with pytest.raises(CheckFailedError, match="too slow"):
        play(env, "loop")

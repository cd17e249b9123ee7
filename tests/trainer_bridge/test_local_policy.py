"""A model in this process as a policy: it answers, says where it was cut off, and refuses what does not fit."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from hub_client.errors import HubUnreachableError, UsageError
from hub_client.settings import command_line
from hub_client.transport import chat_endpoint
from hub_client.transport.chat_endpoint import ContextOverflowError
from trainer_bridge.local_policy import LocalPolicy, open_policy


@pytest.fixture(scope="module")
def policy():
    opened = open_policy("tiny", temperature=0.0, max_tokens=4)
    yield opened
    opened.close()


def test_it_answers_and_says_where_it_was_cut_off(policy: LocalPolicy) -> None:
    message = policy.complete([{"role": "user", "content": "2 + 2?"}], [], seed=0)
    assert message["role"] == "assistant"
    assert message["finish_reason"] in {"stop", "length"}
    assert message == policy.complete([{"role": "user", "content": "2 + 2?"}], [], seed=0), "greedy is repeatable"


def test_what_does_not_fit_is_an_overflow_and_no_crash(policy: LocalPolicy) -> None:
    room = policy._model.context
    with pytest.raises(ContextOverflowError, match=f"context of {room}"):
        policy.complete([{"role": "user", "content": "1 " * 2 * room}], [], seed=0)


def test_an_unknown_model_is_a_wrong_request() -> None:
    with pytest.raises(UsageError, match="neither smollm2, tiny, OWNER/NAME"):
        open_policy("nonsense", temperature=0.0, max_tokens=4)


@pytest.mark.parametrize("opened_by", [open_policy, partial(chat_endpoint.open_policy, endpoint="", api_key=None)])
def test_offline_a_model_that_is_not_here_is_an_offline_miss(opened_by) -> None:
    with pytest.raises(HubUnreachableError, match="--offline forbids"):
        opened_by("ours/unheard-of", temperature=0.0, max_tokens=4, offline=True)


def test_what_train_fetched_is_looked_for_where_the_settings_say(tmp_path: Path) -> None:
    given = {"temperature": 0.0, "max_tokens": 4, "offline": True}
    with pytest.raises(HubUnreachableError, match=f"it would be {tmp_path}/models/"):
        open_policy("smollm2", cache_dir=tmp_path, **given)
    with (
        command_line({"cache_dir": tmp_path}),
        pytest.raises(HubUnreachableError, match=f"it would be {tmp_path}/models/"),
    ):
        open_policy("smollm2", **given)


def test_the_next_turn_goes_on_from_what_was_written(policy: LocalPolicy) -> None:
    asked = [{"role": "user", "content": "a long question, " * 8}]
    engine = policy._engine._engine
    message = policy.complete(asked, [], seed=0)
    before = engine.prefilled_tokens
    message.pop("finish_reason")
    policy.complete([*asked, message, {"role": "user", "content": "and?"}], [], seed=0)
    assert engine.prefilled_tokens - before < 40, "the new message alone, not the conversation again"


def test_attempts_at_once_give_what_each_would_alone(policy: LocalPolicy) -> None:
    asked = [[{"role": "user", "content": f"{number} + 2?"}] for number in range(6)]
    alone = [policy.complete(messages, [], seed=0) for messages in asked]
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(lambda messages: policy.complete(messages, [], seed=0), asked)) == alone

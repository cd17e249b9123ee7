import pytest

from hub_client.errors import HubUnreachableError, UsageError
from hub_client.execution.judge_model import ClientJudge
from sandbox.models.port import ModelAnswer, ModelSilentError
from tests.hub_client.commands.model_server import Model, saying

ASKED = [{"role": "user", "content": "Good?"}]


class Opened:
    """A policy that records how it was opened and asked."""

    def __init__(self, answer):
        self.opened, self.asked, self.is_closed, self._answer = [], [], False, answer

    def open(self, **how):
        self.opened.append(how)
        return self

    def complete(self, messages, tools, *, seed, max_tokens=None):
        self.asked.append((messages, tools, seed, max_tokens))
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def close(self):
        self.is_closed = True


def test_a_model_is_opened_once_at_the_first_question_and_at_temperature_0():
    policy = Opened(
        {"content": "yes", "finish_reason": "length", "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
    )
    judge = ClientJudge("local:smollm2", open_model=policy.open)
    assert (judge.name, policy.opened) == ("smollm2", [])
    for _ in range(2):
        assert judge.complete(ASKED, max_tokens=2, seed=7) == ModelAnswer("yes", True, 3, 1)
    [how] = policy.opened
    assert (how["model"], how["endpoint"], how["temperature"]) == ("local:smollm2", "", 0.0)
    assert policy.asked[0] == (ASKED, [], 7, 2)
    judge.close()
    assert policy.is_closed


@pytest.mark.parametrize("offline", [False, True])
def test_the_model_is_opened_offline_where_the_client_is(offline):
    policy = Opened({"content": "yes"})
    ClientJudge("local:smollm2", open_model=policy.open, offline=offline).complete(ASKED, max_tokens=2, seed=7)
    assert [how["offline"] for how in policy.opened] == [offline]


def test_a_model_that_was_never_asked_is_never_opened():
    ClientJudge("local:smollm2", open_model=lambda **_: pytest.fail("it was opened")).close()


@pytest.mark.parametrize("error", [HubUnreachableError("away"), UsageError("no such model")])
def test_a_model_that_fails_is_silent(error):
    with pytest.raises(ModelSilentError, match=str(error)):
        ClientJudge("local:x", open_model=Opened(error).open).complete(ASKED, max_tokens=1, seed=0)


def test_an_endpoint_is_asked_for_its_model_with_its_own_key():
    model = Model()
    model.answer = lambda _: saying("yes")
    judge = ClientJudge(f"{model.url}#judge", "secret")
    try:
        assert judge.name == "judge"
        assert judge.complete(ASKED, max_tokens=2, seed=7).text == "yes"
    finally:
        judge.close()
        model.close()
    [body] = model.asked
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == ("judge", 0.0, 2, 7)
    assert model.keys == ["Bearer secret"]

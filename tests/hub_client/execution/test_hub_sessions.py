"""Episodes on a hub that is late, mixes answers up or lies: no step ever gets the reward of another."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hub_client.errors import CheckFailedError, HubClientError, HubUnreachableError, RequestRefusedError, UsageError
from hub_client.execution.hub_sessions import open_episode
from schemas.manifest import RewardDeclaration
from tests.making.hostile_hub import session_hub

DECLARED = {"solved": RewardDeclaration()}


def result_of(request, reward=0.0, **more):
    return json.dumps({"id": request["id"], "result": {"messages": [], "done": True, "rewards": {"solved": reward}}} | more)  # fmt: skip


def judged(request):
    """The reward that belongs to a step: 1 for 'right'."""
    if request["op"] == "branch":
        return json.dumps({"id": request["id"], "result": {"session": "branch-1"}})
    return result_of(request, float(request.get("message", {}).get("content") == "right"))


def every(reply):
    """A hub that answers each request with what ``reply`` makes of it."""

    def play(connection):
        for text in connection:
            for frame in reply(json.loads(text)):
                connection.send(frame)

    return play


def episode(address, timeout_seconds=60.0):
    return open_episode(address, {}, {"id": "t"}, 0, timeout_seconds, DECLARED)


def say(content):
    return {"role": "assistant", "content": content}


def test_an_honest_hub_gives_each_step_its_own_reward() -> None:
    with session_hub(every(lambda request: [judged(request)])) as address, episode(address) as session:
        session.reset()
        assert [session.step(say(text))["rewards"] for text in ("right", "wrong")] == [{"solved": 1.0}, {"solved": 0.0}]


def test_after_a_late_answer_the_episode_is_over_instead_of_one_step_behind() -> None:
    late = threading.Event()

    def play(connection):
        for number, text in enumerate(connection):
            if number == 1:
                late.wait()
            connection.send(judged(json.loads(text)))

    with session_hub(play) as address, episode(address) as session:
        session.reset()
        session._channel._timeout_seconds = 0.1  # from here on: the hub keeps silent until it has passed
        with pytest.raises(HubUnreachableError, match="did not answer step within"):
            session.step(say("right"))
        late.set()
        with pytest.raises(HubUnreachableError, match="this episode is over"):
            session.step(say("wrong"))
        session.close()


def test_branches_stepped_at_once_each_get_their_own_reward() -> None:
    with session_hub(every(lambda request: [judged(request)])) as address, episode(address) as session:
        session.reset()
        twin = session.branch()
        texts = ["right", "wrong"] * 20
        with ThreadPoolExecutor(8) as threads:
            steps = [threads.submit(one.step, say(text)) for text in texts for one in (session, twin)]
            found = [step.result()["rewards"]["solved"] for step in steps]
        assert found == [float(text == "right") for text in texts for _ in range(2)]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (lambda request: [result_of(request, id="999")], "answered request"),
        (lambda request: ["no JSON"], "cannot be read"),
        (lambda request: ["[]"], "cannot be read"),
        (lambda request: ["[" * 200_000], "cannot be read"),
        (lambda request: [result_of(request, float("nan"))], "cannot be read"),
        (lambda request: [result_of(request).replace("0.0", "1e999")], "cannot be read"),
        (lambda request: [b"\xff\xfe"], "cannot be read"),
        (lambda request: [result_of(request, result=[1])], "cannot be read"),
        (lambda request: [result_of(request, result={"done": True})], "messages"),
        (lambda request: [result_of(request, 1000.0)], "declared range"),
        (lambda request: [result_of(request, "0.5")], "not a number"),
        (lambda request: [result_of(request, result={"messages": [], "done": True, "rewards": {}})], "without solved"),
    ],
)
def test_an_answer_that_cannot_be_trusted_ends_the_episode(reply, words) -> None:
    def play(connection):
        connection.send(judged(json.loads(connection.recv())))
        every(reply)(connection)

    with session_hub(play) as address, episode(address) as session:
        session.reset()
        with pytest.raises(HubUnreachableError, match=words):
            session.step(say("right"))
        with pytest.raises(HubUnreachableError, match="this episode is over"):
            session.step(say("right"))


def test_two_answers_to_one_request_do_not_shift_the_next() -> None:
    with session_hub(every(lambda request: [judged(request)] * 2)) as address, episode(address) as session:
        session.reset()
        with pytest.raises(HubUnreachableError, match="answered request"):
            session.step(say("right"))


def test_a_refusal_is_raised_and_the_episode_goes_on() -> None:
    def reply(request):
        refused = {"id": request["id"], "problem": {"code": "new_code", "detail": "not now"}}
        return [json.dumps(refused) if request["op"] == "undo" else judged(request)]

    with session_hub(every(reply)) as address, episode(address) as session:
        session.reset()
        with pytest.raises(RequestRefusedError, match="not now"):
            session.undo()
        assert session.step(say("right"))["rewards"] == {"solved": 1.0}


def test_what_the_package_could_not_do_is_its_fault_as_it_is_here_and_no_mistake_of_the_caller() -> None:
    """A session that died in reset() or state() ended a whole training run as a usage error."""

    def reply(request):
        detail = "The package could not do this: the session's process died while it worked on this request"
        return [json.dumps({"id": request["id"], "problem": {"code": "invalid_request", "detail": detail}})]

    with (
        session_hub(every(reply)) as address,
        episode(address) as session,
        pytest.raises(CheckFailedError, match="process died"),
    ):
        session.reset()


def test_what_is_no_json_is_refused_before_it_is_sent() -> None:
    with session_hub(every(lambda request: [judged(request)])) as address, episode(address) as session:
        session.reset()
        with pytest.raises(UsageError, match="not JSON"):
            session.step({"role": "assistant", "content": float("nan")})
        assert session.step(say("right"))["rewards"] == {"solved": 1.0}


def test_a_hub_that_hangs_up_is_named() -> None:
    with (
        session_hub(lambda connection: connection.close()) as address,
        episode(address) as session,
        pytest.raises(HubClientError, match="connection to the episode is lost"),
    ):
        session.reset()

import contextlib
import json
from collections.abc import Generator
from typing import Any

import pytest

from sandbox.guest import solution
from sandbox.guest.call import Package
from sandbox.guest.completion import MARK, result_of

Questions = Generator[dict[str, Any], dict[str, Any], Any]


class Host:
    """Answers each question by ``replies``, in order."""

    def __init__(self, *replies: dict[str, Any]) -> None:
        self.requests: list[bytes] = []
        self._replies = iter(replies)

    def __call__(self, request: bytes) -> bytes:
        self.requests.append(request)
        return json.dumps(next(self._replies)).encode()


def said(text: str) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": text}}


def verify(response: str) -> Questions:
    first = yield {"complete": "point", "values": {"response": response}}
    second = yield {"complete": "again", "values": {"said": first["content"]}}
    return {"correct": float(second["content"] == "yes")}


def answer(host: Host | None, function: Any = verify) -> dict[str, Any]:
    if host is not None:
        solution.connect(host)
    package = Package.of_function(function, {"correct": (0.0, 1.0)})
    reply: dict[str, Any] = json.loads(package.answer(json.dumps({"task": {}, "response": "4"}).encode()))
    return reply


def test_a_generator_asks_and_its_return_is_the_vector() -> None:
    host = Host(said("perhaps"), said("yes"))
    assert answer(host) == {"rewards": {"correct": 1.0}}
    assert [json.loads(request) for request in host.requests] == [
        {"complete": "point", "values": {"response": "4"}},
        {"complete": "again", "values": {"said": "perhaps"}},
    ]
    assert all(request.startswith(MARK) for request in host.requests)


def test_what_is_no_generator_is_left_as_it_is() -> None:
    vector = {"correct": 1.0}
    assert result_of(vector) is vector


def test_without_an_answer_there_is_no_verdict_whatever_the_package_catches() -> None:
    def stubborn(response: str) -> Questions:
        with contextlib.suppress(BaseException):
            yield {"complete": "point", "values": {"response": response}}
        return {"correct": 0.0}

    reply = answer(Host({"unanswered": "the budget is spent"}), stubborn)
    assert reply == {"error": {"kind": "model", "message": "the budget is spent"}}


def test_a_fault_of_the_host_is_one() -> None:
    assert answer(Host({"host_fault": "gone"}))["error"]["kind"] == "host"


@pytest.mark.parametrize("question", ["point", {"act": 1}, {"complete": [{"role": "user", "content": "x"}]}, None])
def test_another_kind_of_question_is_the_authors_mistake(question: Any) -> None:
    def wrong(response: str) -> Questions:
        yield question
        return {"correct": 1.0}

    error = answer(Host(), wrong)["error"]
    assert error["kind"] == "verifier_failed"
    assert "NAME OF A PROMPT" in error["message"]


def test_outside_of_a_call_there_is_nobody_to_ask() -> None:
    assert "no host to ask" in answer(None)["error"]["message"]

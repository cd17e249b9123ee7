"""Requests and answers of an episode: matched by id, and nothing that has no name."""

import pytest

from schemas.session import SessionAnswer, SessionRequest
from tests.making.wire import check_wire, refusal

REQUEST = {"id": "1", "op": "reset", "task": {"id": "t"}, "seed": 3}


def test_each_travels() -> None:
    check_wire(SessionRequest, REQUEST)
    check_wire(SessionAnswer, {"id": "1", "result": {"reward": None}, "problem": None})


@pytest.mark.parametrize("op", ["reset", "step", "state", "branch", "undo", "close"])
def test_what_can_be_asked(op: str) -> None:
    assert SessionRequest.model_validate({"id": "1", "op": op}).session == "main"


@pytest.mark.parametrize(
    ("field", "value"),
    [("op", "exec"), ("op", ""), ("op", "__class__"), ("id", ""), ("id", "x" * 201), ("id", 1), ("seed", 1.5), ("seed", "x"), ("task", "t1"), ("task", []),
     ("message", "hello"), ("session", None)],
)  # fmt: skip
def test_anything_else_is_refused(field: str, value: object) -> None:
    assert field in refusal(SessionRequest, REQUEST | {field: value})


def test_an_answer_says_a_result_or_why_there_is_none() -> None:
    refused = SessionAnswer(id="1", problem={"code": "busy", "detail": "later"})
    assert refused.result is None
    assert SessionAnswer.model_validate_json(refused.model_dump_json()) == refused

"""Lines of a scoring stream: what cannot be JSON is refused here, and no line of a hostile hub becomes a verdict."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_client.errors import UsageError
from hub_client.transport.requests import streams
from hub_client.transport.requests.streams import problem_text, read_score_line, score_bodies
from schemas.manifest import RewardDeclaration
from schemas.verdict import ErrorKind, ScoreRequest

DECLARED = {"right": RewardDeclaration()}
JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["rewards", "right", "error", "detail"]), inner), max_leaves=5)  # fmt: skip


def score_body(requests):
    return b"".join(body for _, body in score_bodies(requests))


@given(st.lists(st.text(max_size=30), max_size=4))
def test_every_request_is_one_line_whatever_a_model_wrote(texts):
    body = score_body([ScoreRequest(id=str(number), response=text) for number, text in enumerate(texts)])
    lines = body.split(b"\n")
    assert lines.pop() == b""
    assert [json.loads(line)["response"] for line in lines] == texts


def test_half_a_surrogate_pair_stays_one_request_among_the_others():
    lines = score_body([ScoreRequest(id="0", response="\ud83d"), ScoreRequest(id="1", response="x")]).splitlines()
    assert json.loads(lines[0])["response"] == "\ud83d"
    assert json.loads(lines[1])["response"] == "x"


def test_bodies_hold_all_requests_in_order_and_no_more_bytes_than_a_hub_takes(monkeypatch):
    monkeypatch.setattr(streams, "_BODY_BYTES", 1000)
    calls = [ScoreRequest(id=str(number), response="x" * (10 if number != 7 else 5000)) for number in range(100)]
    bodies = list(score_bodies(calls))
    assert [request.id for together, _ in bodies for request in together] == [str(number) for number in range(100)]
    for together, body in bodies:
        assert [json.loads(line)["id"] for line in body.splitlines()] == [request.id for request in together]
        assert len(body) <= 1000 or len(together) == 1
    assert 3 < len(bodies) < 20


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_json_does_not_have_is_said_with_the_call(value):
    with pytest.raises(UsageError, match="call '7' cannot be sent as JSON"):
        score_body([ScoreRequest(id="7", task={"x": value})])


@settings(max_examples=60)
@given(st.fixed_dictionaries({"id": st.just("0"), "verdict": JSON}))
def test_no_line_is_believed_beyond_the_declaration(line):
    found = read_score_line(line, DECLARED)
    assert found is not None
    value = found.verdict.rewards["right"]
    assert value is None or 0 <= value <= 1
    assert set(found.verdict.rewards) == {"right"}


@pytest.mark.parametrize("line", [{}, {"id": 7, "verdict": {}}, {"id": "0"}, {"done": True}, {"heartbeat": 1}])
def test_a_line_that_is_no_verdict_is_passed_over(line):
    assert read_score_line(line, DECLARED) is None


def test_a_refused_call_is_unjudged_and_never_a_zero():
    found = read_score_line({"id": "0", "problem": {"detail": "too long"}}, DECLARED)
    assert found.verdict.rewards == {"right": None}
    assert found.verdict.error.kind is ErrorKind.HOST
    assert "too long" in found.verdict.error.message


@settings(max_examples=40)
@given(JSON)
def test_any_problem_has_a_short_text(problem):
    assert 0 < len(problem_text(problem)) <= 500

"""Lines of a scoring stream: read, or refused with their number; never dropped, whatever a stranger sends."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_server.execution.rules import RefusedLine, read_score_line, what_is_missing
from schemas.problem import ProblemCode
from schemas.verdict import ScoreRequest


def line(**fields) -> bytes:
    return json.dumps({"id": "a", "task_id": "t", "response": "4", **fields}).encode()


def test_a_sound_line_is_read() -> None:
    read = read_score_line(line(), 1, 1000)
    assert isinstance(read, ScoreRequest)
    assert (read.id, read.task_id, read.response) == ("a", "t", "4")


def test_a_line_of_exactly_the_limit_is_read_and_one_byte_more_is_refused_by_size() -> None:
    raw = line()
    assert isinstance(read_score_line(raw, 1, len(raw)), ScoreRequest)
    refused = read_score_line(raw, 7, len(raw) - 1)
    assert isinstance(refused, RefusedLine)
    assert (refused.code, refused.line) == (ProblemCode.TOO_LARGE, 7)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_in_words(raw) -> None:
    read = read_score_line(raw, 3, 1000)
    assert isinstance(read, ScoreRequest | RefusedLine)
    if isinstance(read, RefusedLine):
        json.dumps(read.to_json(), allow_nan=False)
        assert read.message.startswith("line 3: ")


@pytest.mark.parametrize(
    "raw", [b"[" * 50_000, b'{"id": ' * 20_000, b'{"id": "a", "task": {"x": NaN}}', b"\xff\xfe", b""]
)
def test_hostile_lines_are_refused(raw) -> None:
    assert isinstance(read_score_line(raw, 1, 10**7), RefusedLine)


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "1E+999", "[[1e400]]", "9" * 400 + ".5", "9" * 250 + "e99"]
)
def test_a_number_that_json_does_not_have_reaches_no_verifier(number) -> None:
    raw = f'{{"id": "a", "task": {{"answer": {number}}}, "response": "4"}}'.encode()
    refused = read_score_line(raw, 1, 1000)
    assert isinstance(refused, RefusedLine)
    assert (refused.id, refused.code) == ("a", ProblemCode.INVALID_REQUEST)


def test_words_and_numbers_that_only_look_like_it_are_read() -> None:
    assert isinstance(read_score_line(line(response="NaN, Infinity, 1e999", task={"x": 1e100}), 1, 1000), ScoreRequest)


def test_a_refusal_carries_the_lines_id_so_that_its_sender_can_tell_it() -> None:
    refused = read_score_line(line(response=7), 2, 1000)
    assert isinstance(refused, RefusedLine)
    assert refused.to_json()["id"] == "a"
    assert refused.to_json()["problem"]["code"] == "invalid_request"
    assert "response" in refused.message


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"task_id": "t", "response": ""}, None),
        ({"task": {}, "messages": []}, None),
        ({"task_id": "t", "state": {}}, None),
        ({"task_id": "t", "files": {}}, None),
        ({"response": "x"}, "task"),
        ({"task_id": "t"}, "response"),
    ],
)
def test_a_task_and_something_to_judge_are_needed_and_empty_is_something(fields, missing) -> None:
    said = what_is_missing(ScoreRequest.model_validate({"id": "a", **fields}))
    assert (said is None) if missing is None else (said is not None and missing in said)

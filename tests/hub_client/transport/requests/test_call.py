"""A request as a value: what may be sent twice, and what a refusal of any shape becomes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_client.transport.requests.call import ApiCall, nothing, problem_of


@pytest.mark.parametrize(
    ("call", "repeatable"),
    [
        (ApiCall.get("/x", nothing), True),
        (ApiCall.send("DELETE", "/x", nothing), True),
        (ApiCall.send("PUT", "/x", nothing), True),
        (ApiCall.send("POST", "/x", nothing), False),
        (ApiCall.send("PATCH", "/x", nothing), False),
        (ApiCall("POST", "/x", nothing, headers={"Idempotency-Key": "k"}), True),
        (ApiCall("POST", "/x", nothing, is_harmless_twice=True), True),
    ],
)
def test_only_what_is_harmless_twice_is_repeated(call, repeatable):
    assert call.is_repeatable is repeatable


def test_parameters_that_are_none_are_left_out_and_zero_is_not():
    assert ApiCall.get("/x", nothing, cursor=None, limit=0, q="").params == {"limit": 0, "q": ""}


def test_a_number_that_json_does_not_have_is_not_sent():
    with pytest.raises(ValueError, match="JSON"):
        ApiCall.send("POST", "/x", nothing, {"x": float("nan")})


def test_a_body_says_what_it_is_and_no_body_says_nothing():
    assert ApiCall.send("POST", "/x", nothing, {"a": 1}).headers == {"Content-Type": "application/json"}
    assert (ApiCall.send("POST", "/x", nothing).content, ApiCall.send("POST", "/x", nothing).headers) == (None, {})


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "not_authenticated"), (403, "not_allowed"), (404, "page_not_found"), (413, "too_large"),
     (429, "too_many_requests"), (500, "internal"), (503, "internal"), (418, "unknown")],
)  # fmt: skip
def test_a_proxys_page_becomes_a_refusal_by_its_status(status, code):
    found = problem_of(status, b"<html>no</html>")
    assert (found.status, found.code, found.detail) == (status, code, f"the hub answered {status}")


def test_what_a_proxy_says_in_plain_words_is_shown_in_short():
    assert problem_of(429, b"slow down" + b"!" * 999).detail.startswith("the hub answered 429: slow down!")
    assert len(problem_of(429, b"x" * 10**6).detail) < 300


@given(st.integers(400, 599), st.binary(max_size=300))
def test_any_refusal_is_a_problem(status, body):
    assert problem_of(status, body).title


@pytest.mark.parametrize("body", [b"[" * 200_000, b"null", b"[]", b"7", json.dumps({"title": 7}).encode()])
def test_a_refusal_that_is_no_problem_document_is_a_plain_one(body):
    assert problem_of(400, body).title == "the hub answered 400"

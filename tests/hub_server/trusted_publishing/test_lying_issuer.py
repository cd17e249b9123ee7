"""An issuer that the operator has named, and that signs whatever it likes: refused or used, never a failure."""

import pytest

from tests.hub_server.trusted_publishing.test_routes import SUMS, api, exchange, github, registered
from tests.making.hub import Api, make_package
from tests.making.identity_provider import Issuer

assert all((api, github, registered))  # the fixtures, for this file too

_TEXTS = ("\ud800", "a\x00b", "a\nb\r\n", "x" * 4000, "\x1b[2J", "\u202e", "😀" * 500)
_OTHERS = (7, True, 1.5, [], ["x"], {"a": "b"}, "")
_NO_NUMBERS = ("1", 1e308, -1, 10**30, float("inf"), float("nan"), [], {}, "x" * 5000)


@pytest.mark.parametrize("claim", ["jti", "sub", "repository", "workflow_ref", "environment", "repository_owner_id"])
def test_no_claim_makes_the_hub_fail(registered: Api, github: Issuer, claim: str) -> None:
    for number, value in enumerate((*_TEXTS, *_OTHERS)):
        answer = exchange(registered, github.token(**{"jti": f"{claim}-{number}", claim: value}))
        assert answer.status_code in (200, 401, 422), (value, answer.text)
        assert "\x1b" not in answer.text
    listed = registered.as_person().get(SUMS)
    assert (listed.status_code, len(listed.json()["items"])) == (200, 1), "what it said breaks no list"


@pytest.mark.parametrize("name", ["iat", "exp", "nbf"])
def test_no_time_makes_the_hub_fail(registered: Api, github: Issuer, name: str) -> None:
    used = {"nbf": (True, "1", -1)}.get(name, ())  # these say that it holds already
    for number, value in enumerate(_NO_NUMBERS):
        answer = exchange(registered, github.token(**{"jti": f"t-{number}", name: value}))
        expected = (200, 401) if value in used else (401,)
        assert answer.status_code in expected, (value, answer.text)


def test_a_token_is_used_once_whatever_else_it_says(registered: Api, github: Issuer) -> None:
    """An issuer that signs one id twice gives one token of the hub."""
    assert exchange(registered, github.token(jti="one")).status_code == 200
    for changes in ({"sub": "y"}, {"environment": "Release"}, {"extra": "z"}):
        answer = exchange(registered, github.token(jti="one", **changes))
        assert (answer.status_code, "used before" in answer.text) == (401, True), changes


def test_a_hidden_accounts_workflow_gets_nothing(registered: Api, github: Issuer) -> None:
    moda = registered.as_token(None).sign_up("moda")
    answer = moda.post("/api/v1/accounts/alice/suspend", json={"reason": "abuse", "hide_content": True})
    assert answer.status_code == 204
    given = exchange(registered, github.token())
    workflow = registered.as_token(given.json()["secret"])
    refused = workflow.publish(make_package())
    assert (refused.status_code, "suspended" in refused.text) == (403, True), refused.text

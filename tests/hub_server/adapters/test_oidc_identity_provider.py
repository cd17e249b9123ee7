"""Tokens that are forged, old, for somebody else or of a foreign issuer; and how often keys are fetched for them."""

import base64
import json
import threading
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hub_server.adapters import oidc_identity_provider
from hub_server.adapters.oidc_identity_provider import OidcIdentityProvider, fetch_json
from hub_server.ports.identity_provider import IdentityProviderAwayError, InvalidIdentityError
from hub_server.ports.outgoing_http import OutgoingError
from tests.fakes.clock import FakeClock
from tests.making.hostile_hub import answer, endless, raw_hub
from tests.making.identity_provider import AUDIENCE, GITHUB, Issuer

NOW = int(time.time())
A_DAY = 24 * 3600  # tests may run a quarter of an hour after they were collected


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def provider(issuer: Issuer) -> OidcIdentityProvider:
    return OidcIdentityProvider([GITHUB], FakeClock(), issuer.fetch)


def test_a_good_token_says_who_it_is(issuer, provider) -> None:
    assert provider.claims_of(issuer.token(), AUDIENCE)["repository"] == "alice/sums"
    provider.claims_of(issuer.token(2), AUDIENCE)
    assert len(issuer.asked) == 2, "the keys are fetched once"


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"}, {"iss": GITHUB + "/"}, {"iss": None},
        {"aud": "https://other.example"}, {"aud": None}, {"aud": [AUDIENCE, "https://other.example"]}, {"aud": AUDIENCE + "/"},
        {"exp": NOW - 60}, {"exp": None}, {"exp": NOW + 10**6}, {"exp": "soon"}, {"exp": 1e300}, {"iat": None}, {"iat": NOW + A_DAY, "exp": NOW + A_DAY + 60},
        {"nbf": NOW + A_DAY}, {"jti": None}, {"jti": ""}, {"jti": 7}, {"sub": None}, {"iat": NOW - 10**7},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(issuer, provider, changes) -> None:
    with pytest.raises(InvalidIdentityError):
        provider.claims_of(issuer.token(**changes), AUDIENCE)


def test_no_other_key_or_algorithm_signs(issuer, provider, key) -> None:
    good = issuer.token()
    public = issuer.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    head, body, signature = good.split(".")
    unsigned = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": issuer.key_id}).encode()).decode().rstrip("=")
    shared = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": issuer.key_id}).encode()).decode().rstrip("=")
    mac = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(f"{shared}.{body}".encode(), public)
    forged = [
        issuer.token(key=key), f"{unsigned}.{body}.", f"{shared}.{body}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}",
        f"{head}.{body}.{signature[:-4]}AAAA", f"{head}.{body}.", issuer.token(algorithm="RS512"),
    ]  # fmt: skip
    for token in forged:
        with pytest.raises(InvalidIdentityError):
            provider.claims_of(token, AUDIENCE)


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "a" * 16000, ". .", "\ud800", "e30.e30.e30", "W10.W10."])
def test_what_is_no_token_is_refused(provider, token) -> None:
    with pytest.raises(InvalidIdentityError):
        provider.claims_of(token, AUDIENCE)


def test_unknown_keys_make_the_hub_ask_only_now_and_then(issuer) -> None:
    clock = FakeClock()
    provider = OidcIdentityProvider([GITHUB], clock, issuer.fetch)
    for number in range(50):
        with pytest.raises(InvalidIdentityError, match="does not publish"):
            provider.claims_of(issuer.token(headers={"kid": f"made-up-{number}"}), AUDIENCE)
    assert len(issuer.asked) == 2
    clock.advance(90)
    issuer.key_id = "key-2"
    assert provider.claims_of(issuer.token(), AUDIENCE)["sub"] == "x", "a new key is found after a pause"


class Flaky:
    """An issuer that does not answer while ``is_away``."""

    def __init__(self, issuer: Issuer) -> None:
        self.issuer, self.is_away = issuer, False

    def fetch(self, url: str) -> object:
        if self.is_away:
            raise OutgoingError("Nothing accepts connections there.")
        return self.issuer.fetch(url)


def test_while_an_issuer_is_away_its_tokens_are_not_called_forged(issuer) -> None:
    """The second try within a minute was told that the issuer publishes no such key, and not to try again."""
    clock, flaky = FakeClock(), Flaky(issuer)
    provider = OidcIdentityProvider([GITHUB], clock, flaky.fetch)
    flaky.is_away = True
    for _ in range(3):
        with pytest.raises(IdentityProviderAwayError, match="cannot be fetched"):
            provider.claims_of(issuer.token(), AUDIENCE)
    flaky.is_away = False
    clock.advance(90)
    assert provider.claims_of(issuer.token(), AUDIENCE)["sub"] == "x"


def test_a_slow_issuer_holds_up_no_token_of_a_known_key_and_no_other_for_long(issuer, monkeypatch) -> None:
    """Made-up key ids had every token of the issuer wait in a thread of the hub, for as long as it took to answer."""
    monkeypatch.setattr(oidc_identity_provider, "_WAIT_SECONDS", 0.05)
    asked, answers, slow = threading.Event(), threading.Event(), threading.Event()

    def fetch(url: str) -> object:
        if slow.is_set():
            asked.set()
            assert answers.wait(30)
        return issuer.fetch(url)

    clock = FakeClock()
    provider = OidcIdentityProvider([GITHUB], clock, fetch)
    provider.claims_of(issuer.token(), AUDIENCE)
    clock.advance(90)
    slow.set()
    made_up = issuer.token(headers={"kid": "made-up"})

    def try_made_up() -> None:
        with pytest.raises(InvalidIdentityError):
            provider.claims_of(made_up, AUDIENCE)

    thread = threading.Thread(target=try_made_up)
    thread.start()
    try:
        assert asked.wait(30)
        assert provider.claims_of(issuer.token(), AUDIENCE)["sub"] == "x"
        with pytest.raises(IdentityProviderAwayError, match="being fetched"):
            provider.claims_of(made_up, AUDIENCE)
        assert not answers.is_set(), "neither waited for the issuer"
    finally:
        answers.set()
        thread.join(30)


def test_an_issuer_that_is_away_does_not_prolong_the_use_of_old_keys(issuer) -> None:
    clock, flaky = FakeClock(), Flaky(issuer)
    provider = OidcIdentityProvider([GITHUB], clock, flaky.fetch)
    token = issuer.token()
    provider.claims_of(token, AUDIENCE)
    flaky.is_away = True
    clock.advance(1800)
    with pytest.raises(IdentityProviderAwayError):
        provider.claims_of(issuer.token(headers={"kid": "made-up"}), AUDIENCE)
    assert provider.claims_of(token, AUDIENCE)["sub"] == "x", "a made-up key id does not drop keys that are in use"
    clock.advance(1860)
    for _ in range(2):
        with pytest.raises(IdentityProviderAwayError):
            provider.claims_of(token, AUDIENCE)


@pytest.mark.parametrize(
    "described",
    [{}, [], None, {"issuer": "https://evil.example", "jwks_uri": f"{GITHUB}/keys"}, {"issuer": GITHUB, "jwks_uri": "file:///etc/passwd"},
     {"issuer": GITHUB, "jwks_uri": 7}],
)  # fmt: skip
def test_an_issuer_that_describes_another_is_not_believed(issuer, described) -> None:
    provider = OidcIdentityProvider([GITHUB], FakeClock(), lambda _: described)
    with pytest.raises(IdentityProviderAwayError):
        provider.claims_of(issuer.token(), AUDIENCE)


@pytest.mark.parametrize("keys", [None, [], "x", 7, {}, {"keys": None}, {"keys": [None]}, {"keys": [{"kty": ["RSA"]}]}])
def test_keys_that_are_none_are_the_issuers_fault(issuer, keys) -> None:
    fetch = lambda url: issuer.fetch(url) if url.endswith("configuration") else keys  # noqa: E731
    with pytest.raises(IdentityProviderAwayError):
        OidcIdentityProvider([GITHUB], FakeClock(), fetch).claims_of(issuer.token(), AUDIENCE)


def test_documents_are_read_to_their_limit_and_no_redirect_is_followed() -> None:
    with raw_hub(answer(b'{"a": 1}')) as hub:
        assert fetch_json(hub.url) == {"a": 1}
    with raw_hub(endless(b" " * 65536, "")) as hub, pytest.raises(OutgoingError):
        fetch_json(hub.url)
    with (
        raw_hub(answer(b"", status="302 Found", headers={"Location": "http://127.0.0.1:1/"})) as hub,
        pytest.raises(OutgoingError, match="302"),
    ):
        fetch_json(hub.url)

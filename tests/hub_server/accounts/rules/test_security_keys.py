"""What a key's answer proves: nothing of a damaged answer is taken, and no bytes at all make the hub fail."""

import base64
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_server.accounts.rules.security_keys import (
    KeyState,
    RelyingParty,
    ask_to_prove,
    ask_to_register,
    key_named_in,
    read_proof,
    read_registration,
    relying_party,
)
from tests.making.security_key import SoftwareKey

PARTY = RelyingParty("hub.example", "https://hub.example")
CHALLENGE = "c2l4dGVlbiBieXRlcyE"
KEY = SoftwareKey()
FIRST = KEY.register(ask_to_register(PARTY, "carol", "id-carol", [], CHALLENGE))
STATE = read_registration(PARTY, FIRST, CHALLENGE)
PROOF = KEY.prove(ask_to_prove(PARTY, [STATE.credential_id] if STATE else [], CHALLENGE))


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://hub.example", "https://hub.example"),
        ("https://HUB.example:443/below/", "https://hub.example"),
        ("https://hub.example:8443", "https://hub.example:8443"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://localhost", "http://localhost"),
        ("https://höb.example", "https://xn--hb-fka.example"),
        ("http://hub.example", None),
        ("https://127.0.0.1:8000", None),
        ("https://[::1]", None),
        ("https://hub.example:port", None),
        ("https://" + "x" * 70 + ".example", None),
        ("", None),
    ],
)
def test_keys_are_bound_to_the_public_address(url: str, origin: str | None) -> None:
    party = relying_party(url)
    assert (party.origin if party else None) == origin


def state() -> KeyState:
    assert STATE is not None
    return STATE


def test_a_sound_answer_is_taken() -> None:
    assert key_named_in(PROOF) == state().credential_id
    assert read_proof(PARTY, PROOF, CHALLENGE, state()) == 1
    assert read_proof(PARTY, PROOF, CHALLENGE, replace(state(), sign_count=1)) is None
    assert read_proof(RelyingParty("other.example", PARTY.origin), PROOF, CHALLENGE, state()) is None
    assert read_proof(PARTY, FIRST, CHALLENGE, state()) is None
    assert read_registration(PARTY, PROOF, CHALLENGE) is None
    assert read_registration(PARTY, FIRST, "AAAA") is None


def test_what_is_asked_names_the_known_keys_and_wants_no_password_of_the_key() -> None:
    first = ask_to_register(PARTY, "carol", "id-carol", [state().credential_id], CHALLENGE)
    assert [one["id"] for one in first["excludeCredentials"]] == [state().credential_id]
    assert first["challenge"] == CHALLENGE
    assert first["authenticatorSelection"]["userVerification"] == "discouraged"
    later = ask_to_prove(PARTY, [state().credential_id], CHALLENGE)
    assert (later["rpId"], later["userVerification"]) == ("hub.example", "discouraged")


def decoded(text: str) -> bytearray:
    return bytearray(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@given(st.sampled_from(["clientDataJSON", "authenticatorData", "signature"]), st.integers(0, 2000), st.integers(0, 7))
def test_no_flipped_bit_of_a_proof_is_taken(part: str, place: int, bit: int) -> None:
    answer = json.loads(PROOF)
    raw = decoded(answer["response"][part])
    raw[place % len(raw)] ^= 1 << bit
    answer["response"][part] = encoded(bytes(raw))
    assert read_proof(PARTY, json.dumps(answer), CHALLENGE, state()) is None


@given(st.integers(0, 2000), st.binary(max_size=40), st.booleans())
def test_no_bytes_in_a_first_answer_make_the_hub_fail(place: int, other: bytes, is_cut: bool) -> None:
    answer = json.loads(FIRST)
    raw = decoded(answer["response"]["attestationObject"])
    start = place % len(raw)
    raw[start : len(raw) if is_cut else start + len(other)] = other
    answer["response"]["attestationObject"] = encoded(bytes(raw))
    found = read_registration(PARTY, json.dumps(answer), CHALLENGE)
    if found is not None:  # another key than hers, which nobody can sign with, or the same one
        assert len(found.public_key) < 4000
        assert read_proof(PARTY, PROOF, CHALLENGE, found) in (None, 1)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=9),
        lambda one: st.lists(one) | st.dictionaries(st.text(max_size=9), one),
        max_leaves=9,
    )
)
def test_no_json_is_a_fault(value) -> None:
    text = json.dumps(value)
    assert key_named_in(text) == "" or isinstance(value, dict)
    assert read_proof(PARTY, text, CHALLENGE, state()) is None
    assert read_registration(PARTY, text, CHALLENGE) is None

"""Secrets that can be told from typing errors, codes that people type."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_server.accounts.rules.secrets import (
    clean_user_code,
    is_token_shaped,
    make_token_secret,
    make_user_code,
    secret_hash,
)


def test_a_fresh_secret_is_shaped_like_a_token_and_never_the_same() -> None:
    secrets = {make_token_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert all(is_token_shaped(secret) for secret in secrets)
    assert all(re.fullmatch(r"verihub_pat_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}", secret) for secret in secrets)


@given(st.integers(min_value=0, max_value=31))
def test_one_wrong_character_is_noticed(place) -> None:
    secret = make_token_secret()
    at = len("verihub_pat_") + place
    wrong = "a" if secret[at] != "a" else "b"
    assert not is_token_shaped(secret[:at] + wrong + secret[at + 1 :])


@given(st.text())
def test_any_text_can_be_asked_about(text) -> None:
    assert not is_token_shaped(text)
    assert not is_token_shaped("verihub_pat_" + text)


def test_what_is_stored_of_a_secret_does_not_hold_it() -> None:
    secret = make_token_secret()
    assert re.fullmatch("[0-9a-f]{64}", secret_hash(secret))
    assert secret not in secret_hash(secret)
    assert secret_hash("\ud800")  # half a surrogate pair is no crash


@pytest.mark.parametrize(
    "typed", [str, str.lower, lambda code: code.replace("-", ""), lambda code: f" {code[:4]} {code[5:]}\n"]
)
def test_a_code_is_found_however_a_person_types_it(typed) -> None:
    code = make_user_code()
    assert re.fullmatch("[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", code)
    assert clean_user_code(typed(code)) == code


def test_a_code_of_something_else_is_just_another_code() -> None:
    assert clean_user_code("") == "-"
    assert clean_user_code("12345678") == "-"

"""Codes as people type them, and the half minute that a code is of."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from hub_server.accounts.rules.second_factors import (
    clean_code,
    make_recovery_code,
    make_totp_secret,
    step_of_code,
    totp_uri,
)

NOW = datetime(2026, 11, 26, tzinfo=UTC)


def test_a_recovery_code_is_the_same_however_it_is_typed() -> None:
    code = make_recovery_code()
    assert len(clean_code(code)) == 16
    assert clean_code(code.upper().replace("-", " ")) == clean_code(code)
    assert make_recovery_code() != code


@given(st.text(max_size=12))
def test_any_text_can_be_asked_about(text: str) -> None:
    step = step_of_code(make_totp_secret(), text, NOW, after=0)
    assert step is None or text.isdigit()


def test_the_address_of_a_secret_is_one_that_apps_read() -> None:
    secret = make_totp_secret()
    assert totp_uri(secret, "carol").startswith("otpauth://totp/Verihub:carol?")
    assert secret in totp_uri(secret, "carol")

"""E-mail addresses: what is one, and what may hold one."""

import pytest
from pydantic import TypeAdapter, ValidationError

from schemas.emails import Email, holds_email, is_email

EMAIL = TypeAdapter(Email)


@pytest.mark.parametrize("text", ["ada@example.org", "a.b+c@x", "\N{GREEK SMALL LETTER ALPHA}@example.org"])
def test_an_address_is_one(text: str) -> None:
    assert EMAIL.validate_python(text) == text
    assert is_email(text)
    assert holds_email(text)


@pytest.mark.parametrize(
    "text", ["ada", "", "@", "ada@", "@example.org", "a@b@c", "ada @example.org", "ada@example.org\n "]
)
def test_what_is_none_is_refused(text: str) -> None:
    assert not is_email(text)
    with pytest.raises(ValidationError):
        EMAIL.validate_python(text)


def test_an_address_has_254_characters_at_most() -> None:
    longest = f"{'a' * 64}@{'b' * 189}"
    assert EMAIL.validate_python(longest) == longest
    with pytest.raises(ValidationError):
        EMAIL.validate_python(f"{longest}b")


@pytest.mark.parametrize("text", ["Ada (ada@example.org)", "Ada, ada @ example.org", "a@b@c"])
def test_a_name_that_hides_an_address_holds_one(text: str) -> None:
    assert holds_email(text)
    assert not is_email(text)

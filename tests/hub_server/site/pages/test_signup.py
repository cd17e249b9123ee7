"""Making an account."""

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, Api


def test_signing_up_signs_in_and_leaves_no_token_behind(reader: Browser) -> None:
    page = reader.sign_up("jun")
    assert page.url.endswith("/account")
    assert "jun" in page.text
    assert "No tokens" in page.text


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"name": "J", "email": "j@example.org", "password": PASSWORD}, "name"),
        ({"name": "two-words", "email": "j@example.org", "password": PASSWORD}, "name"),
        ({"name": "jun", "email": "nowhere", "password": PASSWORD}, "email"),
        ({"name": "jun", "email": "j@example.org", "password": "short"}, "password"),
    ],
)
def test_signing_up_names_the_field_and_never_repeats_the_password(reader: Browser, form: dict, field: str) -> None:
    page = reader.post("/signup", form)
    assert page.status == 422
    assert page.all("input", name=field)[0]["aria-invalid"] == "true"
    assert form["password"] not in page.html


def test_a_taken_name_is_refused_in_words(reader: Browser, alice: Api) -> None:
    page = reader.sign_up("alice")
    assert page.status == 409
    assert "taken" in page.text
    assert page.all("input", name="email", value="alice@example.org")

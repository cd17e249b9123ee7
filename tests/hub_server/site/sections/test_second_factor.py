"""The page of second factors, on a hub where browsers use no keys."""

from tests.hub_server.site.conftest import Browser


def test_a_hub_without_a_public_name_says_why_there_are_no_keys(reader: Browser) -> None:
    reader.sign_up("carol")
    page = reader.get("/account/second-factor")
    assert "VERIHUB_SERVER_PUBLIC_URL" in page.text
    assert not page.all("form", action="/account/security-keys")
    assert page.answer.headers["cache-control"] == "no-store"

"""Which addresses of strangers may be links."""

import pytest

from schemas.links import MOST_URL_CHARACTERS, is_link


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org/x",
        "example.org",
        "https://",
        "https:///path",
        "https://github.com@evil.example/",
        "https://user:word@example.org/",
        "https://exa mple.org/",
        "https://example.org/\u202egro.elpmaxe",
        'https://example.org/"onclick=',
        "https://[::1",
        "https://example.org:port/",
        "http://example.org/" + "x" * MOST_URL_CHARACTERS,
        "mailto:ada@example.org",
    ],
)
def test_what_is_no_plain_web_address_is_no_link(url: str) -> None:
    assert not is_link(url)


def test_a_whole_web_address_is_one() -> None:
    assert is_link("https://example.org:8443/lab?a=b#c")

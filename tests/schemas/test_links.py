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


@pytest.mark.parametrize(
    "url",
    ["https://good.com%2eevil.com/", "https://ｇood.com/", "https://evil。com/", "https://good.com;evil.com/",
     "https://evil.com%00.good.com/", "https://\u0430pple.com/", "https://good\u00ad.com/", "https://good.com\u2044x.evil.com/"],
)  # fmt: skip
def test_a_host_that_browsers_may_read_otherwise_is_none(url: str) -> None:
    """Pages show the host beside the link, and so vouch for it."""
    assert not is_link(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org:8443/lab?a=b#c",
        "https://xn--fa-hia.de/%2e",
        "http://[2001:db8::1]:80/",
        "https://EXAMPLE.org/ä",
    ],
)
def test_a_whole_web_address_is_one(url: str) -> None:
    assert is_link(url)

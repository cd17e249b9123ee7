"""Signing a browser in."""

import pytest

from hub_server.site.sections.web_sessions import safe_next


@pytest.mark.parametrize(
    ("target", "lands"),
    [
        ("/packages/a/b", "/packages/a/b"),
        ("/runs?owner=a#x", "/runs?owner=a#x"),
        ("//evil.example", "/account"),
        ("https://evil.example/", "/account"),
        ("/\\evil.example", "/account"),
        ("javascript:alert(1)", "/account"),
        ("/a\nSet-Cookie: x=1", "/account"),
        ("", "/account"),
        ("//[", "/account"),
        ("http://[", "/account"),
    ],
)
def test_nobody_is_sent_elsewhere_after_signing_in(target: str, lands: str) -> None:
    assert safe_next(target) == lands

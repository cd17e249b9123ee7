"""Authors and links of a project: only what may be shown to a stranger is kept."""

import pytest

from schemas.wheels.project_facts import (
    MOST_AUTHORS,
    MOST_LABEL_CHARACTERS,
    MOST_LINKS,
    MOST_URL_CHARACTERS,
    is_link,
    read_authors,
    read_links,
)


def test_names_are_kept_and_addresses_are_not() -> None:
    found = read_authors(
        ("Ada Lovelace, Bo", None), ("Ada Lovelace <ada@example.org>, only@example.org", '"Doe, Jo" <jo@example.org>')
    )
    assert found == ("Ada Lovelace", "Bo", "Doe, Jo")
    assert read_authors(("ada@example.org", "x" * 81), (None, "")) == ()
    assert len(read_authors((", ".join(f"n{i}" for i in range(99)),), ())) == MOST_AUTHORS


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
    assert read_links([("Source", url)]) == ()


def test_links_keep_their_order_each_once_and_in_bounds() -> None:
    found = read_links(
        [("  Source \n code ", "https://example.org/a"), ("Again", "https://example.org/a"), ("", "https://e.org")]
    )
    assert [(link.label, link.url) for link in found] == [("Source code", "https://example.org/a")]
    many = read_links([("L" * 99, f"https://example.org/{i}") for i in range(99)])
    assert len(many) == MOST_LINKS
    assert len(many[0].label) == MOST_LABEL_CHARACTERS

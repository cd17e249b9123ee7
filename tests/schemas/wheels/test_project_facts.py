"""Authors and links of a project: only what may be shown to a stranger is kept."""

from schemas.wheels.project_facts import (
    MOST_AUTHORS,
    MOST_LABEL_CHARACTERS,
    MOST_LINKS,
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


def test_links_keep_their_order_each_once_and_in_bounds() -> None:
    found = read_links(
        [("  Source \n code ", "https://example.org/a"), ("Again", "https://example.org/a"), ("", "https://e.org")]
    )
    assert [(link.label, link.url) for link in found] == [("Source code", "https://example.org/a")]
    many = read_links([("L" * 99, f"https://example.org/{i}") for i in range(99)])
    assert read_links([("Source", "javascript:alert(1)")]) == ()
    assert len(many) == MOST_LINKS
    assert len(many[0].label) == MOST_LABEL_CHARACTERS

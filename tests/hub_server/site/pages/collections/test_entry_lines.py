import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from hub_server.site.pages.collections.entry_lines import entries_of, lines_of
from schemas.collections import CollectionEntry
from schemas.names import InvalidNameError

NOTES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=80).map(lambda text: " ".join(text.split()))
ENTRIES = st.lists(
    st.builds(
        CollectionEntry,
        package=st.sampled_from(["alice/sums", "bob/long-sums"]),
        version=st.sampled_from([None, "1.0.0", "2.1rc1"]),
        note=NOTES,
    )
)


@given(ENTRIES)
def test_what_is_shown_in_the_form_is_read_back_the_same(entries: list[CollectionEntry]) -> None:
    assert entries_of(lines_of(entries)) == entries


def test_empty_lines_and_spaces_are_nothing() -> None:
    assert entries_of("\r\n  alice/sums\t First.  \r\n\r\n") == [CollectionEntry(package="alice/sums", note="First.")]


@pytest.mark.parametrize("line", ["First alice/sums", "alice/sums@>=1 x", "<b>"])
def test_a_line_that_begins_with_no_package_is_said(line: str) -> None:
    with pytest.raises(InvalidNameError):
        entries_of(line)


def test_a_note_has_an_end() -> None:
    with pytest.raises(ValidationError):
        entries_of("alice/sums " + "x" * 501)

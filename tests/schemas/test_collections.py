import pytest
from pydantic import ValidationError

from schemas.collections import MOST_ENTRIES, MOST_NOTE, MOST_TEXT, Collection, CollectionEntry, CollectionWrite
from schemas.names import InvalidNameError


@pytest.mark.parametrize(
    ("text", "package", "version"),
    [
        ("alice/sums", "alice/sums", None),
        ("alice/sums@latest", "alice/sums", None),
        ("alice/sums@1.0.0", "alice/sums", "1.0.0"),
    ],
)
def test_an_entry_is_a_package_or_one_release_of_it(text: str, package: str, version: str | None) -> None:
    entry = CollectionEntry.parse(text, "Begin here.")
    assert (entry.package, entry.version, entry.note) == (package, version, "Begin here.")
    assert CollectionEntry.parse(entry.reference) == CollectionEntry(package=package, version=version)


@pytest.mark.parametrize("text", ["alice", "alice/sums@>=1", "alice/sums@sha256:" + "0" * 64, "alice/sums@1.0+x", ""])
def test_what_names_no_single_version_is_no_entry(text: str) -> None:
    with pytest.raises(InvalidNameError):
        CollectionEntry.parse(text)


def test_two_versions_of_a_package_may_stand_beside_each_other_and_one_twice_may_not() -> None:
    one, other = CollectionEntry.parse("alice/sums@1.0.0"), CollectionEntry.parse("alice/sums")
    assert len(CollectionWrite(title="t", entries=[one, other]).entries) == 2
    with pytest.raises(ValidationError, match=r"alice/sums@1.0.0 stands in the list twice"):
        CollectionWrite(title="t", entries=[one, other, CollectionEntry.parse("alice/sums@1.0.0", "again")])


def test_a_title_is_one_line_with_something_in_it() -> None:
    assert CollectionWrite(title="  Sums  ").title == "Sums"
    for title in ("", " ", "a\nb", "a\x7fb", "x" * 121):
        with pytest.raises(ValidationError):
            CollectionWrite(title=title)


@pytest.mark.parametrize(
    ("revision", "is_good"), [(None, True), (0, True), (2**31 - 1, True), (-1, False), (2**31, False)]
)
def test_a_revision_is_a_number_that_a_column_holds(revision: int | None, is_good: bool) -> None:
    if is_good:
        assert CollectionWrite(title="t", revision=revision).revision == revision
        return
    with pytest.raises(ValidationError):
        CollectionWrite(title="t", revision=revision)


def test_a_collection_and_a_note_have_an_end() -> None:
    entries = [CollectionEntry(package=f"alice/p{number}") for number in range(MOST_ENTRIES)]
    assert len(CollectionWrite(title="t", entries=entries, text="x" * MOST_TEXT).entries) == MOST_ENTRIES
    with pytest.raises(ValidationError):
        CollectionWrite(title="t", entries=[*entries, CollectionEntry(package="alice/more")])
    with pytest.raises(ValidationError):
        CollectionWrite(title="t", text="x" * (MOST_TEXT + 1))
    with pytest.raises(ValidationError):
        CollectionEntry(package="alice/p", note="x" * (MOST_NOTE + 1))


def test_an_older_client_reads_what_a_newer_hub_says() -> None:
    said = {
        "id": "alice/sums", "title": "Sums", "visibility": "public", "entry_count": 1, "created_at": "2026-11-25T00:00:00Z",
        "updated_at": "2026-11-25T00:00:00Z", "owner": "alice", "text": "", "revision": 1, "stars": 7,
        "entries": [{"package": "alice/x", "version": None, "note": "", "card": None, "stars": 7}],
    }  # fmt: skip
    found = Collection.read(said)
    assert [entry.reference for entry in found.entries] == ["alice/x"]
    assert Collection.read(found.model_dump(mode="json")) == found

"""A collection as a file: what it may hold, and that a hub's words come back as they were."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_client.commands.collection_file import read_collection, toml_of, with_entry, write_of
from hub_client.errors import UsageError
from schemas.collections import MOST_ENTRIES, Collection, CollectionEntry, CollectionWrite, ShownEntry

NOW = datetime(2026, 11, 25, tzinfo=UTC)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


def collection(**changes: object) -> Collection:
    fields: dict[str, object] = {
        "id": "alice/sums", "title": "Sums", "visibility": "private", "entry_count": 1, "created_at": NOW, "updated_at": NOW,
        "owner": "alice", "text": "", "entries": [ShownEntry(package="alice/x", version="1.0.0", note="n")], "revision": 2,
    }  # fmt: skip
    return Collection(**(fields | changes))


@given(TEXTS, TEXTS)
def test_whatever_a_hub_says_is_read_back_from_the_file(text: str, note: str) -> None:
    found = collection(text=text, entries=[ShownEntry(package="alice/x", note=note)])
    data = tomllib.loads(toml_of(found))
    assert data["entries"] == [{"package": "alice/x", "note": note}]
    assert data["text"].replace("\r\n", "\n") == text.replace("\r\n", "\n")


def test_a_file_has_what_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(toml_of(collection()))
    collection_id, body = read_collection(file)
    assert (collection_id, body.visibility, body.revision) == ("alice/sums", "private", 2)
    assert (
        body.entries
        == write_of(collection()).entries
        == [CollectionEntry(package="alice/x", version="1.0.0", note="n")]
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not owner/name"),
        ('id = "alice/x"', "title"),
        ('id = "alice/x"\ntitle = "t"\nentires = []', "entires is unknown"),
        ('id = "alice/x"\ntitle = "t"\n[[entries]]\npackage = "alice/y@>=1"', "names no single version"),
        ('id = "alice/x"\ntitle = "t"\n[[entries]]\nname = "alice/y"', "name is unknown in an entry"),
        ('id = "alice/x"\ntitle = "t"\nentries = ["alice/y"]', ""),
        ('id = "alice/x"\ntitle = "t"\nentries = 3', ""),
        ('id = "alice/x"\ntitle = 3', "title"),
        ('id = "alice/x"\ntitle = "t"\n[[entries]]\npackage = "alice/y"\nnote = 3', "note"),
        ("id = ", ""),
        ("\udcff", ""),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_name(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "c.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=r"c\.toml") as caught:
        read_collection(file)
    assert said in str(caught.value)


def test_a_collection_is_not_filled_beyond_its_end() -> None:
    full = CollectionWrite(title="t", entries=[CollectionEntry(package=f"alice/p{n}") for n in range(MOST_ENTRIES)])
    assert with_entry(full, CollectionEntry(package="alice/p0", note="x")).entries[0].note == "x"
    with pytest.raises(UsageError, match="at most"):
        with_entry(full, CollectionEntry(package="alice/more"))

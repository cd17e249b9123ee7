"""A collection as a TOML file: what ``verihub collection publish`` reads and ``show --toml`` writes."""

from pathlib import Path
from typing import Any

import tomlkit
from pydantic import ValidationError

from hub_client.errors import UsageError
from schemas.collections import MOST_ENTRIES, Collection, CollectionEntry, CollectionWrite
from schemas.names import check_package_id
from schemas.package import Visibility
from schemas.strict_toml import parse_toml

_KEYS = {"id", "title", "text", "visibility", "revision", "entries"}


def read_collection(file: Path) -> tuple[str, CollectionWrite]:
    """(``owner/name``, the collection) in a file. Raises :class:`UsageError` with what is wrong in it."""
    try:
        data = parse_toml(file.read_text(encoding="utf-8"))
        if unknown := data.keys() - _KEYS:
            raise UsageError(f"{file}: {', '.join(sorted(unknown))} is unknown; it may have {', '.join(sorted(_KEYS))}")
        collection_id = check_package_id(str(data.pop("id", "")))
        entries = [_entry_of(entry) for entry in data.pop("entries", [])]
        return collection_id, CollectionWrite(**data, entries=entries)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{file}: {place + ': ' if place else ''}{first['msg']}") from None
    except (ValueError, TypeError, AttributeError) as error:  # no TOML, no names, or other types than the format has
        raise UsageError(f"{file}: {error}") from None


def _entry_of(entry: dict[str, Any]) -> CollectionEntry:
    """``package = "owner/name@1.2.0"`` with a ``note``."""
    if unknown := entry.keys() - {"package", "note"}:
        raise ValueError(f"{', '.join(sorted(unknown))} is unknown in an entry; it has package and note")
    return CollectionEntry.parse(str(entry.get("package", "")), entry.get("note", ""))


def write_of(found: Collection) -> CollectionWrite:
    """A collection that was read from the hub, in the form in which it is sent back."""
    kept = [CollectionEntry(package=one.package, version=one.version, note=one.note) for one in found.entries]
    return CollectionWrite(title=found.title, text=found.text, entries=kept, revision=found.revision)


def with_entry(before: CollectionWrite, entry: CollectionEntry) -> CollectionWrite:
    """The collection with ``entry`` at its end, or in the place of the same one. Raises :class:`UsageError`."""
    entries = [entry if one.reference == entry.reference else one for one in before.entries]
    if entry not in entries:
        entries.append(entry)
    if len(entries) > MOST_ENTRIES:
        raise UsageError(f"a collection has at most {MOST_ENTRIES} packages")
    return before.model_copy(update={"entries": entries})


def write_collection_file(file: Path, found: Collection) -> None:
    """Write the file of a collection. Raises :class:`UsageError` where it cannot be written."""
    try:
        file.write_text(toml_of(found), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None


def toml_of(found: Collection) -> str:
    """The file of a collection. By its revision, publishing it does not undo what others did meanwhile."""
    made = tomlkit.document()
    made["id"] = found.id
    made["title"] = found.title
    made["text"] = tomlkit.string(found.text, multiline="\n" in found.text)
    if found.visibility is Visibility.PRIVATE:
        made["visibility"] = found.visibility.value
    made["revision"] = found.revision
    entries = tomlkit.aot()
    for entry in found.entries:
        row = tomlkit.table()
        row["package"] = entry.reference
        row["note"] = entry.note
        entries.append(row)
    made["entries"] = entries
    return tomlkit.dumps(made)

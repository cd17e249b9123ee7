"""Rows that the user gives with ``--rows``, because the source would fetch them and a box has no network."""

import json
import re
from pathlib import Path, PurePosixPath
from typing import Any, Never

from hub_client.errors import CheckFailedError, NotFoundError
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.project import ROWS
from schemas.rows import RowsError, read_rows

LARGEST = 64 << 20
"""The most bytes in all: a release takes no more."""
_PART = re.compile(r"-\d{5}-of-\d{5}$")


def read_given_rows(folder: Path | None) -> dict[str, bytes]:
    """The files to put into the project: path (below ``rows``) -> content. Empty where ``folder`` is None.

    A local copy of a data set's repository is understood: ``OWNER/NAME/CONFIG/test-00000-of-00001.parquet`` becomes
    ``OWNER/NAME/CONFIG/test.jsonl``, without the folder ``data`` on the way. All other files are copied as they are.
    """
    if folder is None:
        return {}
    if not folder.is_dir():
        raise NotFoundError(f"{folder} is no folder: --rows takes one, with OWNER/NAME/CONFIG/SPLIT.jsonl in it")
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_symlink() or not path.is_file() or any(part.startswith(".") for part in inside.parts):
            continue
        if path.suffix == ".parquet":
            place = PurePosixPath(*(part for part in inside.parent.parts if part != "data"))
            target = f"{ROWS}/{place / _PART.sub('', path.stem)}.jsonl"
            found[target] = found.get(target, b"") + _lines(path)
        else:
            found[f"{ROWS}/{inside.as_posix()}"] = path.read_bytes()
    if sum(map(len, found.values())) > LARGEST:
        raise ImportRefusedError(f"{folder} holds over {LARGEST >> 20} MB")
    return found


def _lines(path: Path) -> bytes:
    try:
        rows = [row for _, row in read_rows(path.read_bytes(), path.name, _fail)]
        return "".join(json.dumps(row, ensure_ascii=False, default=_plain) + "\n" for row in rows).encode()
    except (RowsError, TypeError) as error:
        raise CheckFailedError(f"{path}: {error}") from None


def _plain(value: Any) -> str:
    if isinstance(value, bytes | bytearray):
        raise TypeError("it holds pictures or sound, not text alone")
    return str(value)


def _fail(number: int, sentence: str) -> Never:
    raise CheckFailedError(f"row {number}: {sentence}")

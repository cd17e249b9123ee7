"""Rows in the shapes of Hugging Face's data sets, from a local JSON Lines or Parquet file, or a folder of them."""

import functools
import hashlib
import re
import statistics
from pathlib import Path
from typing import Any, Never

from hub_client.errors import CheckFailedError, NotFoundError, UsageError
from hub_client.imports.draft import Draft, ImportRefusedError, Item, Provenance
from hub_client.imports.registry import Request
from hub_client.imports.row_shapes import Shape, find_shape
from hub_client.imports.source import code_of
from schemas.rows import RowsError, read_rows
from schemas.sources import DATA_SUFFIXES

SPLITS = {"train": "train", "test": "test", "validation": "validation", "valid": "validation", "dev": "validation"}
_CARD_LICENCE = re.compile(r"\A---\n.*?^license:\s*[\"']?([\w.+-]+)", re.MULTILINE | re.DOTALL)
_KNOWN = "MIT Apache-2.0 BSD-3-Clause CC0-1.0 CC-BY-4.0 CC-BY-SA-3.0 CC-BY-SA-4.0"
_SPDX = {name.lower(): name for name in _KNOWN.split()}
"""What a card says -> SPDX."""
_SPLIT = re.compile(r"[A-Za-z0-9]\w{0,39}")
_CASES = "audit"
"""The file of this name holds the cases."""
_TEST_SHARE = 10
"""Of a single file, one task in so many is for test."""
_LONG = 80
"""Above this median length in characters, answers are texts that no comparison can judge."""


class Rows:
    """One file, or a folder whose files are called after their splits."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._place = Path(request.where)

    @functools.cached_property
    def _files(self) -> list[Path]:
        if not self._request.where:
            raise UsageError("rows are in a file or a folder: `verihub import rows:data/train.jsonl OWNER/NAME`")
        found = sorted(self._place.iterdir()) if self._place.is_dir() else [self._place]
        files = [path for path in found if path.suffix in DATA_SUFFIXES and path.is_file()]
        if not files:
            raise NotFoundError(f"{self._place} is no .jsonl or .parquet file, and no folder with one")
        return files

    @functools.cached_property
    def _rows(self) -> list[tuple[str, dict[str, Any]]]:
        """(split, row); the split is empty where no file's name says it."""
        return [(_said_by(row) or self._split(path), row) for path in self._files for row in _rows_of(path)]

    def _split(self, path: Path) -> str:
        return SPLITS.get(path.stem.split("-")[0].lower(), "")

    def items(self) -> list[Item]:
        shape = find_shape(self._columns)
        line = f"{len(self._rows)} rows: {shape.line}" if not isinstance(shape, str) else ""
        return [Item(self._request.where, line, shape if isinstance(shape, str) else "")]

    @property
    def _columns(self) -> dict[str, Any]:
        if not self._rows:
            raise ImportRefusedError(f"{self._place} has no rows")
        return self._rows[0][1]

    def draft(self, item: str) -> Draft:
        shape = find_shape(self._columns)
        if isinstance(shape, str):
            raise ImportRefusedError(shape)
        splits = self._tasks(shape)
        answers = [len(str(task["answer"])) for tasks in splits.values() for task in tasks]
        if shape.compared and statistics.median(answers) > _LONG:
            raise ImportRefusedError(f"half of its answers have over {_LONG} characters, which no comparison can judge")
        return Draft(
            self._provenance(item),
            summary=f"{shape.line[0].upper()}{shape.line[1:]}: {self._place.stem}",
            code=code_of(shape.template),
            rewards={"correct": {"description": shape.reward, "threshold": 1.0}},
            splits=splits,
            response=shape.response,
            one_right_answer=shape.one_right_answer,
            tags=[*shape.tags, "single-turn"],
            notes=shape.notes,
        )

    def _tasks(self, shape: Shape) -> dict[str, list[dict[str, Any]]]:
        """Tasks by split, each prompt once in all of them. Rows that the shape cannot read are passed over."""
        splits: dict[str, list[dict[str, Any]]] = {}
        seen: set[str] = set()
        for number, (split, row) in enumerate(self._rows):
            task = shape.task(row)
            if task is None or str(task["prompt"]) in seen:
                continue
            seen.add(str(task["prompt"]))
            drawn = int(hashlib.sha256(str(task["prompt"]).encode()).hexdigest()[:8], 16) % _TEST_SHARE
            chosen = split or ("train" if drawn else "test")
            splits.setdefault(chosen, []).append({"id": f"{chosen}-{number:05d}", **task})
        if not splits:
            raise ImportRefusedError(f"no row of {self._place} has what its first row promises: {shape.line}")
        return splits

    def _provenance(self, item: str) -> Provenance:
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in self._files)).hexdigest()
        card = (self._place if self._place.is_dir() else self._place.parent) / "README.md"
        return Provenance(f"rows:{item}", f"sha256-{digest[:12]}", self._licence(card))

    def _licence(self, card: Path) -> str:
        """What was said, or what the data set's card says."""
        found = _CARD_LICENCE.match(card.read_text(encoding="utf-8", errors="replace")) if card.is_file() else None
        licence = self._request.licence or _SPDX.get(found[1].lower() if found else "", "")
        if not licence:
            raise UsageError("give the rows' licence, since all on a hub is public: for example --licence CC-BY-4.0")
        return licence


def _rows_of(path: Path) -> list[dict[str, Any]]:
    def fail(number: int, sentence: str) -> Never:
        raise CheckFailedError(f"{path}: line {number}: {sentence}")

    try:
        return [row for _, row in read_rows(path.read_bytes(), path.name, fail)]
    except RowsError as error:
        raise CheckFailedError(f"{path}: {error}") from None


def _said_by(row: dict[str, Any]) -> str:
    """The split that a row names; empty where it names none. A file is called after it, so it must be a plain word."""
    said = row.get("split")
    if said is None or said == "":
        return ""
    if not isinstance(said, str) or not _SPLIT.fullmatch(said) or said.lower() == _CASES:
        raise CheckFailedError(
            f"a row says {str(said)[:80]!r} for its split: that is a word such as train, validation or test"
        )
    return SPLITS.get(said.lower(), said)

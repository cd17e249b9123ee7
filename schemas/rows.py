"""Reading rows of JSON Lines or Parquet, so that every fault names its line."""

import importlib
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Never, TypeVar

from pydantic import ValidationError

from schemas.base import WireModel
from schemas.evidence.cases import AuditCase
from schemas.task import Task
from schemas.wording import nearest

Model = TypeVar("Model", bound=WireModel)
Report = Callable[[int, str], None]
"""Receives a line number (from 1) and a sentence."""

_MOST_FAULTS = 5  # chosen: of a row that a function made, whose keys may be as many as it likes
_SHOWN = 40
"""So many characters of a wrong word are quoted: a row may be megabytes."""
_PARQUET = "pyarrow.parquet"  # Optional and heavy: imported only when there are Parquet files.
MAX_PARQUET_BYTES = 256 * 2**20  # chosen, not measured
_KNOWN_SLIPS = {
    "question": "prompt",
    "input": "prompt",
    "target": "answer",
    "solution": "answer",
    "completion": "response",
    "output": "response",
    "expected": "expect",
}


class RowsError(ValueError):
    """A data file that cannot be read at all."""


def read_rows(data: bytes, path: str, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line or row number from 1, object). A line that is no object is reported and left out."""
    if path.endswith(".parquet"):
        yield from enumerate(_parquet_rows(data), start=1)
    else:
        yield from _json_rows(data, report)


def json_lines(text: str) -> list[str]:
    """The lines of a JSON Lines text that hold something.

    They end at a line feed alone: ``str.splitlines`` would also cut inside a string that holds U+2028.
    """
    return [line for line in text.split("\n") if line.strip()]


def _json_rows(data: bytes, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data[: error.start].count(b"\n") + 1
        raise RowsError(f"line {number} is not UTF-8: save the file as UTF-8") from None
    if text.startswith("\ufeff"):
        raise RowsError("starts with a byte-order mark: save the file as UTF-8 without one")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            row = _parse_line(line, number, report)
            if row is not None:
                yield number, row


def _parse_line(line: str, number: int, report: Report) -> dict[str, Any] | None:
    try:
        row = _DECODER.decode(line)
        if "\\ud" in line or "\\uD" in line:
            json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        report(number, "has half of a surrogate pair (\\ud800 to \\udfff): write the whole character")
    except RecursionError:
        report(number, "is nested too deeply")
    except ValueError as error:
        report(number, f"is not JSON: {error}")
    else:
        if isinstance(row, dict):
            return row
        report(number, "must be a JSON object, one a line")
    return None


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is not a JSON number: use null")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)  # json.loads would make one for each row


def _parquet_rows(data: bytes) -> list[dict[str, Any]]:
    try:
        parquet = importlib.import_module(_PARQUET)
    except ImportError:
        raise RowsError("Parquet needs pyarrow here: `pip install pyarrow`, or store the rows as .jsonl") from None
    try:
        source = parquet.ParquetFile(io.BytesIO(data))
        groups = (source.metadata.row_group(index) for index in range(source.metadata.num_row_groups))
        if sum(group.total_byte_size for group in groups) > MAX_PARQUET_BYTES:
            raise RowsError(f"holds more than {MAX_PARQUET_BYTES} bytes of rows: split it")
        table: list[dict[str, Any]] = source.read().to_pylist()
    except (OSError, ValueError) as error:
        raise RowsError(f"is not a readable Parquet file: {error}") from None
    # Every row of a table has every column: an empty cell stands for a key that the row does not have.
    return [{key: value for key, value in row.items() if value is not None} for row in table]


def parse_row(model: type[Model], row: dict[str, Any], number: int, report: Report) -> Model | None:
    """``row`` as ``model``, or None with every fault reported in an author's words."""
    try:
        return model.model_validate(row)
    except ValidationError as error:
        for sentence in _sentences(error, model):
            report(number, sentence)
    return None


def made_row(model: type[Model], row: Any, index: int) -> Model:
    """``row``, which a function of the author's made, as ``model``. Raises ValueError with its first faults, in words.

    ``index`` counts from 0, as in the list that the function returned.
    """
    try:
        return model.model_validate(row)
    except ValidationError as error:
        raise ValueError(f"row {index}: {'; '.join(_sentences(error, model, _MOST_FAULTS))}") from None


def _sentences(error: ValidationError, model: type[WireModel], most: int | None = None) -> Iterable[str]:
    """Faults in an author's words, each once; of the first ``most``, since each may be compared with all known keys."""
    details = error.errors(include_url=False)[:most]
    return dict.fromkeys(_explain(item["type"], item["loc"], item["msg"], item["input"], model) for item in details)


def _explain(kind: str, location: tuple[int | str, ...], message: str, given: object, model: type[WireModel]) -> str:
    """One of pydantic's errors as a sentence with a remedy."""
    row = {Task: "task", AuditCase: "audit case"}.get(model, "row")
    where = ".".join(str(part) for part in location)
    if model is Task and location[:1] == ("prompt",) and len(location) > 1:
        return 'prompt must be text, or a list of messages such as {"role": "user", "content": "…"}'
    if kind == "missing":
        return f"{row} without {where}: every {row} needs one"
    if kind == "extra_forbidden":
        known = list(model.model_fields)
        meant = _KNOWN_SLIPS.get(where, "")
        hint = nearest(meant if meant in known else where, known, what="known keys:")
        return f"{row} with unknown key {where}; {hint}"
    if kind in ("enum", "literal_error") and isinstance(given, str):
        return f"{where}: must be {message.removeprefix('Input should be ')}, not {given[:_SHOWN]!r}"
    return f"{where + ': ' if where else ''}{message.removeprefix('Value error, ')}"

"""Writes wheels: the same content always gives the same bytes."""

import io
import zipfile
from collections.abc import Mapping

from schemas.wheels.wheel_metadata import record_hash

_EPOCH = (2020, 2, 2, 0, 0, 0)
_MODE = 0o100644
_UNIX = 3  # by default zipfile writes the system that it runs on, and the same project would have two digests
_GENERATOR = "verihub"


def normalise(files: Mapping[str, bytes]) -> bytes:
    """The wheel that holds ``files``: sorted, with one date, plain modes, one deflate level and a fresh RECORD.

    Compiled Python is left out and the builder's name in WHEEL replaced, so that the digest depends on the author's
    files and metadata only. (A zlib that packs differently gives other bytes for the same content.)
    """
    kept = {path: content for path, content in files.items() if not _is_residue(path)}
    dist_info = next(path.split("/")[0] for path in kept if path.split("/")[0].endswith(".dist-info"))
    kept[f"{dist_info}/WHEEL"] = _plain_wheel_file(kept.get(f"{dist_info}/WHEEL", b""))
    kept.pop(f"{dist_info}/RECORD", None)
    inside = sorted(path for path in kept if not path.startswith(f"{dist_info}/"))
    about = sorted(path for path in kept if path.startswith(f"{dist_info}/"))
    order = [*inside, *about]
    record = f"{dist_info}/RECORD"
    rows = [f"{_quoted(path)},{record_hash(kept[path])},{len(kept[path])}" for path in order]
    content = {path: kept[path] for path in order} | {record: "\n".join([*rows, f"{record},,", ""]).encode()}
    return _zip(content)


def _is_residue(path: str) -> bool:
    return path.endswith((".pyc", ".pyo")) or "__pycache__/" in path or path.rsplit("/", maxsplit=1)[-1] == ".DS_Store"


def _plain_wheel_file(data: bytes) -> bytes:
    lines = [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    kept = [f"Generator: {_GENERATOR}" if line.lower().startswith("generator:") else line for line in lines]
    return ("\n".join(kept) + "\n").encode()


def _quoted(path: str) -> str:
    return '"' + path.replace('"', '""') + '"' if set(path) & set(',"') else path


def _zip(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, date_time=_EPOCH)
            entry.external_attr = _MODE << 16
            entry.create_system = _UNIX
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)
    return buffer.getvalue()

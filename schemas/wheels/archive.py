"""Reads a zip archive from a stranger, in memory, by one set of strict rules.

The standard library lists the central directory. Everything that two readers could interpret differently is compared
with the local headers here. Nothing is ever extracted to disk.
"""

import io
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import Self

from schemas.wheels.archive_names import check_names
from schemas.wheels.wheel_error import ProblemList

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_END_RECORD_BYTES = 22  # the ZIP format's own
_ZIP64_LOCATOR_BYTES = 20  # the ZIP format's own
_ENCRYPTED, _DESCRIPTOR, _UTF8 = 0x1, 0x8, 0x800
_DESCRIPTOR_SIZES = {12, 16}
_DOS_DIRECTORY = 0x10
_UNIX = 3
# Extra fields that change what an entry is called or how long it is.
_REFUSED_EXTRAS = {0x0001: "zip64 sizes", 0x7075: "a second name"}


@dataclass(frozen=True)
class ArchiveLimits:
    """Ceilings, measured while reading rather than believed from headers. Sizes in bytes."""

    archive_bytes: int = 64 * 2**20
    entry_count: int = 4096
    file_bytes: int = 16 * 2**20
    total_bytes: int = 64 * 2**20
    ratio: int = 100
    ratio_floor_bytes: int = 2**20
    """Files up to this size, in bytes, may have any compression ratio."""

    @classmethod
    def for_wheels_of(cls, wheel_bytes: int) -> Self:
        """Those of a hub that takes wheels of up to ``wheel_bytes``: more than the usual 64 MiB raises all of them."""
        return cls(
            archive_bytes=wheel_bytes,
            file_bytes=max(cls.file_bytes, wheel_bytes // 4),
            total_bytes=max(cls.total_bytes, wheel_bytes),
        )


LIMITS = ArchiveLimits()
"""Those of a hub as it is installed."""
MOST_WHEEL_BYTES = 512 * 2**20  # chosen, not measured; a hub sets its own below it
CEILING = ArchiveLimits.for_wheels_of(MOST_WHEEL_BYTES)
"""Those of whoever reads a wheel that a hub has accepted. A wheel is read in memory, so no hub may take larger ones."""


def read_archive(data: bytes, limits: ArchiveLimits = CEILING, *, plain_modes: bool = True) -> dict[str, bytes]:
    """Return path -> content of every file in the zip archive ``data``.

    ``plain_modes=False`` accepts executable bits, for an archive that is about to be written anew.

    Raises :class:`~schemas.wheels.wheel_error.WheelError` unless it is one plain archive from its first byte to its
    last, with regular files only, of sound names and within ``limits``.
    """
    problems = ProblemList()
    if len(data) > limits.archive_bytes:
        problems.add("", f"the wheel has {len(data)} bytes; at most {limits.archive_bytes} are accepted")
    problems.raise_if_any()
    entries = _list_entries(data, limits, problems)
    check_names([entry.orig_filename for entry in entries], problems)
    for entry in entries:
        _check_kind(entry, problems, plain_modes=plain_modes)
    problems.raise_if_any()
    bodies = _locate_bodies(data, entries, problems)
    problems.raise_if_any()
    return _inflate_all(data, entries, bodies, limits, problems)


def _list_entries(data: bytes, limits: ArchiveLimits, problems: ProblemList) -> list[zipfile.ZipInfo]:
    """The central directory of an archive that ends where the file ends and has no comment."""
    end = data[-_END_RECORD_BYTES:]
    plain = data.startswith(b"PK\x03\x04") and end.startswith(b"PK\x05\x06") and end.endswith(b"\0\0")
    if not plain or data[-_END_RECORD_BYTES - _ZIP64_LOCATOR_BYTES :].startswith(b"PK\x06\x07"):
        problems.add("", "this is not a plain zip archive (a wheel is one, with nothing before or after it)")
        problems.raise_if_any()
    count, size, offset = struct.unpack("<10xHLL2x", end)
    if count > limits.entry_count:
        problems.add("", f"the wheel holds {count} files; at most {limits.entry_count} are accepted")
    if offset + size != len(data) - _END_RECORD_BYTES:
        problems.add("", "the archive's directory is not where its end record says: pack it again")
    problems.raise_if_any()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, struct.error) as error:
        problems.add("", f"the archive cannot be read ({error}): pack it again")
        problems.raise_if_any()
        raise
    if len(entries) != count:
        problems.add("", f"the archive says {count} files and lists {len(entries)}: pack it again")
    return entries


def _check_kind(entry: zipfile.ZipInfo, problems: ProblemList, *, plain_modes: bool) -> None:
    """Only plain, unencrypted, stored or deflated regular files without tricks in their attributes."""
    name = entry.orig_filename
    mode = entry.external_attr >> 16 if entry.create_system == _UNIX or entry.external_attr >> 16 else 0
    if stat.S_ISLNK(mode):
        problems.add(name, "is a link: a wheel holds regular files only")
    elif stat.S_IFMT(mode) not in (0, stat.S_IFREG) or name.endswith("/") or entry.external_attr & _DOS_DIRECTORY:
        problems.add(name, "is not a regular file (folder entries are not needed either): pack with `verihub pack`")
    elif mode & 0o7111 and plain_modes:
        problems.add(name, "has an executable, setuid or sticky bit: remove it, or pack with `verihub pack`")
    if entry.flag_bits & _ENCRYPTED:
        problems.add(name, "is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        problems.add(name, f"uses compression method {entry.compress_type}: only stored and deflate are accepted")
    if not name.isascii() and not entry.flag_bits & _UTF8:
        problems.add(name, "has a name that is not marked as UTF-8")
    for kind in _extra_kinds(entry.extra):
        if kind in _REFUSED_EXTRAS:
            problems.add(name, f"has {_REFUSED_EXTRAS[kind]} in an extra field: pack with `verihub pack`")


def _extra_kinds(extra: bytes) -> list[int]:
    kinds = []
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        kinds.append(kind)
        extra = extra[4 + size :]
    return kinds


def _locate_bodies(data: bytes, entries: list[zipfile.ZipInfo], problems: ProblemList) -> list[tuple[int, int]]:
    """(start, end) of each entry's compressed bytes; entries must tile the file without gap or overlap."""
    directory = struct.unpack_from("<L", data, len(data) - 6)[0]
    order = sorted(range(len(entries)), key=lambda index: entries[index].header_offset)
    ends = [entries[index].header_offset for index in order[1:]] + [directory]
    bodies = [(0, 0)] * len(entries)
    expected = 0
    for index, following in zip(order, ends, strict=True):
        entry = entries[index]
        start = _check_local_header(data, entry, problems)
        end = start + entry.compress_size
        slack = following - end
        tiled = slack == 0 or (entry.flag_bits & _DESCRIPTOR and slack in _DESCRIPTOR_SIZES)
        if entry.header_offset != expected or not tiled:
            problems.add(entry.orig_filename, "overlaps its neighbour or hides bytes before it: pack the wheel again")
        expected = following
        bodies[index] = (start, end)
    return bodies


def _check_local_header(data: bytes, entry: zipfile.ZipInfo, problems: ProblemList) -> int:
    """Offset at which the compressed body starts.

    A header that contradicts the central directory is reported as a problem.
    """
    offset = entry.header_offset
    if offset + _LOCAL_HEADER.size > len(data):
        problems.add(entry.orig_filename, "points outside the archive: pack the wheel again")
        return len(data)
    header = _LOCAL_HEADER.unpack_from(data, offset)
    signature, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes = header
    name_at = offset + _LOCAL_HEADER.size
    extra_at = name_at + name_bytes
    name = data[name_at:extra_at]
    story = (signature, flags, method, name)
    encoded = entry.orig_filename.encode("utf-8" if entry.flag_bits & _UTF8 else "cp437", "replace")
    agrees = story == (b"PK\x03\x04", entry.flag_bits, entry.compress_type, encoded)
    if not flags & _DESCRIPTOR:
        agrees = agrees and (crc, packed, size) == (entry.CRC, entry.compress_size, entry.file_size)
    if set(_extra_kinds(data[extra_at : extra_at + extra_bytes])) & _REFUSED_EXTRAS.keys():
        agrees = False
    if not agrees:
        problems.add(entry.orig_filename, "is described in two ways inside the archive: pack the wheel again")
    return int(extra_at + extra_bytes)


def _inflate_all(
    data: bytes,
    entries: list[zipfile.ZipInfo],
    bodies: list[tuple[int, int]],
    limits: ArchiveLimits,
    problems: ProblemList,
) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = limits.total_bytes
    for entry, (start, end) in zip(entries, bodies, strict=True):
        ceiling = min(limits.file_bytes, left, max(limits.ratio_floor_bytes, limits.ratio * (end - start)))
        content, fault = _inflate(memoryview(data)[start:end], entry, ceiling)
        if fault:
            problems.add(entry.orig_filename, _explain_ceiling(fault, ceiling, left, limits))
            problems.raise_if_any()
        left -= len(content)
        files[entry.orig_filename] = content
    return files


_TOO_LONG = "too long"


def _size(count: int) -> str:
    return f"{count} bytes" if count < 2**20 else f"{count / 2**20:.4g} MiB"


def _explain_ceiling(fault: str, ceiling: int, left: int, limits: ArchiveLimits) -> str:
    if fault != _TOO_LONG:
        return fault
    if ceiling == limits.file_bytes:
        return f"is larger than {_size(limits.file_bytes)}: split it, or generate tasks with a function"
    if ceiling == left:
        return f"brings the wheel over {_size(limits.total_bytes)} in all: leave files out"
    return f"inflates to more than {limits.ratio} times its packed size: store it, or leave it out"


def _inflate(packed: memoryview, entry: zipfile.ZipInfo, ceiling: int) -> tuple[bytes, str]:
    """Decompress one entry to (content, fault). Never produces more than ``ceiling`` + 1 bytes."""
    if entry.compress_type == zipfile.ZIP_STORED:
        content = bytes(packed[: ceiling + 1])
        complete = True
    else:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = inflater.decompress(packed, ceiling + 1)
        except zlib.error as error:
            return b"", f"is damaged ({error}): pack the wheel again"
        complete = inflater.eof and not inflater.unused_data
    if len(content) > ceiling:
        return b"", _TOO_LONG
    if not complete or len(content) != entry.file_size or zlib.crc32(content) != entry.CRC:
        return b"", "does not have the length and checksum that the archive states: pack the wheel again"
    return content, ""

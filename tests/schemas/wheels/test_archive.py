import contextlib
import io
import random
import struct
import zipfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.wheels.archive import ArchiveLimits, read_archive
from schemas.wheels.wheel_error import WheelError
from tests.making.wheel import zip_entry, zip_files

SOUND = {"pkg/__init__.py": b"x = 1\n", "pkg/data.txt": b"hello " * 100}


def refusal(data: bytes, limits: ArchiveLimits | None = None) -> str:
    with pytest.raises(WheelError) as caught:
        read_archive(data, limits or ArchiveLimits())
    assert caught.value.problems
    return str(caught.value)


def archive_with(path: str, content: bytes = b"x", **entry: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zip_entry("pkg/first.py"), b"first")
        archive.writestr(zip_entry(path, **entry), content)
    return buffer.getvalue()


def test_a_sound_archive_is_read_back_whole() -> None:
    assert read_archive(zip_files(SOUND)) == SOUND


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}(/[a-z_]{1,8}){0,3}\.(py|txt)", fullmatch=True), st.binary(max_size=3000), min_size=1
    ).filter(lambda files: not any(other.startswith(f"{path}/") for path in files for other in files)),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
def test_any_files_with_sound_names_come_back_as_they_went_in(files: dict[str, bytes], method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            archive.writestr(zip_entry(path, method=method), content)
    reserved = {"con", "nul", "aux", "prn"}
    if any(part.split(".")[0] in reserved for path in files for part in path.split("/")):
        assert "Windows" in refusal(buffer.getvalue())
    else:
        assert read_archive(buffer.getvalue()) == files


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_archive_is_refused_or_reads_the_same(data: st.DataObject) -> None:
    """Whatever one changed byte does, no other content is ever believed."""
    whole = zip_files(SOUND)
    at = data.draw(st.integers(0, len(whole) - 1))
    value = data.draw(st.integers(0, 255))
    damaged = whole[:at] + bytes([value]) + whole[at + 1 :]
    with contextlib.suppress(WheelError):
        assert list(read_archive(damaged).values()) == list(SOUND.values())


@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_refused_and_never_crash(data: bytes) -> None:
    refusal(data)
    refusal(b"PK\x03\x04" + data)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd", "../evil.py", "pkg/../../evil.py", "pkg/./x.py", "pkg//x.py", "C:/evil.py", "pkg\\evil.py", "pkg/nul.txt",
        "pkg/a\nb.py", "pkg/trailing.", "pkg/trailing ", "pkg/cafe\u0301.py", "pkg/\u202eyp.exe", "pkg/" + "x" * 300, "a/" * 250 + "x",
    ],
)  # fmt: skip
def test_a_name_that_some_system_would_misread_is_refused(name: str) -> None:
    assert "pkg/first.py" not in refusal(archive_with(name))


def test_a_nul_in_a_name_is_refused() -> None:
    whole = archive_with("pkg/evilX.py")
    assert "unprintable" in refusal(whole.replace(b"evilX", b"evil\0"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_is_refused() -> None:
    assert "twice" in refusal(archive_with("pkg/first.py"))


def test_names_that_differ_in_case_only_are_refused() -> None:
    assert "only in case" in refusal(archive_with("pkg/FIRST.py"))
    assert "only in case" in refusal(zip_files({"pkg/straße.py": b"", "pkg/STRASSE.py": b""}))


def test_a_file_that_is_also_a_folder_is_refused() -> None:
    assert "a file and a folder" in refusal(archive_with("pkg/first.py/inner.py"))


@pytest.mark.parametrize(
    ("mode", "word"),
    [
        (0o120777, "link"), (0o040755, "regular"), (0o020644, "regular"), (0o010644, "regular"), (0o140644, "regular"),
        (0o060644, "regular"), (0o100755, "executable"), (0o104644, "setuid"), (0o101644, "sticky"),
    ],
)  # fmt: skip
def test_only_plain_files_without_special_bits_are_accepted(mode: int, word: str) -> None:
    assert word in refusal(archive_with("pkg/trick", mode=mode))


def test_folder_entries_are_refused() -> None:
    assert "regular file" in refusal(archive_with("pkg/sub/", b""))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_rare_compression_is_refused(method: int) -> None:
    assert "compression method" in refusal(archive_with("pkg/x", b"abc" * 100, method=method))


def test_an_encrypted_entry_is_refused() -> None:
    whole = bytearray(archive_with("pkg/x"))
    at = whole.rindex(b"PK\x01\x02")
    whole[at + 8] |= 1
    assert "encrypted" in refusal(bytes(whole))


@pytest.mark.parametrize("extra", [struct.pack("<HH", 0x7075, 5) + b"abcde", struct.pack("<HHQ", 0x0001, 8, 1)])
def test_extra_fields_that_rename_or_resize_are_refused(extra: bytes) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zip_entry("pkg/x.py")
        entry.extra = extra
        archive.writestr(entry, b"x")
    refusal(buffer.getvalue())


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"#!/bin/sh\n" + data,
        lambda data: data + b"trailing",
        lambda data: data[:-1],
        lambda data: data[:-2] + b"\x05\x00hello",
        lambda data: data + data,
        lambda data: zip_files({"other.py": b"1"}) + data,
    ],
)
def test_bytes_before_or_after_the_archive_are_refused(change) -> None:
    refusal(change(zip_files(SOUND)))


def test_a_local_header_that_names_another_file_is_refused() -> None:
    whole = zip_files({"pkg/good.py": b"good"})
    assert "two ways" in refusal(whole.replace(b"pkg/good.py", b"pkg/evil.py", 1))


def test_a_size_that_hides_the_end_of_a_file_is_refused() -> None:
    """A reader that trusts the header would show ``safe``; one that inflates to the end would run all of it."""
    whole = bytearray(archive_with("pkg/x.py", b"safe;import os"))
    for signature, crc_at in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
        at = bytes(whole).rindex(signature)
        whole[at + crc_at : at + crc_at + 4] = struct.pack("<L", zlib.crc32(b"safe"))
        whole[at + crc_at + 8 : at + crc_at + 12] = struct.pack("<L", 4)
    with zipfile.ZipFile(io.BytesIO(bytes(whole))) as lenient:
        assert lenient.read("pkg/x.py") == b"safe"
    assert "length and checksum" in refusal(bytes(whole))


def test_bytes_hidden_between_two_entries_are_refused() -> None:
    whole = zip_files(SOUND)
    second = whole.index(b"PK\x03\x04", 4)
    hidden = b"PK\x03\x04 hidden"
    moved = bytearray(whole[:second] + hidden + whole[second:])
    directory = bytes(moved).index(b"PK\x01\x02")
    entry = bytes(moved).rindex(b"PK\x01\x02")
    moved[entry + 42 : entry + 46] = struct.pack("<L", second + len(hidden))
    moved[-6:-2] = struct.pack("<L", directory)
    assert "hides bytes" in refusal(bytes(moved))


def test_entries_that_share_their_bytes_are_refused() -> None:
    """The overlapping-files bomb: one body listed under many names."""
    whole = zip_files({"pkg/a.py": b"0" * 5000, "pkg/b.py": b"0" * 5000})
    entry = whole.rindex(b"PK\x01\x02")
    overlapped = whole[: entry + 42] + struct.pack("<L", 0) + whole[entry + 46 :]
    refusal(overlapped)


def test_a_bomb_is_refused_for_its_ratio_and_stops_early() -> None:
    bomb = zip_files({"pkg/zeros": bytes(8 * 2**20)})
    assert len(bomb) < 10_000
    assert "times its packed size" in refusal(bomb)


def test_an_understated_bomb_is_refused() -> None:
    whole = bytearray(zip_files({"pkg/zeros": bytes(8 * 2**20)}))
    for signature, size_at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = bytes(whole).rindex(signature)
        whole[at + size_at : at + size_at + 4] = struct.pack("<L", 10)
    refusal(bytes(whole))


def test_every_ceiling_is_measured() -> None:
    files = {f"pkg/{index}.txt": bytes([index]) * 60 for index in range(10)}
    assert "at most 9" in refusal(zip_files(files), ArchiveLimits(entry_count=9))
    assert "larger than 59 bytes" in refusal(zip_files(files), ArchiveLimits(file_bytes=59))
    large = zip_files({"pkg/x.bin": random.Random(0).randbytes(2**21 + 1)})
    assert "larger than 2 MiB: split it" in refusal(large, ArchiveLimits(file_bytes=2**21))
    assert "in all" in refusal(zip_files(files), ArchiveLimits(total_bytes=599, file_bytes=600))
    assert "at most 100 are" in refusal(zip_files(files), ArchiveLimits(archive_bytes=100))
    assert read_archive(zip_files(files), ArchiveLimits(total_bytes=600, file_bytes=60, entry_count=10)) == files


def test_terminal_escapes_in_a_name_are_not_printed() -> None:
    message = refusal(archive_with("pkg/\x1b[2Jgone"))
    assert "\x1b" not in message

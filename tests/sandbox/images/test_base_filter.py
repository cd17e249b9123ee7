"""What stays of a root file system, whoever made it and however it spells its names."""

import io
import tarfile
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.images.base_filter import BaseFilter

Entry = tuple[tarfile.TarInfo, bytes]


def entry(name: str, kind: bytes = tarfile.REGTYPE, mode: int = 0o644, link: str = "", data: bytes = b"") -> Entry:
    item = tarfile.TarInfo(name)
    item.type, item.mode, item.linkname, item.size, item.uid = kind, mode, link, len(data), 7
    item.mtime = 1_700_000_000
    return item, data


def filtered_bytes(*entries: Entry) -> bytes:
    """The tar that is left of ``entries``."""
    source, target = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=source, mode="w") as tar:
        for item, data in entries:
            tar.addfile(item, io.BytesIO(data))
    source.seek(0)
    with tarfile.open(fileobj=source, mode="r|") as old, tarfile.open(fileobj=target, mode="w") as new:
        BaseFilter().copy(old, new)
    return target.getvalue()


def filtered(*entries: Entry) -> dict[str, tarfile.TarInfo]:
    """What is left of ``entries``, by name."""
    with tarfile.open(fileobj=io.BytesIO(filtered_bytes(*entries))) as tar:
        return {item.name: item for item in tar}


def test_setuid_bits_and_owners_go_and_old_times_stay() -> None:
    kept = filtered(entry("./usr/bin/tool", mode=0o6755, data=b"x"))["usr/bin/tool"]
    assert (kept.mode, kept.uid, kept.mtime) == (0o755, 0, 1_700_000_000)


@pytest.mark.parametrize(
    "name",
    ["./usr/bin/apt-get", "usr/bin/su", "usr/bin/perl", "usr/local/bin/pip3", "etc/shadow", "usr/share/doc/x", "var/log/y",
     "usr/sbin/useradd", "usr/lib/x86_64-linux-gnu/perl-base/a.pm", "usr/lib/python3.11/test/x.py",
     "usr/local/lib/python3.11/site-packages/pip/__init__.py", "usr/lib/python3.11/json/__pycache__/a.pyc", "etc/machine-id"],
)  # fmt: skip
def test_what_a_box_must_not_have_goes(name: str) -> None:
    assert name.removeprefix("./") not in filtered(entry(name, data=b"x"))


@pytest.mark.parametrize(
    "name",
    [
        "usr/bin/python3.11",
        "usr/bin/sum",
        "usr/lib/python3.11/json/__init__.py",
        "usr/share/zoneinfo/UTC",
        "usr/lib/libc.so.6",
    ],
)
def test_what_a_box_needs_stays(name: str) -> None:
    assert name in filtered(entry(name, data=b"x"))


def test_devices_go_and_links_stay_unless_their_target_went() -> None:
    kept = filtered(
        entry("dev/null", tarfile.CHRTYPE),
        entry("pipe", tarfile.FIFOTYPE),
        entry("bin", tarfile.SYMTYPE, link="usr/bin"),
        entry("usr/bin/su", data=b"x"),
        entry("usr/bin/other-su", tarfile.LNKTYPE, link="./usr/bin/su"),
        entry("usr/bin/a", data=b"x"),
        entry("usr/bin/b", tarfile.LNKTYPE, link="./usr/bin/a"),
    )
    assert {"bin", "usr/bin/a", "usr/bin/b"} <= set(kept)
    assert kept["usr/bin/b"].linkname == "usr/bin/a"
    assert not {"dev/null", "pipe", "usr/bin/other-su"} & set(kept)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/shadow",
        "//etc/shadow",
        "././etc/shadow",
        "./etc//shadow",
        "usr/../etc/shadow",
        "../../etc/shadow",
        "usr/bin/../../etc/shadow",
    ],
)
def test_no_spelling_brings_back_what_went(name: str) -> None:
    assert set(filtered(entry(name, data=b"x"))) == set(filtered())


def test_a_name_that_leads_above_the_root_stays_below_it() -> None:
    kept = filtered(entry("../../opt/tool", data=b"x"), entry("/opt/other", data=b"x"))
    assert {"opt/tool", "opt/other"} <= set(kept)


def test_a_second_file_of_a_name_does_not_replace_the_first() -> None:
    data = filtered_bytes(entry("opt/tool", data=b"first"), entry("./opt/x/../tool", data=b"second"))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert [tar.extractfile(item).read() for item in tar if item.name == "opt/tool"] == [b"first"]


def test_rights_that_lie_in_attributes_go_too() -> None:
    """A file capability is as good as a setuid bit."""
    item, data = entry("usr/bin/tool", mode=0o755, data=b"x")
    item.pax_headers = {"SCHILY.xattr.security.capability": "\x01\x00\x00\x02", "comment": "x"}
    kept = filtered((item, data))["usr/bin/tool"]
    assert kept.pax_headers == {}
    assert b"capability" not in filtered_bytes((item, data))


def test_files_of_rare_kinds_become_plain_ones() -> None:
    contiguous = entry("opt/contiguous", tarfile.CONTTYPE, data=b"content")
    data = filtered_bytes(contiguous, entry("opt/old", tarfile.AREGTYPE, data=b"content"))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for name in ("opt/contiguous", "opt/old"):
            assert tar.getmember(name).type == tarfile.REGTYPE
            assert tar.extractfile(name).read() == b"content"


def test_a_sparse_file_is_written_out() -> None:
    """As GNU tar packs one: the header says where its pieces lie, and a copy of that header alone says nothing."""
    item = tarfile.TarInfo("opt/sparse")
    item.type, item.size = tarfile.GNUTYPE_SPARSE, 4
    header = bytearray(item.tobuf(tarfile.GNU_FORMAT))
    header[386:398], header[398:410] = b"%011o\0" % 8, b"%011o\0" % 4  # four bytes at 8
    header[483:495] = b"%011o\0" % 12
    header[148:156] = b"        "
    header[148:156] = b"%06o\0 " % sum(header)
    source = io.BytesIO(bytes(header) + b"data" + bytes(508) + bytes(1024))
    target = io.BytesIO()
    with tarfile.open(fileobj=source, mode="r|") as old, tarfile.open(fileobj=target, mode="w") as new:
        BaseFilter().copy(old, new)
    target.seek(0)
    with tarfile.open(fileobj=target) as tar:
        assert tar.extractfile("opt/sparse").read() == bytes(8) + b"data"


def test_two_builds_of_one_system_are_the_same_bytes() -> None:
    """What a build writes has the time of that build; what packages brought has a time of its own."""

    def built_at(now: float) -> bytes:
        old, (new, data) = entry("usr/bin/old", data=b"x"), entry("etc/made", data=b"x")
        new.mtime = int(now)
        return filtered_bytes(old, (new, data))

    assert built_at(time.time()) == built_at(time.time() - 100)


names = st.lists(
    st.sampled_from(["usr", "bin", "etc", "..", ".", "", "su", "tool", "lib", "python3.11", "x"]), max_size=5
)
kinds = st.sampled_from(
    [
        tarfile.REGTYPE,
        tarfile.DIRTYPE,
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.FIFOTYPE,
    ]
)
entries = st.builds(
    lambda parts, kind, mode, link: entry("/".join(parts) or "x", kind, mode, "/".join(link) or "x"),
    names, kinds, st.integers(0, 0o7777), names,
)  # fmt: skip


@settings(max_examples=60)
@given(st.lists(entries, max_size=8))
def test_whatever_comes_nothing_special_stays(given_entries: list[Entry]) -> None:
    seen: set[str] = set()
    for name, item in filtered(*given_entries).items():
        assert item.isreg() or item.isdir() or item.issym() or item.islnk()
        assert item.uid == item.gid == 0
        assert item.mode & 0o7022 == 0, "no special bits, and nobody but root writes"
        assert not {"", ".", ".."}.intersection(name.split("/"))
        assert item.linkname in seen or not item.islnk()
        seen.add(name)

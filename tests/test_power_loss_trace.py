"""What strace writes is read as what happened to files; what cannot be read is an error, for it would hide a loss."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scripts import power_loss
from scripts.power_loss_disk import Op
from scripts.power_loss_trace import ACK, SYSTEM_CALLS, UnreadableTraceError, read_trace

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace, an optional dependency, is missing")
PROGRAM = """
import os, sys
root = sys.argv[1]
file = os.open(root + "/a", os.O_CREAT | os.O_RDWR)
os.write(file, b'one "two"')
os.write(file, b" three")
os.pwrite(file, b"ONE", 0)
os.fsync(file)
os.ftruncate(file, 4)
os.lseek(file, 1, os.SEEK_SET)
os.write(file, b"\\x00\\xff")
os.mkdir(root + "/d")
os.rename(root + "/a", root + "/d/b")
os.link(root + "/d/b", root + "/d/c")
os.unlink(root + "/d/b")
folder = os.open(root + "/d", os.O_RDONLY)
os.fsync(folder)
os.write(os.open(root + sys.argv[2], os.O_CREAT | os.O_WRONLY), b"done")
"""


@needs_strace
def test_a_program_is_read_call_by_call(tmp_path: Path) -> None:
    root, trace = tmp_path / "root", tmp_path / "trace"
    root.mkdir()
    trace.mkdir()
    flags = ["-f", "-ff", "-ttt", "-T", "-xx", "-y", "-s", "1000", "-e", f"trace={SYSTEM_CALLS}"]
    command = ["strace", *flags, "-o", str(trace / "trace"), sys.executable, "-I", "-S", "-c", PROGRAM, str(root), ACK]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("strace may watch no process here: an optional dependency")
    name = str(root)
    read = read_trace(trace, root)
    assert [op.began_after for op in read if op.kind == "sync"] == [4, 11], "one thread: all before it"
    assert [replace(op, began_after=None) for op in read] == [
        Op("create", f"{name}/a"),
        Op("write", f"{name}/a", data=b'one "two"'),
        Op("write", f"{name}/a", offset=9, data=b" three"),
        Op("write", f"{name}/a", data=b"ONE"),
        Op("sync", f"{name}/a"),
        Op("truncate", f"{name}/a", size=4),
        Op("write", f"{name}/a", offset=1, data=b"\x00\xff"),
        Op("mkdir", f"{name}/d"),
        Op("rename", f"{name}/a", f"{name}/d/b"),
        Op("link", f"{name}/d/b", f"{name}/d/c"),
        Op("unlink", f"{name}/d/b"),
        Op("sync", f"{name}/d"),
        Op("ack", f"{name}{ACK}", "done"),
    ]


@pytest.mark.parametrize(
    "call",
    [
        "sendfile(5</hub/a>, 6</tmp/x>, NULL, 9) = 9 <0.000010>",
        'write(5</hub/a>, "\\x41"..., 900) = 900 <0.000010>',
        'openat(AT_FDCWD</>, "\\x2f\\x68\\x75\\x62", O_RDWR|O_TMPFILE, 0600) = 5</hub/#1> <0.000010>',
        'rename("\\x2f\\x74\\x6d\\x70\\x2f\\x78", "\\x2f\\x68\\x75\\x62\\x2f\\x61") = 0 <0.000010>',
    ],
)
def test_what_it_cannot_follow_is_not_passed_over(tmp_path: Path, call: str) -> None:
    (tmp_path / "trace.1").write_text(f"1.000000 {call}\n")
    with pytest.raises(UnreadableTraceError):
        read_trace(tmp_path, Path("/hub"))


def test_calls_of_several_threads_stand_in_the_order_in_which_they_ended(tmp_path: Path) -> None:
    (tmp_path / "trace.1").write_text("1.000000 fsync(5</hub/a>) = 0 <0.500000>\n1.6 fsync(5</hub/b>) = -1 EIO <0.1>\n")
    (tmp_path / "trace.2").write_text('1.100000 write(5</hub/a>, "\\x41", 1) = 1 <0.000010>\n')
    write, sync = read_trace(tmp_path, Path("/hub"))
    assert (write.kind, sync.kind) == ("write", "sync")
    assert sync.began_after == 0, "the write ended while the sync ran, which need not have seen it"


@needs_strace
@pytest.mark.slow
def test_a_hub_keeps_what_it_acknowledged_and_the_replay_would_see_if_it_did_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "hub"
    ops = power_loss.record(root, releases=1)
    assert power_loss.report(root, ops, moments=12, seed=1) == 0, capsys.readouterr().out
    for kind in ("blobs", "keys", "hub.sqlite3-wal"):
        careless = [op for op in ops if not (op.kind == "sync" and f"/{kind}" in op.path)]
        assert len(careless) < len(ops)
        assert power_loss.report(root, careless, moments=1, seed=1) == 1, kind

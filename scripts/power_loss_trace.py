"""Reads what strace wrote of a program: which files it wrote, named and synced, in the order in which that ended.

strace -ff -ttt -T -xx -y -s 100000000 -e trace=SYSTEM_CALLS -o FOLDER/trace PROGRAM …
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from scripts.power_loss_disk import Op

SYSTEM_CALLS = (
    "openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,lseek,fsync,fdatasync,sync_file_range,"
    "rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,copy_file_range,sendfile"
)
ACK = "/power-loss-acknowledged"
"""Whoever plays the hub writes to a file of this name what the hub has acknowledged."""
_LINE = re.compile(
    r"(?P<at>\d+\.\d+) (?P<call>\w+)\((?P<rest>.*)\) = (?P<answer>-?\d+)[^<]*(?:<[^>]*>)?.*<(?P<took>[\d.]+)>$"
)
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_FD = re.compile(r"(?:(AT_FDCWD)|(\d+))<((?:\\x[0-9a-f]{2}|[^>])*)>")


class UnreadableTraceError(Exception):
    """The record holds what this reader does not know. A write that is left out would make the replay say too much."""


@dataclass(frozen=True)
class _Call:
    began: float
    ended: float
    name: str
    rest: str
    answer: int
    thread: str


def read_trace(folder: Path, root: Path) -> list[Op]:
    """The acts on files below ``root``, and what was acknowledged. Raises ``UnreadableTraceError``."""
    calls = sorted(
        (call for path in sorted(folder.glob("trace.*")) for call in _calls(path)), key=lambda call: call.ended
    )
    reader, ops, ended = _Reader(str(root)), list[Op](), list[float]()
    for call in calls:
        for op in reader.read(call):
            # A write that ends while a sync runs in another thread may have come too late for it.
            ops.append(replace(op, began_after=bisect_right(ended, call.began)) if op.kind == "sync" else op)
            ended.append(call.ended)
    return ops


def _calls(path: Path) -> Iterator[_Call]:
    for line in path.read_text(encoding="ascii").splitlines():
        found = _LINE.match(line)
        if found is None or int(found["answer"]) < 0:
            continue
        ended = float(found["at"]) + float(found["took"])
        yield _Call(float(found["at"]), ended, found["call"], found["rest"], int(found["answer"]), path.suffix)


def _plain(text: str) -> bytes:
    """The bytes of strace's ``\\x41\\x42``; a path that it wrote as it is stays so."""
    return bytes.fromhex(text.replace("\\x", "")) if text.startswith("\\x") else text.encode()


class _Reader:
    """Knows where in a file each descriptor stands. Descriptors are told apart by number and path."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._places: dict[tuple[str, str], int] = {}
        self._sizes: dict[str, int] = {}

    def read(self, call: _Call) -> list[Op]:
        """What a call did to files."""
        texts = [_plain(one) for one, is_cut in _TEXT.findall(call.rest)]
        if any(is_cut for _, is_cut in _TEXT.findall(call.rest)):
            raise UnreadableTraceError(f"{call.name}: data were cut off: give strace a larger -s")
        fds = [(number, _plain(path).decode("utf-8", "replace")) for _, number, path in _FD.findall(call.rest)]
        if call.name in ("openat", "open", "creat"):
            return self._open(call, texts, fds)
        if call.name in ("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat"):
            return self._name(call, texts, fds)
        if not fds or not self._is_ours(fds[0][1]):
            return []
        return self._on_file(call, texts, fds[0])

    def _is_ours(self, path: str) -> bool:
        return path.startswith(self._root + "/") or path == self._root or path.endswith(ACK)

    def _path(self, text: bytes, fds: list[tuple[str, str]], index: int) -> str:
        path = text.decode("utf-8", "surrogateescape")
        if path.startswith("/") or not fds:
            return path
        return f"{fds[min(index, len(fds) - 1)][1]}/{path}"

    def _open(self, call: _Call, texts: list[bytes], fds: list[tuple[str, str]]) -> list[Op]:
        path = self._path(texts[0], fds, 0)
        if not self._is_ours(path):
            return []
        self._places[str(call.answer), path] = 0
        if "O_TMPFILE" in call.rest:
            raise UnreadableTraceError(f"a file without a name below {path}")
        ops = [Op("create", path)] if "O_CREAT" in call.rest and path not in self._sizes else []
        if "O_CREAT" in call.rest:
            self._sizes.setdefault(path, 0)
        if "O_TRUNC" in call.rest and self._sizes.get(path):
            self._sizes[path] = 0
            ops.append(Op("truncate", path))
        if "O_APPEND" in call.rest:
            self._places[str(call.answer), path] = -1
        return ops if not path.endswith(ACK) else []

    def _name(self, call: _Call, texts: list[bytes], fds: list[tuple[str, str]]) -> list[Op]:
        path = self._path(texts[0], fds, 0)
        other = self._path(texts[1], fds, 1) if len(texts) > 1 else ""
        if not self._is_ours(path) and not self._is_ours(other):
            return []
        if call.name.startswith("mkdir"):
            return [Op("mkdir", path)]
        if call.name.startswith("unlink"):
            self._sizes.pop(path, None)
            return [Op("unlink", path)]
        if not self._is_ours(path):
            raise UnreadableTraceError(f"{path} came from elsewhere as {other}")
        self._sizes[other] = self._sizes.get(path, 0)
        if call.name.startswith("rename"):
            self._sizes.pop(path, None)
            return [Op("rename", path, other)]
        return [Op("link", path, other)]

    def _on_file(self, call: _Call, texts: list[bytes], fd: tuple[str, str]) -> list[Op]:
        number, path = fd
        if path.endswith(ACK):
            return [Op("ack", path, texts[0].decode())] if call.name == "write" else []
        if call.name in ("fsync", "fdatasync"):
            return [Op("sync", path)]
        if call.name == "lseek":
            self._places[number, path] = call.answer
            return []
        if call.name == "ftruncate":
            self._sizes[path] = int(call.rest.rpartition(",")[2])
            return [Op("truncate", path, size=self._sizes[path])]
        if call.name in ("write", "writev", "pwrite64", "pwritev"):
            return [self._write(call, number, path, b"".join(texts)[: call.answer])]
        raise UnreadableTraceError(f"{call.name} of {path}")

    def _write(self, call: _Call, number: str, path: str, data: bytes) -> Op:
        if call.name.startswith("p"):
            offset = int(call.rest.rpartition(",")[2])
        else:
            place = self._places.get((number, path), 0)
            offset = self._sizes.get(path, 0) if place < 0 else place
            if place >= 0:
                self._places[number, path] = offset + len(data)
        self._sizes[path] = max(self._sizes.get(path, 0), offset + len(data))
        return Op("write", path, offset=offset, data=data)

"""A guest as a process of its own, and its host's end of the line: frames in, frames out."""

import json
import os
import select
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from sandbox.guest import frames

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_SECONDS = 60


class GuestTime:
    """A clock that a test moves and the guest reads, from a file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "now"
        self._seconds = 100.0
        self.advance(0)

    @property
    def lines(self) -> str:
        """Lines of a package that make the guest read this clock."""
        return f"""
from pathlib import Path
from sandbox.guest import clock
clock.Clock.__init__.__defaults__ = (1, lambda: float(Path({str(self._path)!r}).read_text()))
"""

    def advance(self, seconds: float) -> None:
        self._seconds += seconds
        part = self._path.with_suffix(".part")
        part.write_text(str(self._seconds))
        part.replace(self._path)


class Group(NamedTuple):
    """How a group ended, and the replies that came, by index."""

    status: int
    detail: int
    leftovers: int
    is_stale: bool
    replies: dict[int, Any]


class Guest:
    """Starts ``sandbox/guest/__main__.py`` with ``code`` as its package. The programs in these tests are our own."""

    def __init__(self, folder: Path, code: str = "", **config: Any) -> None:
        self.work_folder = folder / "work"
        self.work_folder.mkdir()
        (folder / "pack.py").write_text(textwrap.dedent(code))
        self._reader = frames.FrameReader()
        self._frames: list[tuple[int, int, bytes]] = []
        self._next = 1
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(ROOT / "sandbox/guest/__main__.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        has_verify = "def verify" in code
        settings = {
            "role": "verifier",
            "limits": {"memory_mb": 256, "file_mb": 8, "open_file_count": 64},
            "work_folder": str(self.work_folder),
            "import_paths": [str(folder)],
            "landlock": False,
            "socket": "",
            "preload": [],
            "verifier": "pack:verify" if has_verify else None,
            "rewards": {"correct": [0.0, 1.0]},
            "generators": [],
            "tools": [],
            "session": "pack:Session" if "class Session" in code else None,
            "harness": None,
            "undo_depth": 2,
            "call_seconds": 60.0,
            "examples": [],
        }
        self.send(frames.START, 0, json.dumps({**settings, **config}).encode())
        self.ready = self.expect(frames.READY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def send(self, kind: int, ident: int, payload: bytes = b"") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(frames.pack(kind, ident, payload))
        self.process.stdin.flush()

    def read(self) -> tuple[int, int, bytes] | None:
        """The next frame; None when the guest has hung up."""
        assert self.process.stdout is not None
        while not self._frames:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_SECONDS)
            assert ready, "the guest says nothing"
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                return None
            self._frames.extend(self._reader.feed(data))
        return self._frames.pop(0)

    def expect(self, kind: int) -> tuple[int, bytes]:
        """``(id, payload)`` of the next frame, which is of this kind."""
        frame = self.read()
        assert frame is not None, self.last_words()
        assert frame[0] == kind, frame
        return frame[1], frame[2]

    def last_words(self) -> str:
        """What a guest that has ended wrote to its standard error."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    # -- groups of calls ---------------------------------------------------------------------------------------------

    def start(self, calls: list[Any], level: int = frames.CALL, seconds: float = 60.0) -> int:
        ident, self._next = self._next, self._next + 1
        encoded = [json.dumps(call).encode() for call in calls]
        assert self.process.stdin is not None
        self.process.stdin.write(frames.pack_run(ident, level, int(seconds * 1000), encoded))
        self.process.stdin.flush()
        return ident

    def end(self, ident: int, count: int, *, may_ask: bool = False) -> Group:
        """Read until the group ``ident`` of ``count`` calls is done; with ``may_ask``, past its questions."""
        reader = frames.ReplyReader(count)
        replies: dict[int, Any] = {}
        while True:
            frame = self.read()
            assert frame is not None, self.last_words()
            kind, whose, payload = frame
            assert whose == ident, frame
            if kind == frames.CHUNK:
                replies.update({index: json.loads(reply) for index, _, reply in reader.feed(payload)})
                continue
            if may_ask and kind == frames.ASK:
                continue
            assert kind == frames.DONE, frame
            status, detail, _, _, _, leftovers, is_stale = frames.OUTCOME.unpack(payload)
            return Group(status, detail, leftovers, bool(is_stale), replies)

    def run(self, *responses: str, level: int = frames.CALL, seconds: float = 60.0) -> Group:
        """Judge ``responses`` in one group."""
        calls = [{"task": {"id": "t", "prompt": ""}, "response": response} for response in responses]
        return self.end(self.start(calls, level, seconds), len(calls))

    # -- sessions ----------------------------------------------------------------------------------------------------

    def open_session(self, ident: int) -> None:
        self.send(frames.OPEN, ident)
        self.send(frames.SEND, ident, b'{"op":"reset","task":{},"seed":0}')
        assert self.said(ident) == {"value": {}}

    def step(self, ident: int, content: str) -> None:
        request = {"op": "step", "message": {"role": "assistant", "content": content}}
        self.send(frames.SEND, ident, json.dumps(request).encode())

    def said(self, ident: int) -> Any:
        """The whole reply of a session."""
        parts = b""
        while True:
            whose, payload = self.expect(frames.SAID)
            assert whose == ident
            parts += payload[1:]
            if payload[0] == 1:
                return json.loads(parts)

    def step_until(self, ident: int, content: str, is_it: Callable[[Any], bool]) -> None:
        """Repeat a step until what it said is as it shall be. Each answer is a turn of the guest."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        said: Any = None
        while time.monotonic() < deadline:
            self.step(ident, content)
            said = self.said(ident)["value"]["messages"]
            if is_it(said):
                return
        raise AssertionError(f"after {PATIENCE_SECONDS} s it still says {said}")

    def ended(self) -> tuple[int, int]:
        """``(id, status)`` of the session that ends next."""
        ident, payload = self.expect(frames.ENDED)
        return ident, frames.OUTCOME.unpack(payload)[0]


RAW_LINE = """
import os, socket
def line():
    for number in range(3, 256):
        try:
            if os.fstat(number).st_mode >> 12 == 0o14:
                return socket.socket(fileno=os.dup(number))
        except OSError:
            pass
"""
"""``line()``: the call's own socket to the zygote, as a hostile program finds it."""

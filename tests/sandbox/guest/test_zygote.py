"""The first process of a box, from its first frame on. A package may do anything while it is imported."""

import json
import os
import select
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.guest import frames, zygote
from tests.sandbox.guest.driver import Guest

PATIENCE_SECONDS = 60
VERIFY = (
    "def verify(task, response):\n    scope = {}\n    exec(response, scope)\n    return {'correct': scope['reward']}\n"
)


_GUEST = Path(zygote.__file__).with_name("__main__.py")


class Box:
    """A zygote in an interpreter of its own, started as in a box, and the host's ends of its streams.

    Not in a fork of the test process: at each fork libuv (uvloop, which a hub of another test may have used) closes two
    descriptors by the numbers that they had once, and in a call's process that was the number of its line.
    """

    def __init__(self, folder: Path, *command: str) -> None:
        self.work = folder / "work"
        self.work.mkdir()
        self.folder = folder
        self._reader = frames.FrameReader()
        self._frames: list[tuple[int, int, bytes]] = []
        streams = [os.pipe() for _ in range(3)]
        (stdin, self.to_guest), (self.from_guest, stdout), (self.words, stderr) = streams
        start = [sys.executable, "-s", "-P", "-S", *(command or [str(_GUEST)])]
        self._process = subprocess.Popen(start, stdin=stdin, stdout=stdout, stderr=stderr)
        self.pid = self._process.pid
        for descriptor in (stdin, stdout, stderr):
            os.close(descriptor)

    def send(self, kind: int, payload: bytes, ident: int = 0) -> None:
        os.write(self.to_guest, frames.pack(kind, ident, payload))

    def start(self, code: str, **config: Any) -> None:
        (self.folder / "pack.py").write_text(textwrap.dedent(code))
        settings = {
            "role": "verifier",
            "limits": {"memory_mb": 256, "file_mb": 8, "open_file_count": 64},
            "work_folder": str(self.work),
            "import_paths": [str(self.folder)],
            "landlock": False,
            "socket": "",
            "preload": [],
            "verifier": "pack:verify",
            "rewards": {"correct": [0.0, 1.0]},
            "call_seconds": 60.0,
        }
        self.send(frames.START, json.dumps({**settings, **config}).encode())

    def read(self) -> tuple[int, int, bytes] | None:
        """The next frame; None when it has hung up."""
        while not self._frames:
            ready, _, _ = select.select([self.from_guest], [], [], PATIENCE_SECONDS)
            assert ready, "the zygote says nothing"
            data = os.read(self.from_guest, 1 << 16)
            if not data:
                return None
            self._frames.extend(self._reader.feed(data))
        return self._frames.pop(0)

    def expect(self, kind: int) -> Any:
        """The JSON of the next frame, which is of this kind."""
        frame = self.read()
        assert frame is not None, self.last_words()
        assert frame[0] == kind, frame
        assert len(frame[2]) < 20_000
        return json.loads(frame[2])

    def judge(self, response: str) -> Any:
        call = json.dumps({"task": {}, "response": response}).encode()
        os.write(self.to_guest, frames.pack_run(1, frames.CALL, 60_000, [call]))
        frame = self.read()
        assert frame is not None, self.last_words()
        if frame[0] == frames.DONE:
            return frames.OUTCOME.unpack(frame[2])[:2]
        [(_, _, reply)] = frames.ReplyReader(1).feed(frame[2])
        assert self.read()[0] == frames.DONE  # type: ignore[index]
        return json.loads(reply)

    def hang_up(self) -> int:
        """Its exit status, or minus a signal's number."""
        if self.to_guest >= 0:
            os.close(self.to_guest)
            self.to_guest = -1
        return self._process.wait(PATIENCE_SECONDS)

    def close(self) -> None:
        self.hang_up()
        os.close(self.from_guest)
        os.close(self.words)

    def last_words(self) -> str:
        self.hang_up()
        return os.read(self.words, 1 << 16).decode()


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    yield box
    box.close()


# -- the host --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [frames.RUN, frames.SOLVED, frames.OPEN, frames.READY, 0, 255])
def test_a_host_that_does_not_begin_with_start_is_none(box: Box, kind: int) -> None:
    box.send(kind, b"{}")
    assert box.read() is None
    assert box.hang_up() == 0


@pytest.mark.parametrize("sent", [b"", b"\x02", frames.pack(frames.START, 0, b"{}")[:-1], b"\xff" * 40])
def test_a_host_that_breaks_off_is_gone(box: Box, sent: bytes) -> None:
    os.write(box.to_guest, sent)
    assert box.hang_up() == 0
    assert box.read() is None


def test_a_box_that_no_host_starts_ends_by_itself(tmp_path: Path) -> None:
    """An engine that is killed meanwhile may keep its input open for ever, and list it nowhere."""
    hasty = f"import sys; sys.path.insert(0, {str(_GUEST.parents[2])!r})\nfrom sandbox.guest import zygote\n"
    box = Box(tmp_path, "-c", f"{hasty}zygote._START_SECONDS = 0.01\nzygote.main()")
    assert box.read() is None
    assert box.hang_up() == 0
    box.close()


def test_a_host_that_goes_while_nothing_runs_ends_the_box(box: Box) -> None:
    box.start(VERIFY)
    box.expect(frames.READY)
    assert box.hang_up() == 0


def test_frames_that_are_no_concern_of_a_verifiers_box_are_passed_over(box: Box) -> None:
    box.start(VERIFY)
    box.expect(frames.READY)
    for kind in (frames.OPEN, frames.SEND, frames.CLOSE, frames.SOLVED, frames.START, 200):
        box.send(kind, b"x" * 9, ident=1)
    assert box.judge("reward = 0.5") == {"rewards": {"correct": 0.5}}


# -- a package that cannot be imported -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("import nothing_of_that_name", "verifier_failed", "nothing_of_that_name"),
        ("x = 1", "verifier_failed", "no 'verify'"),
        ("verify = 1", "verifier_failed", "not a callable"),
        ("def verify(task, secret): pass", "verifier_failed", "secret"),
        ("raise SystemExit(3)", "verifier_failed", "sys.exit(3)"),
        ("raise KeyboardInterrupt", "verifier_failed", "KeyboardInterrupt"),
        ("raise MemoryError", "memory", "MemoryError"),
        ("class E(BaseException):\n    def __str__(self): return 1 / 0\nraise E", "verifier_failed", "E"),
        ("class C:\n    def __repr__(self): return 1 / 0\nraise SystemExit(C())", "verifier_failed", "SystemExit"),
        ("raise ValueError('x' * 20_000_000)", "verifier_failed", "ValueError"),
        ("raise ValueError(chr(0xD800))", "verifier_failed", "ValueError"),
        ("def f(): f()\nf()", "verifier_failed", "RecursionError"),
        ("import sys\nsys.modules['json'] = None\nimport json", "verifier_failed", "json"),
    ],
    ids=range(13),
)
def test_what_cannot_be_imported_says_why_in_a_short_message(box: Box, code: str, kind: str, words: str) -> None:
    box.start(code)
    failure = box.expect(frames.FAILED)
    assert failure["kind"] == kind
    assert words in failure["message"]
    assert box.read() is None, "and the box ends"
    assert box.hang_up() == 0


def test_a_work_folder_that_is_not_there_is_told(box: Box) -> None:
    box.start(VERIFY, work_folder="/nowhere/at/all")
    assert "FileNotFoundError" in box.expect(frames.FAILED)["message"]


# -- what an import leaves behind ------------------------------------------------------------------------------------


def test_what_a_package_prints_is_no_frame(box: Box) -> None:
    noise = """
    import os, sys
    for number in (0, 1):
        os.write(number, b"\\x00" * 26)
    print("x" * 100_000)
    sys.stdout.flush()
    assert sys.stdin.read() == ""
    """
    box.start(textwrap.dedent(noise) + VERIFY)
    assert box.expect(frames.READY)["threads"] == 1
    assert box.judge("print('x' * 100_000, flush=True)\nreward = 1.0") == {"rewards": {"correct": 1.0}}


@pytest.mark.parametrize(
    "harm",
    [
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\nsignal.signal(signal.SIGALRM, lambda *_: None)",
        "import signal\nfor n in range(1, 32):\n    if n not in (9, 19): signal.signal(n, signal.SIG_IGN)",
        "import os\nkept = [open(os.devnull) for _ in range(60)]",
        "import sys\nsys.setrecursionlimit(100)",
        "import gc\ngc.disable()",
        "import sys\nsys.stdout = sys.stderr = None",
        "import os\nos.closerange(0, 3)",
        "import os\nos.close(2)",
        "import os\nos.environ.clear()",
        "import builtins\nbuiltins.print = None",
        "import sys\nsys.path.clear()",
        "import os\nos.chdir('/')",
        "import os\nfor _ in range(3):\n    if os.fork() == 0: os._exit(0)",
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))",
    ],
    ids=range(14),
)
def test_whatever_an_import_does_to_its_process_calls_are_judged(box: Box, harm: str) -> None:
    box.start(f"{harm}\n{VERIFY}")
    box.expect(frames.READY)
    for reward in (1.0, 0.0):
        assert box.judge(f"reward = {reward}") == {"rewards": {"correct": reward}}
    assert box.hang_up() == 0


def test_files_of_a_package_are_open_in_its_calls(tmp_path: Path) -> None:
    """However many: a call closes the zygote's lines by their numbers, and a file must not have got one of these."""
    read = "import pack\nreward = float(all(file.read(9) == 'import os' for file in pack.kept))"
    with Guest(tmp_path, f"import os\nkept = [open(__file__) for _ in range(60)]\n{VERIFY}") as guest:
        assert guest.run(read).replies == {0: {"rewards": {"correct": 1.0}}}


def test_a_fork_at_import_is_the_packages_own_trouble(box: Box) -> None:
    """Its child speaks on the same line. The host takes the first READY; here it must come whole, and calls as well."""
    box.start(f"import os\nif (pid := os.fork()) == 0: os._exit(0)\nos.waitpid(pid, 0)\n{VERIFY}")
    box.expect(frames.READY)
    assert box.judge("reward = 1.0") == {"rewards": {"correct": 1.0}}


def test_facts_are_what_the_host_asks_for(box: Box) -> None:
    task = {"id": "t", "prompt": ""}
    examples = [{"task": task, "response": "reward = 1.0"}, {"task": task, "response": "1 / 0"}]
    box.start(VERIFY, examples=examples)
    facts = box.expect(frames.READY)
    assert facts["python"] == sys.version.split()[0]
    assert (facts["warmed_calls"], facts["landlock"], facts["pid"]) == (2, 0, box.pid)
    [failure] = facts["warm_failures"]
    assert "ZeroDivisionError" in failure
    assert facts["import_seconds"] >= 0
    assert list(box.work.iterdir()) == []


def test_a_solution_box_has_no_package(box: Box) -> None:
    box.start("raise RuntimeError('a solution box imports no package')", role="solution", preload=["json"])
    assert "warm_seconds" not in box.expect(frames.READY)

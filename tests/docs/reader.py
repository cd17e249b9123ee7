"""Somebody at a terminal who does what a tutorial says: an own hub, an own home folder, real boxes."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

from tests.docs.pages import Command, File, Script, missing_from, steps_of

PASSWORD = b"correct horse battery staple\n"
_SHOWN_ADDRESS = "http://127.0.0.1:8642"
_START_SECONDS = 240
_MOST_SECONDS = 240
# The space comes last: before it the terminal still shows, and throws away, what is typed.
_ASKS = re.compile(rb"(password( \([^)]*\))?|the same again): $", re.IGNORECASE)


class Reader:
    """``folder`` becomes the home folder. Commands share one working folder, as in one terminal."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self._folder = folder
        self._where = self.home
        self._hub: subprocess.Popen[bytes] | None = None
        self._address = ""

    def follow(self, text: str) -> None:
        """Do every step; fail where a command fails or its output is not as the page shows it."""
        self._where = self.home
        for step in steps_of(text):
            if isinstance(step, File):
                self._write(step)
            elif isinstance(step, Script):
                (self._where / "script.py").write_text(step.text)
                self._run(Command("python script.py", ()))
            elif step.line == "verihub serve":
                self.start_hub()
            else:
                self._run(step)

    def start_hub(self) -> None:
        """``verihub serve``, on a free port; once."""
        if self._hub is not None:
            return
        log = self._folder / "hub.log"
        command = ["verihub", "serve", "--port", "0", "--data", str(self._folder / "data")]
        with log.open("wb") as sink:
            self._hub = subprocess.Popen(
                command, stdout=sink, stderr=sink, env=self._environment(), start_new_session=True
            )
        deadline = time.monotonic() + _START_SECONDS
        while not (found := re.search(r"Verihub is at (http://\S+)", log.read_text())):
            assert self._hub.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        self._address = found[1]

    def stop(self) -> None:
        """End the hub."""
        if self._hub is not None and self._hub.poll() is None:
            self._hub.send_signal(signal.SIGINT)
            self._hub.wait(_MOST_SECONDS)

    def _write(self, file: File) -> None:
        path = self._where / file.path
        assert path.parent.is_dir(), f"{file.path}: the tutorial has not made its folder"
        path.write_text(file.text)

    def _run(self, command: Command) -> None:
        if command.line.startswith("cd "):
            self._where = (self._where / command.line.removeprefix("cd ")).resolve()
            return
        said, code = self._in_a_terminal(command.line)
        said = said.replace(self._address, _SHOWN_ADDRESS)
        assert code == 0, f"$ {command.line}\nended with {code}:\n{said}"
        missing = missing_from(said, command.shown)
        assert missing is None, f"$ {command.line}\nsays nothing like\n  {missing}\nbut\n{said}"

    def _in_a_terminal(self, line: str) -> tuple[str, int]:
        """Run it with a terminal of 200 columns, so that it may ask for a password. Its output and exit code."""
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (50, 200))
        process = subprocess.Popen(
            ["bash", "-c", line],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self._where,
            env=self._environment(),
            start_new_session=True,
        )
        os.close(theirs)
        said = b""
        try:
            while part := _read(ours):
                said += part
                if _ASKS.search(said):
                    os.write(ours, PASSWORD)
            return _plain(said.decode(errors="replace")), process.wait(_MOST_SECONDS)
        finally:
            os.close(ours)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _environment(self) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("VERIHUB_", "XDG_", "COLUMNS"))
        }
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        own = {
            "HOME": str(self.home),
            "PATH": path,
            "COLUMNS": "200",
            "NO_COLOR": "1",
            "OMP_NUM_THREADS": "1",
            "TERM": "xterm",
        }
        return {**kept, **own, **({"VERIHUB_URL": self._address} if self._address else {})}


def _read(terminal: int) -> bytes:
    """What the command says next; nothing when it has ended, or says nothing for too long."""
    ready, _, _ = select.select([terminal], [], [], _MOST_SECONDS)
    try:
        return os.read(terminal, 65536) if ready else b""
    except OSError:  # Linux says so when the other end is closed
        return b""


def _plain(text: str) -> str:
    """Without a terminal's control sequences; a carriage return begins a line of its own."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r\n", "\n").replace("\r", "\n")

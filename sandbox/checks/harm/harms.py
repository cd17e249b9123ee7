"""A table of faults that a machine may have, and a thread that causes them at random moments."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sandbox.backends.docker.reaper import LABEL, ROLE
from sandbox.checks.harm.left import living, started_at
from sandbox.checks.harm.own_engine import OwnEngine

_SECOND_CLIENT = "sandbox.checks.harm.second_client"
_GONE = (ProcessLookupError, FileNotFoundError, subprocess.CalledProcessError, ValueError)
"""The box had ended before it could be harmed."""


class Harms:
    """Faults of one engine, its boxes and its clients' folder. A function returns when its fault is over, or is in
    place if it is permanent.

    ``moment_seconds`` is the longest duration of most temporary faults.
    """

    def __init__(self, engine: OwnEngine, client_folder: Path, seed: int, moment_seconds: float = 1.0) -> None:
        self.chance = random.Random(seed)  # noqa: S311 -- no secret
        self._engine = engine
        self._moment_seconds = moment_seconds
        self._client_folder = client_folder
        self._said = engine.folder / "second-clients.txt"
        self.zygotes: set[tuple[int, str]] = set()
        """Process id and start time of the boxes that were chosen for a fault. Each must be gone at the end."""

    def table(self) -> dict[str, tuple[int, Callable[[], None]]]:
        """Name of the fault -> its weight in the random choice, and the function that causes it."""
        return {
            "kill a box": (20, lambda: self._of_a_box("kill")),
            "remove a box": (12, lambda: self._of_a_box("rm", "-f")),
            "pause a box for good": (3, lambda: self._of_a_box("pause")),
            "pause a box for a moment": (8, self._pause_for_a_moment),
            "kill a zygote": (15, lambda: self._signal_zygote(signal.SIGKILL)),
            "stop a zygote for good": (3, lambda: self._signal_zygote(signal.SIGSTOP)),
            "stop a zygote for a moment": (8, self._stop_for_a_moment),
            "fill a box's folder": (8, self._fill_a_box),
            "kill the engine": (2, self._kill_the_engine),
            "freeze the engine": (4, self._freeze_the_engine),
            "fill the engine's disk": (4, self._fill_the_engine),
            "fill the client's folder": (3, self._fill_the_client),
            "kill a second client": (5, self._kill_a_client),
        }

    def living_zygotes(self) -> list[int]:
        """Process ids of :attr:`zygotes` that are not gone."""
        return living([pid for pid, began in self.zygotes if started_at(pid) == began])

    # -- boxes ---------------------------------------------------------------------------------------------------------

    def _box(self, role: str = "") -> str:
        label = f"label={ROLE}={role}" if role else f"label={LABEL}"
        boxes = self._engine.docker("ps", "-q", "--no-trunc", "--filter", label, check=False).split()
        if not boxes:
            raise ValueError("no box runs")
        return self.chance.choice(boxes)

    def _of_a_box(self, *command: str) -> None:
        self._engine.docker(*command, self._box())

    def _zygote(self, role: str = "") -> int:
        pid = int(self._engine.docker("inspect", "-f", "{{.State.Pid}}", self._box(role)))
        if pid <= 1:
            raise ValueError("it has ended")
        self.zygotes.add((pid, started_at(pid)))
        return pid

    def _signal_zygote(self, number: signal.Signals) -> None:
        os.kill(self._zygote(), number)

    def _pause_for_a_moment(self) -> None:
        box = self._box()
        self._engine.docker("pause", box)
        self._moment()
        self._engine.docker("unpause", box)

    def _stop_for_a_moment(self) -> None:
        zygote = self._zygote()
        os.kill(zygote, signal.SIGSTOP)
        self._moment()
        os.kill(zygote, signal.SIGCONT)

    def _fill_a_box(self) -> None:
        """Fill a box's folder from outside, as root, with a file that no call of the box can remove.

        Solution boxes are left out: a program that writes a file would fail there and count as wrong.
        """
        folder = Path("/proc", str(self._zygote("verifier")), "root", "tmp")
        with contextlib.suppress(OSError), (folder / "filler").open("wb") as file:
            while True:
                file.write(bytes(1 << 20))

    # -- engine, clients and their disks -------------------------------------------------------------------------------

    def _kill_the_engine(self) -> None:
        self._engine.kill()
        self._moment()
        self._engine.start()

    def _freeze_the_engine(self) -> None:
        self._engine.freeze()
        self._moment(4)
        self._engine.thaw()

    def _fill_the_engine(self) -> None:
        try:
            self._engine.fill_disk(leave_mb=self.chance.choice([1, 6]))
            self._moment(4)
        finally:
            self._engine.free_disk()

    def _fill_the_client(self) -> None:
        filler = self._client_folder / "filler"
        with contextlib.suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(bytes(1 << 20))
        self._moment(4)
        filler.unlink()

    def _kill_a_client(self) -> None:
        """Start a client of the same engine with the same folder, and kill it during its calls."""
        command = [sys.executable, "-m", _SECOND_CLIENT, self._engine.url, str(self._client_folder), str(self._said)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
            self._moment(6)
            client.kill()

    def said_by_second_clients(self) -> list[str]:
        """The messages of second clients about wrong verdicts."""
        return self._said.read_text().splitlines() if self._said.exists() else []

    def _moment(self, moments: float = 1.0) -> None:
        time.sleep(self.chance.uniform(0.05, 1.0) * moments * self._moment_seconds)


class Harmer(threading.Thread):
    """Causes one random fault after the other until it is told to stop; or those of an ``order``, each once.

    ``failure``: what stopped it before that, if anything.
    """

    def __init__(self, harms: Harms, longest_pause: float = 1.0, order: Sequence[str] = ()) -> None:
        super().__init__(daemon=True, name="verihub-harmer")
        self._harms = harms
        self._order = order
        self._longest_pause = longest_pause
        self.done: Counter[str] = Counter()
        self.failure: BaseException | None = None
        self.is_over = threading.Event()

    def run(self) -> None:
        """Run until :attr:`is_over` is set or all faults are done. Afterwards the engine runs and the disks are free
        again.
        """
        table, chance = self._harms.table(), self._harms.chance
        for name in self._names({name: weight for name, (weight, _) in table.items()}):
            if self.is_over.wait(chance.uniform(0.05, self._longest_pause)):
                return
            try:
                table[name][1]()
                self.done[name] += 1
            except _GONE:
                self.done["(too late)"] += 1
            except BaseException as error:  # noqa: BLE001 -- reported by whoever waits for this thread
                self.failure = error
                return

    def _names(self, weights: dict[str, int]) -> Iterator[str]:
        for name in self._order:
            while not self.done[name]:
                yield name
        while not self._order:
            yield from self._harms.chance.choices(list(weights), list(weights.values()))

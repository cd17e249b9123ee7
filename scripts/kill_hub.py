"""Whether a hub keeps what it has acknowledged when its process is killed at any moment: ``scripts/kill_hub``.

A hub serves from a folder of its own while accounts publish and report runs. At random moments it is killed (``kill
-9``) and started again. At the end every release and every point of a run that was acknowledged must be there, and
``verihub admin fsck`` must find database and bytes whole. Exit status 1 where something is lost. The hub keeps its rows
in SQLite, or in the empty PostgreSQL database that VERIHUB_SERVER_STORAGE__DATABASE_URL names.
"""

import argparse
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from scripts.load_test import LoadTest

_START_SECONDS = 120.0
_LONGEST_LIFE_SECONDS = 4.0  # from when it answers; shorter lives are as likely
_SERVES = {  # the packages of this test alone run here, and none of them does harm
    "VERIHUB_SERVER_SANDBOX__BACKEND": "local",
    "VERIHUB_SERVER_SANDBOX__TRUSTED": "true",
    "VERIHUB_SERVER_LOG__REQUESTS": "false",
}


class KilledHub:
    """A hub in ``folder``, as a process that is killed and started again."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self._port = taken.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._environment = {**os.environ, **_SERVES, "VERIHUB_SERVER_DATA": str(folder / "hub")}
        self._log = folder / "log"
        self.start()

    def start(self) -> None:
        """Returns when it answers."""
        command = [sys.executable, "-m", "hub_server", "serve", "--port", str(self._port)]
        with self._log.open("a") as log:
            self._process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                if httpx.get(f"{self.url}/healthz").status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        self.kill()
        raise RuntimeError(f"the hub does not start:\n{self._log.read_text()[-2000:]}")

    def kill(self) -> None:
        """As ``kill -9`` does."""
        self._process.kill()
        self._process.wait()

    def check(self) -> list[str]:
        """What ``verihub admin fsck`` finds wrong."""
        command = [sys.executable, "-m", "hub_server", "admin", "fsck"]
        found = subprocess.run(command, env=self._environment, check=False, capture_output=True, text=True)
        return [] if found.returncode == 0 else [*(found.stdout + found.stderr).splitlines()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill, start, say what was lost."""
    parser = argparse.ArgumentParser(prog="scripts/kill_hub", description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="how often the hub is killed")
    parser.add_argument("--seed", type=int, default=0, help="of the moments at which it is killed")
    options = parser.parse_args(arguments)
    draw = random.Random(options.seed)  # noqa: S311 -- no secret
    with tempfile.TemporaryDirectory(prefix="verihub-kill-hub-") as folder:
        hub = KilledHub(Path(folder))
        try:
            return report(hub, options.kills, draw)
        finally:
            hub.kill()


def report(hub: KilledHub, kills: int, draw: random.Random) -> int:
    """Kill it so often while it is written to, and print what came of it."""
    test = LoadTest([hub.url])
    test.start(readers=1, publishers=3, scorers=0, runs=2)
    for _ in range(kills):
        time.sleep(draw.uniform(0, _LONGEST_LIFE_SECONDS))
        hub.kill()
        hub.start()
    test.stop()
    lost = [*test.lost(), *hub.check()]
    faults = [f"{' '.join(what)}: {count}" for what, count in test.book.faults.items()]
    releases, points = len(test.book.releases), sum(test.book.points.values())
    print(f"{kills} kills; {releases} releases and {points} points were acknowledged")
    print("\n".join([*lost, *faults]) or "nothing is lost, and nothing failed")
    return 1 if lost or faults else 0


if __name__ == "__main__":
    sys.exit(main())

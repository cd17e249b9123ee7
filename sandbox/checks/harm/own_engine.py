"""A separate Docker engine with a small disk of its own, which tests may kill, freeze and fill."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from sandbox.checks.harm.left import children_of, shims_of
from sandbox.errors import SandboxUnavailableError

_DISK_MB = 700
_START_SECONDS = 120.0
NEEDED = ("dockerd", "docker", "mkfs.ext4", "mount", "setpriv", "unshare")


def what_is_missing() -> str:
    """Why no engine can be started here, or an empty string."""
    if os.getuid() != 0:
        return "only root can start an engine and mount its disk"
    missing = [name for name in NEEDED if shutil.which(name) is None]
    return f"{', '.join(missing)} not installed" if missing else ""


class OwnEngine:
    """A dockerd with its own socket, disk, exec root, pid file and network. The machine's engine is not touched.

    It needs its own network: an engine without a bridge deletes ``docker0``, and then the containers of the machine's
    engine have no network.
    """

    def __init__(self, folder: Path, disk_mb: int = _DISK_MB) -> None:
        self.folder = folder
        self._disk_mb = disk_mb
        self.url = f"unix://{folder}/engine.sock"
        self.data = folder / "data"
        self._log = folder / "engine.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._filler = self.data / "filler"
        self._starter = ThreadPoolExecutor(1)

    def mount(self) -> None:
        """Mount a sparse file as its disk, so that filling it fills nothing else."""
        image = self.folder / "disk.img"
        with image.open("wb") as file:
            file.truncate(self._disk_mb << 20)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", str(image)], check=True, stdout=subprocess.DEVNULL)
        self.data.mkdir()
        subprocess.run(["mount", "-o", "loop", str(image), str(self.data)], check=True)
        (self.folder / "daemon.json").write_text("{}")

    def start(self) -> None:
        """Start and wait until it answers. Raises SandboxUnavailableError.

        The engine ends if this process is killed: the kernel sends it a signal when the thread that started it ends. So
        it is started by a thread that lives as long as this object.
        """
        command = ["unshare", "--net", "setpriv", "--pdeathsig", "TERM", "dockerd"]
        command += ["--config-file", str(self.folder / "daemon.json")]
        command += ["-H", self.url, "--data-root", str(self.data / "docker"), "--exec-root", str(self.folder / "exec")]
        command += ["--pidfile", str(self.folder / "engine.pid"), "--bridge=none", "--iptables=false"]
        command += ["--ip6tables=false", "--shutdown-timeout=2"]
        with self._log.open("ab") as log:
            starting = self._starter.submit(
                lambda: subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            )
            self._process = starting.result()
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._answers():
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        raise SandboxUnavailableError(f"the engine did not start: {self._log.read_text()[-2000:]}")

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as line:  # docker-py would leave its socket open while nobody listens yet
            line.settimeout(2)
            try:
                line.connect(self.url.removeprefix("unix://"))
                line.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
                return b"200 OK" in line.recv(4096)
            except OSError:
                return False

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """Kill the engine with SIGKILL, as the kernel does when memory is short. Its containers stay until the next
        start.
        """
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        # Its containerd has died with it. If PID 1 does not reap, the next engine would take the zombie for alive.
        (self.folder / "exec" / "containerd" / "containerd.pid").unlink(missing_ok=True)

    def freeze(self) -> None:
        """Stop the engine with SIGSTOP: its socket accepts connections, but nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def stop(self) -> None:
        """Stop the engine in the regular way."""
        assert self._process is not None
        if self._process.poll() is None:
            self.thaw()
            self._process.terminate()
            self._process.wait(timeout=120)

    def unmount(self) -> None:
        """Unmount the disk, after :meth:`stop`. Shims of a killed containerd that still use it are ended."""
        self._starter.shutdown()
        shims = shims_of(str(self.folder))
        for pid in [*(child for shim in shims for child in children_of(shim)), *shims]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        subprocess.run(["umount", "--lazy", str(self.data)], check=False)

    def load(self, image: str, from_url: str | None = None) -> None:
        """Copy an image from the machine's engine."""
        source = ["docker", *(["-H", from_url] if from_url else []), "save", image]
        with subprocess.Popen(source, stdout=subprocess.PIPE) as saving:
            subprocess.run(
                ["docker", "-H", self.url, "load", "-q"], stdin=saving.stdout, check=True, stdout=subprocess.DEVNULL
            )

    def docker(self, *arguments: str, check: bool = True) -> str:
        """Run the ``docker`` command with these arguments."""
        command = ["docker", "-H", self.url, *arguments]
        return subprocess.run(command, check=check, capture_output=True, text=True).stdout

    def boxes(self) -> list[str]:
        """Ids of all boxes in any state."""
        return self.docker("ps", "-aq", "--no-trunc", "--filter", "label=verihub.sandbox").split()

    def boxes_to_remove(self) -> list[str]:
        """Ids of boxes that can still be removed.

        Left out are those that the engine lists until its next start, as dead or in removal, and does not find when
        asked: their removal met its end, a full disk or a restart.
        """
        return [box for box in self.boxes() if self.docker("inspect", "--format", "{{.Id}}", box, check=False).strip()]

    def why_they_stay(self) -> list[str]:
        """Every box, with the engine's answer to a request to remove it.

        Without boxes that it lists but does not find (see :meth:`boxes_to_remove`).
        """
        said = [f"{box[:12]}: {self._why_it_stays(box)}" for box in self.boxes()]
        return [line for line in said if "No such container" not in line]

    def _why_it_stays(self, box: str) -> str:
        command = ["docker", "-H", self.url, "rm", "-f", box]
        return subprocess.run(command, check=False, capture_output=True, text=True).stderr.strip()

    def images(self) -> list[str]:
        """Names of every image, dangling ones as ``<none>:<none>``."""
        rows = self.docker("images", "-a", "--format", "{{json .}}").splitlines()
        return [f"{row['Repository']}:{row['Tag']}" for row in map(json.loads, rows)]

    def fill_disk(self, leave_mb: int) -> None:
        """Fill the engine's disk except for ``leave_mb``."""
        taken = shutil.disk_usage(self.data).free - (leave_mb << 20)
        if taken > 0:
            subprocess.run(["fallocate", "-l", str(taken), str(self._filler)], check=True)

    def free_disk(self) -> None:
        self._filler.unlink(missing_ok=True)

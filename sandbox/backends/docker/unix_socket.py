"""A Unix socket between a box and its host, in a folder that only this box has mounted.

The attached streams of a container pass through the engine, which spends 0.1 to 0.2 ms of CPU on each message. A socket
needs only the kernel. The folder is mounted read-only and is empty once the box has connected. When there can be no
socket (an engine elsewhere, gVisor, a path that the engine does not see), the streams are used.
"""

import contextlib
import os
import shutil
import socket
import stat
import tempfile
from pathlib import Path
from typing import Any

INSIDE = "/run/verihub"
_NAME = "line"


class SocketFolder:
    """The folder of an owner's sockets, which nobody else may enter.

    What a dead owner left in it is removed at once.
    """

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        above = folder.parent.stat()
        if above.st_uid != os.getuid() or above.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OSError(f"others may write to {folder.parent}")
        self._folder = folder

    def make(self) -> "BoxSocket":
        """One socket. Raises OSError."""
        return BoxSocket(Path(tempfile.mkdtemp(dir=self._folder)))

    def remove(self) -> None:
        """Remove what is left."""
        shutil.rmtree(self._folder, ignore_errors=True)


class BoxSocket:
    """A listening socket for one box, which connects to it once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if not hasattr(os, "O_PATH"):
                raise OSError("this system cannot name a folder by a descriptor (macOS)")
            descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
            try:  # by the descriptor: a socket's path has at most 108 bytes
                self.listener.bind(f"/proc/self/fd/{descriptor}/{_NAME}")
            finally:
                os.close(descriptor)
            folder.chmod(0o755)  # For the box's own uid. No other user may enter the folder above.
            (folder / _NAME).chmod(0o666)
            self.listener.listen(1)
            self.listener.setblocking(False)
        except OSError:
            self.close()
            raise

    @property
    def mount(self) -> dict[str, Any]:
        """The entry for the container's ``Mounts``."""
        return {
            "Type": "bind",
            "Source": str(self._folder),
            "Target": INSIDE,
            "ReadOnly": True,
            "BindOptions": {"Propagation": "rprivate"},
        }

    @property
    def path_inside(self) -> str:
        """What the guest connects to."""
        return f"{INSIDE}/{_NAME}"

    def accept(self) -> socket.socket:
        """Accept the box's connection and close the socket. Raises BlockingIOError when nobody is there yet."""
        line, _ = self.listener.accept()
        line.setblocking(False)
        self.close()
        return line

    def close(self) -> None:
        """Accept no further connection. Idempotent."""
        self.listener.close()
        with contextlib.suppress(OSError):
            (self._folder / _NAME).unlink()
        with contextlib.suppress(OSError):
            self._folder.rmdir()

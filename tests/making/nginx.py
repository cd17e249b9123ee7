"""An nginx in front of hubs, with the configuration that the documents print."""

import os
import re
import shutil
import ssl
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import httpx
import pytest

from tests.making.hub_processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
_AROUND = """\
daemon off;
pid {folder}/pid;
error_log {folder}/errors warn;
worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{inner}
}}
"""


def printed_server() -> str:
    """The server that docs/how_to/run_a_hub.md tells operators to write."""
    text = (ROOT / "docs" / "how_to" / "run_a_hub.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"```nginx\n(.*?)```", text, flags=re.DOTALL)
    return str(found)


def composed_server() -> str:
    """The server of deploy/compose.yaml."""
    return (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")


def fitted(configuration: str, changes: Mapping[str, str]) -> str:
    """The configuration with this machine's ports and files. Each text that is replaced must stand there once."""
    for old, new in changes.items():
        assert configuration.count(old) == 1, f"{old!r} stands {configuration.count(old)} times in the configuration"
        configuration = configuration.replace(old, new)
    return configuration


class Nginx:
    """One nginx process. A context manager; skips the test where the machine has none."""

    def __init__(self, folder: Path, inner: str, url: str, *, trusted: Sequence[Path] = ()) -> None:
        self.url = url
        self._folder, self._inner = folder, inner
        self._verify: str | bool = str(trusted[0]) if trusted else True

    def __enter__(self) -> Self:
        binary = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        if binary is None:
            pytest.skip("nginx is not installed")
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / "nginx.conf"
        inner = "\n".join(f"    {line}" for line in self._inner.splitlines())
        path.write_text(_AROUND.format(folder=self._folder, inner=inner), encoding="utf-8")
        errors = self._folder / "errors"
        self._process = subprocess.Popen([binary, "-p", str(self._folder), "-c", str(path), "-e", str(errors)])
        with self.client() as client:
            wait_until(lambda: client.get("/healthz").status_code == 200, f"answered through nginx, see {errors}")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)

    def client(self, **more: Any) -> httpx.Client:
        """A client that trusts the proxy's certificate."""
        verify = ssl.create_default_context(cafile=self._verify) if isinstance(self._verify, str) else True
        return httpx.Client(base_url=self.url, verify=verify, timeout=60, **more)

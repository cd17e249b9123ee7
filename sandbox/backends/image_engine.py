"""Image making over a Docker engine (docker-py, blocking)."""

import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import docker
import docker.errors
import requests

from sandbox.errors import SandboxUnavailableError
from sandbox.images import layout
from sandbox.images.engine import ImageRecord
from sandbox.images.errors import ImageEngineError

_OUTPUT_LIMIT = 512 * 1024 * 1024
_NOBODY = "65534:65534"
_BUILDER_MEMORY = "1g"


class DockerImageEngine:
    """Implements :class:`~sandbox.images.engine.ImageEngine`. One engine connection, made on first use."""

    def __init__(self, url: str | None = None, timeout_seconds: float = 120.0) -> None:
        self._url = url
        self._timeout = timeout_seconds
        self._connected: Any = None

    def architecture(self) -> str:
        with _explained("ask for its architecture"):
            return str(self._client.version()["Arch"])

    def find(self, reference: str) -> ImageRecord | None:
        with _explained(f"look up {reference}"):
            try:
                return _record(self._client.inspect_image(reference))
            except docker.errors.ImageNotFound:
                return None

    def labelled(self, labels: Mapping[str, str]) -> list[ImageRecord]:
        wanted = [f"{name}={value}" if value else name for name, value in labels.items()]
        with _explained("list images"):
            found = self._client.images(filters={"label": wanted})
        records = [self.find(item["Id"]) for item in found]
        return [record for record in records if record is not None]

    def load(self, archive: Path) -> None:
        with _explained("load an image"), archive.open("rb") as stream:
            _consume(self._client.load_image(stream, quiet=True))

    def tag(self, image_id: str, reference: str) -> None:
        repository, tag = reference.rsplit(":", 1)
        with _explained(f"tag {reference}"):
            self._client.tag(image_id, repository, tag)

    def pull(self, reference: str, timeout_seconds: float) -> None:
        client = _connect(self._url, timeout_seconds)
        repository, _, tag = reference.partition(":")
        try:
            with _explained(f"pull {reference}"):
                _consume(client.pull(repository, tag or "latest", stream=True, decode=True))
        finally:
            client.close()

    def export(self, reference: str) -> Iterator[bytes]:
        with _explained(f"export {reference}"), self._container(reference, ["true"]) as container:
            yield from self._client.export(container, chunk_size=1 << 20)

    def run_once(self, reference: str, command: list[str], work: bytes, timeout_seconds: float) -> bytes:
        with _explained(f"run {command[0]}"), self._container(reference, command) as container:
            # Allowed only because the container has not started yet and the tar is our own and uncompressed.
            self._client.put_archive(container, "/work", work)
            output = self._client.attach(container, stdout=True, stderr=False, stream=True, logs=False)
            late = threading.Event()
            watchdog = threading.Timer(timeout_seconds, self._kill, [container, late])
            watchdog.start()
            try:
                self._client.start(container)
                data = _collect(output)
                status = self._client.wait(container)["StatusCode"]
            finally:
                watchdog.cancel()
        if late.is_set():
            raise ImageEngineError(f"{command[0]} took longer than {timeout_seconds:g} s while an image was made")
        if status != 0:
            raise ImageEngineError(f"{command[0]} ended with status {status} while an image was made")
        return data

    def remove(self, reference: str) -> bool:
        with _explained(f"remove {reference}"):
            try:
                self._client.remove_image(reference)
            except docker.errors.ImageNotFound:
                return True
            except docker.errors.APIError as error:
                if error.status_code == requests.codes.conflict:
                    return False
                raise
            return True

    def close(self) -> None:
        """Let go of the connection; the next call makes another."""
        if self._connected is not None:
            self._connected.close()
            self._connected = None

    @property
    def _client(self) -> Any:
        if self._connected is None:
            self._connected = _connect(self._url, self._timeout)
        return self._connected

    @contextmanager
    def _container(self, reference: str, command: list[str]) -> Iterator[str]:
        """A container that has not started, removed at the end."""
        limits = self._client.create_host_config(
            network_mode="none",
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            ipc_mode="none",
            pids_limit=64,
            mem_limit=_BUILDER_MEMORY,
            memswap_limit=_BUILDER_MEMORY,
            log_config={"Type": "none"},
        )
        created = self._client.create_container(
            reference,
            command,
            user=_NOBODY,
            working_dir="/work",
            labels={layout.LABEL_KIND: "builder"},
            host_config=limits,
        )
        try:
            yield created["Id"]
        finally:
            self._client.remove_container(created["Id"], force=True, v=True)

    def _kill(self, container: str, late: threading.Event) -> None:
        late.set()
        try:
            self._client.kill(container)
        except docker.errors.APIError:
            return  # it ended by itself in the same moment


def _connect(url: str | None, timeout_seconds: float) -> Any:
    try:
        if url is not None:
            return docker.APIClient(base_url=url, version="auto", timeout=math.ceil(timeout_seconds))
        # Built from the environment (DOCKER_HOST and its TLS settings), as docker's own command does.
        return docker.from_env(version="auto", timeout=math.ceil(timeout_seconds)).api
    except docker.errors.DockerException as error:
        raise SandboxUnavailableError(
            f"no Docker engine answers ({_short(error)}): run scripts/docker_engine, or set DOCKER_HOST"
        ) from None


def _record(found: Mapping[str, Any]) -> ImageRecord:
    return ImageRecord(
        image_id=found["Id"],
        references=tuple(found.get("RepoTags") or ()),
        labels=(found.get("Config") or {}).get("Labels") or {},
        layers=tuple((found.get("RootFS") or {}).get("Layers") or ()),
        size_bytes=int(found.get("Size") or 0),
        used_at=_moment((found.get("Metadata") or {}).get("LastTagTime")),
    )


def _moment(text: str | None) -> datetime | None:
    """The engine's nanosecond time stamp; year 1 is its way of saying never."""
    if not text or text.startswith("0001"):
        return None
    return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)


def _consume(events: Any) -> None:
    """Run an engine's event stream to its end; an ``error`` event is how it says that it failed."""
    for event in events:
        if isinstance(event, dict) and "error" in event:
            raise ImageEngineError(f"the engine says: {event['error']}")


def _collect(output: Iterator[bytes]) -> bytes:
    parts, total = [], 0
    for part in output:
        parts.append(part)
        total += len(part)
        if total > _OUTPUT_LIMIT:
            raise ImageEngineError(f"a build step wrote more than {_OUTPUT_LIMIT >> 20} MB")
    return b"".join(parts)


@contextmanager
def _explained(doing: str) -> Iterator[None]:
    """docker-py's and the transport's failures as ours, with what was being done."""
    try:
        yield
    except (docker.errors.DockerException, requests.RequestException) as error:
        raise ImageEngineError(f"the Docker engine could not {doing}: {_short(error)}") from None


def _short(error: Exception) -> str:
    explanation: Callable[[], str] | str | None = getattr(error, "explanation", None)
    return str(explanation or error)[:300]

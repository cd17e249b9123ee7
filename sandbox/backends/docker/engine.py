"""The Docker engine through docker-py's low-level client: one client a thread, short timeouts, our own errors."""

import contextlib
import functools
import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import docker
import docker.context
import docker.errors
import docker.transport
import docker.utils
import requests.exceptions

from sandbox.backends.docker import fitness, podman
from sandbox.errors import SandboxUnavailableError
from sandbox.images.engine import ImageRecord
from sandbox.images.errors import ImageEngineError

_Result = TypeVar("_Result")
_STREAM_HEADER = struct.Struct(">BxxxI")  # the engine's multiplexing: 1 = stdout, 2 = stderr; then a length
STDOUT = 1
_MOST_OUTPUT, _KEPT_WORDS = 1 << 30, 1 << 16
_ROOM_ADVICE = (
    "make room on the engine's disk: docker system df tells what takes it, VERIHUB_IMAGES_DISK_BUDGET_MB how much "
    "of it images of ours may take"
)
_DEFAULT_URL = "unix:///var/run/docker.sock"


def seccomp_profile() -> str:
    """Our allow-list as the JSON text that the engine takes."""
    return resources.files("sandbox.backends.docker").joinpath("seccomp.json").read_text()


class DockerEngine:
    """Blocking calls, safe from any thread. Every refusal of the engine becomes a host fault with its message."""

    def __init__(self, url: str | None = None, timeout_seconds: float = 30.0) -> None:
        self._url = url
        self._timeout_seconds = timeout_seconds
        self._local = threading.local()
        self._clients: list[docker.APIClient] = []
        self._lock = threading.Lock()

    @property
    def api(self) -> docker.APIClient:
        """The calling thread's client. Raises SandboxUnavailableError when no engine answers."""
        client = getattr(self._local, "client", None)
        if client is None:
            client = self._connect()
            self._local.client = client
            with self._lock:
                self._clients.append(client)
        else:
            self._probe()
        return client

    @property
    def _raw(self) -> Any:
        """The same client, for calls that docker-py does not type."""
        return self.api

    def _connect(self) -> docker.APIClient:
        keywords: dict[str, Any] = {"base_url": self.address}
        if not self._url:
            keywords |= docker.utils.kwargs_from_env()  # Certificates of a remote engine are included.
        self._probe()
        try:
            client = docker.APIClient(version="auto", timeout=int(self._timeout_seconds), **keywords)
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
            raise no_engine(error) from None
        if self.address.startswith("unix://"):
            address = str(docker.utils.parse_host(self.address))
            client.mount("http+docker://", _OnePoolAdapter(address, int(self._timeout_seconds)))
        return client

    def _probe(self) -> None:
        try:
            _raise_unless_answering(self.address)
        except OSError as error:
            raise no_engine(error) from None

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the engine is reached by a Unix socket, and so most likely sees this machine's folders."""
        return self.address.startswith(("unix://", "http+unix://"))

    @functools.cached_property
    def address(self) -> str:
        """The setting, else ``DOCKER_HOST``, else that of the user's docker context (as ``docker`` itself does it)."""
        return str(self._url or docker.utils.kwargs_from_env().get("base_url") or _address_of_context() or _DEFAULT_URL)

    @functools.cached_property
    def information(self) -> dict[str, Any]:
        """What the engine says of itself, asked for once."""
        return self.ask("describe itself", lambda api: api.info())

    def check_fitness(self) -> None:
        """Raise SandboxUnavailableError when the engine cannot enforce a box's limits."""
        for fact, advice in fitness.what_is_missing(self.information):
            raise SandboxUnavailableError(f"{fact} ({self.address}); {advice}")

    def close(self) -> None:
        """Close every thread's client."""
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            client.close()

    def ask(self, what: str, question: Callable[[docker.APIClient], _Result]) -> _Result:
        """Run ``question`` on this thread's client. Errors say that the engine would not ``what``."""
        try:
            return question(self.api)
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
            raise ImageEngineError(f"the Docker engine would not {what}: {words_of(error)}") from error

    # -- images ------------------------------------------------------------------------------------------------------

    def architecture(self) -> str:
        """As Go spells it: ``amd64``, ``arm64``."""
        return str(self._version["Arch"])

    @property
    def is_podman(self) -> bool:
        """Whether podman answers at the address."""
        return podman.is_podman(self._version)

    @functools.cached_property
    def _version(self) -> dict[str, Any]:
        return self.ask("say its version", lambda api: api.version())

    def find(self, reference: str) -> ImageRecord | None:
        """The image behind a tag or an id, or None."""
        try:
            found = self._raw.inspect_image(reference)
        except docker.errors.ImageNotFound:
            return None
        except (docker.errors.DockerException, requests.exceptions.RequestException) as error:
            raise ImageEngineError(f"the Docker engine would not inspect {reference}: {words_of(error)}") from error
        return _record(found)

    def labelled(self, labels: Mapping[str, str]) -> list[ImageRecord]:
        """Images that carry all of ``labels``."""
        filters = {"label": [f"{name}={value}" if value else name for name, value in labels.items()]}
        rows = self.ask("list images", lambda api: api.images(filters=filters))
        records = [self.find(row["Id"]) for row in rows]
        return [record for record in records if record is not None]

    def load(self, archive: Path) -> None:
        """Load a docker-archive tar; layers that the engine already holds may be missing from it."""

        def question(api: docker.APIClient) -> None:
            with archive.open("rb") as stream:
                load: Any = api.load_image  # untyped in docker-py
                for line in load(stream, quiet=True) or ():
                    if "error" in line:
                        raise docker.errors.APIError(line["error"])

        self.ask("load an image", question)

    def tag(self, image_id: str, reference: str) -> None:
        """Name an image (again)."""
        repository, _, tag = reference.rpartition(":")
        self.ask("tag an image", lambda api: api.tag(image_id, repository, tag, force=True))

    def pull(self, reference: str, timeout_seconds: float) -> None:
        """Fetch from a registry; gives up when it stays silent for ``timeout_seconds``."""
        repository, _, tag = reference.rpartition(":")

        def question(_: docker.APIClient) -> None:
            client = self._connect()
            client.timeout = int(timeout_seconds)
            try:
                for line in client.pull(repository, tag=tag, stream=True, decode=True):
                    if "error" in line:
                        raise docker.errors.APIError(line["error"])
            finally:
                client.close()

        self.ask(f"pull {reference}", question)

    def export(self, reference: str) -> Iterator[bytes]:
        """The flattened file system of an image, as a tar stream."""
        created = self.ask("create a container", lambda api: api.create_container(reference, ["true"]))
        try:
            yield from self.ask("export an image", lambda api: api.export(created["Id"]))
        finally:
            self.remove_container(created["Id"])

    def remove(self, reference: str) -> bool:
        """Remove a tag, and with the last tag the image. False when a container still uses it."""
        try:
            self.api.remove_image(reference)
        except docker.errors.ImageNotFound:
            return True
        except docker.errors.APIError as error:
            if error.status_code == 409:
                return False
            raise ImageEngineError(f"the Docker engine would not remove {reference}: {words_of(error)}") from error
        return True

    def run_once(self, reference: str, command: list[str], work: bytes, timeout_seconds: float) -> bytes:
        """Run ``command`` in a locked-down container with the tar ``work`` unpacked in /work; its standard output.

        The tar goes into a container that never ran yet, uncompressed: nothing of a stranger unpacks it.
        """
        deadline = time.monotonic() + timeout_seconds
        config = {
            "Image": reference,
            "Cmd": command,
            "User": "65534:65534",
            "WorkingDir": "/work",
            "NetworkDisabled": True,
            "AttachStdout": True,
            "AttachStderr": True,
            "HostConfig": {
                "NetworkMode": "none",
                "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges", f"seccomp={seccomp_profile()}"],
                "IpcMode": "none",
                "PidsLimit": 64,
                "Memory": 2 << 30,
                "MemorySwap": 2 << 30,
                "LogConfig": {"Type": "none"},
                "Tmpfs": {"/build": "rw,noexec,nosuid,nodev,size=512m,mode=1777"},  # all that a step can write to
            },
        }
        created = self.ask("create a container", lambda _: self.create(config))
        try:
            self.ask("fill a container", lambda api: api.put_archive(created, "/work", work))
            attached = self.attach(created, stdin=False)
            try:
                self.ask("start a container", lambda api: api.start(created))
                output, words = read_all(attached.raw, deadline)
            finally:
                attached.close()
            status = self.ask("wait for a container", lambda api: api.wait(created))["StatusCode"]
        finally:
            self.remove_container(created)
        if status != 0:
            text = words.decode(errors="replace").strip()[-2000:]
            raise ImageEngineError(f"{command[0]} ended with status {status} while an image was made: {text}")
        return output

    # -- containers --------------------------------------------------------------------------------------------------

    def create(self, config: Mapping[str, Any]) -> str:
        """A container from the engine API's own configuration; docker-py's errors pass through."""
        fit = podman.adapt(config) if self.is_podman else config
        return str(self._raw.create_container_from_config(fit)["Id"])

    def attach(self, container: str, *, stdin: bool) -> "Attached":
        """The container's standard streams, as one multiplexed socket."""
        parameters = {"stdin": int(stdin), "stdout": 1, "stderr": 1, "stream": 1}
        response = self.ask("attach to a container", lambda api: api.attach_socket(container, parameters))
        return Attached(response)

    def remove_container(self, container: str) -> None:
        """Kill and remove; a container that is gone already is fine."""
        try:
            self.api.remove_container(container, force=True, v=True)
        except docker.errors.APIError as error:
            if error.status_code not in (404, 409):
                raise ImageEngineError(f"the Docker engine would not remove a container: {words_of(error)}") from error
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
            raise ImageEngineError(f"the Docker engine did not remove a container: {words_of(error)}") from error


class _OnePoolAdapter(docker.transport.UnixHTTPAdapter):
    """A connection pool for one address. docker-py keeps connections by address, and each container has its own
    addresses, so up to 25 idle connections would stay open in each thread.
    """

    def get_connection(self, url: str | bytes, proxies: Any = None) -> Any:  # noqa: ARG002 -- what docker-py calls
        return super().get_connection("http+docker://localhost", proxies)


class Attached:
    """An attached stream. ``raw`` is the connected socket; the response object keeps it alive."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self.raw: socket.socket = getattr(response, "_sock", response)

    def close(self) -> None:
        """Close the connection. A guest whose stdin this was sees end of file."""
        with contextlib.suppress(OSError):
            self.raw.shutdown(socket.SHUT_RDWR)
        self.forget()

    def forget(self) -> None:
        """Release the socket, which an event loop may have closed already."""
        self._response.close()
        self.raw.close()


class StreamCutter:
    """Separates the engine's multiplexed stdout and stderr."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """``(stream, bytes)`` for every complete piece."""
        buffer = self._buffer
        buffer += data
        pieces = []
        position, end = 0, len(buffer)
        while end - position >= _STREAM_HEADER.size:
            stream, length = _STREAM_HEADER.unpack_from(buffer, position)
            start = position + _STREAM_HEADER.size
            if end - start < length:
                break
            position = start + length
            pieces.append((stream, bytes(buffer[start:position])))
        del buffer[:position]
        return pieces


def _raise_unless_answering(url: str) -> None:
    """Raise OSError when nobody listens on a Unix socket. docker-py would leave an open socket behind."""
    if url.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(5)
            line.connect("/" + url.removeprefix("unix://").lstrip("/"))


def _address_of_context() -> str:
    """The engine's address in the user's current context (``docker context use``); empty for the default."""
    try:
        context = docker.context.ContextAPI.get_current_context()
    except (docker.errors.DockerException, OSError, ValueError, KeyError):
        return ""
    return "" if context.name == "default" else str(context.Host or "")


def no_engine(error: BaseException) -> SandboxUnavailableError:
    """The error to raise when no engine answers, with what to do."""
    return SandboxUnavailableError(
        f"no Docker engine answers ({words_of(error)}): start it (systemctl start docker, or dockerd) "
        "and see that this user may reach its socket; python -m sandbox doctor tells more"
    )


def read_all(raw: socket.socket, deadline: float) -> tuple[bytes, bytes]:
    """Both streams to their end. Raises ImageEngineError at ``deadline``."""
    cutter, output, words = StreamCutter(), bytearray(), bytearray()
    while True:
        ready, _, _ = select.select([raw], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise ImageEngineError("a step of making an image took too long and was ended")
        data = raw.recv(1 << 20)
        if not data:
            return bytes(output), bytes(words)
        for stream, piece in cutter.feed(data):
            (output if stream == STDOUT else words).extend(piece)
        del words[:-_KEPT_WORDS]
        if len(output) > _MOST_OUTPUT:
            raise ImageEngineError(f"a step of making an image gave more than {_MOST_OUTPUT >> 20} MB and was ended")


def _record(found: Mapping[str, Any]) -> ImageRecord:
    used = (found.get("Metadata") or {}).get("LastTagTime") or ""
    return ImageRecord(
        image_id=found["Id"],
        references=tuple(podman.plain_name(name) for name in found.get("RepoTags") or ()),
        labels=dict((found.get("Config") or {}).get("Labels") or {}),
        layers=tuple((found.get("RootFS") or {}).get("Layers") or ()),
        size_bytes=int(found.get("Size") or 0),
        used_at=_moment(used),
    )


def _moment(text: str) -> datetime | None:
    """The engine's RFC 3339 time (nanoseconds cut), None for the zero time."""
    if not text or text.startswith("0001"):
        return None
    return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)


def words_of(error: BaseException) -> str:
    """The engine's own explanation, without the HTTP around it, and what to do where the disk is full."""
    explanation = getattr(error, "explanation", None)
    text = str(explanation or error)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        text = json.loads(text)["message"]
    text = text.strip()[:500] or type(error).__name__
    return f"{text} ({_ROOM_ADVICE})" if "no space left on device" in text else text

"""Reaching a Docker engine: where it is, one client a thread, short timeouts, and its refusals as our own errors."""

import contextlib
import functools
import json
import socket
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import docker
import docker.context
import docker.errors
import docker.transport
import docker.transport.unixconn
import docker.utils
import requests.exceptions

from sandbox.backends.docker import fitness
from sandbox.errors import SandboxUnavailableError
from sandbox.images.errors import ImageEngineError

_Result = TypeVar("_Result")
_ROOM_ADVICE = (
    "make room on the engine's disk: docker system df tells what takes it, VERIHUB_IMAGES_DISK_BUDGET_MB how much "
    "of it images of ours may take"
)
_DEFAULT_URL = "unix:///var/run/docker.sock"
_POOL = "http+docker://localhost"


class EngineClient:
    """Blocking, safe from any thread. Whatever the engine answers instead of what it must becomes a host fault."""

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
            client = self.connect()
            self._local.client = client
            with self._lock:
                self._clients.append(client)
        else:
            self._probe()
        return client

    def connect(self, timeout_seconds: float | None = None) -> docker.APIClient:
        """A client that the caller closes, with the usual timeout or another. Raises SandboxUnavailableError."""
        timeout: Any = timeout_seconds or self._timeout_seconds  # docker-py says int; a part of a second works as well
        keywords: dict[str, Any] = {"base_url": self.address}
        if not self._url:
            keywords |= docker.utils.kwargs_from_env()  # Certificates of a remote engine are included.
        try:
            return _Client(version="auto", timeout=timeout, **keywords)
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
            raise no_engine(error) from None

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
        return self.ask("describe itself", lambda api: _as_object(api.info()))

    @functools.cached_property
    def version(self) -> dict[str, Any]:
        """The engine's answer to /version, asked for once."""
        return self.ask("say its version", lambda api: _as_object(api.version()))

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
        """Run ``question`` on this thread's client, and take its answer apart there.

        Raises ImageEngineError, which says that the engine would not ``what``: it refused, the line broke, or its
        answer has another shape than the engine API's.
        """
        try:
            return question(self.api)
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
            raise ImageEngineError(f"the Docker engine would not {what}: {words_of(error)}") from error
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            words = f"its answer has another shape ({type(error).__name__}: {error})"
            raise ImageEngineError(f"the Docker engine would not {what}: {words}") from error


class _Client(docker.APIClient):
    """docker-py's, with another adapter for a Unix socket."""

    def mount(self, prefix: str | bytes, adapter: Any) -> None:
        if isinstance(adapter, docker.transport.UnixHTTPAdapter):
            adapter = _OnePoolAdapter(adapter.socket_path, adapter.timeout)
        super().mount(prefix, adapter)


class _Connection(docker.transport.unixconn.UnixHTTPConnection):
    """docker-py's, which leaves its socket open when nobody answers."""

    def connect(self) -> None:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.settimeout(self.timeout)
            line.connect(self.unix_socket)
        except BaseException:
            line.close()
            raise
        self.sock = line


class _Pool(docker.transport.unixconn.UnixHTTPConnectionPool):
    def _new_conn(self) -> Any:
        seconds: Any = self.timeout
        return _Connection(self.base_url, self.socket_path, seconds)


class _OnePoolAdapter(docker.transport.UnixHTTPAdapter):
    """One connection pool, and a timeout for every request.

    docker-py keeps connections by address, and each container has its own addresses, so up to 25 idle connections would
    stay open in each thread. It also sets no timeout where it attaches, waits or pulls: a stuck engine would hold the
    thread for ever.
    """

    def send(self, request: Any, **keywords: Any) -> Any:  # type: ignore[override]  # requests names each of them
        if keywords.get("timeout") is None:
            keywords["timeout"] = self.timeout
        return super().send(request, **keywords)

    def get_connection(self, url: str | bytes, proxies: Any = None) -> Any:  # noqa: ARG002 -- what docker-py calls
        with self.pools.lock:
            pool = self.pools.get(_POOL)
            if pool is None:
                pool = self.pools[_POOL] = _Pool(_POOL, self.socket_path, self.timeout, maxsize=self.max_pool_size)
            return pool


def _raise_unless_answering(url: str) -> None:
    """Raise OSError when nobody listens on a Unix socket: an engine that has gone is no refusal."""
    if url.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(5)
            line.connect("/" + url.removeprefix("unix://").lstrip("/"))


def _as_object(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict):
        raise TypeError(f"{answer!r:.100} is not an object")
    return answer


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


def words_of(error: BaseException) -> str:
    """The engine's own explanation, without the HTTP around it, and what to do where the disk is full."""
    explanation = getattr(error, "explanation", None)
    text = str(explanation or error)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        said = json.loads(text)["message"]
        text = said if isinstance(said, str) else text
    text = text.strip()[:500] or type(error).__name__
    return f"{text} ({_ROOM_ADVICE})" if "no space left on device" in text else text

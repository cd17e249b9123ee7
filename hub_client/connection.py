"""The only module that speaks HTTP: sends calls, streams lines and bytes, and turns every failure into one of ours."""

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Any, TypeVar

import httpx

from hub_client.errors import EndpointRefusedError, HubUnreachableError, NotLoggedInError, UsageError, refusal_of
from hub_client.requests.call import ApiCall, problem_of

Answer = TypeVar("Answer")
Transport = httpx.BaseTransport
AsyncTransport = httpx.AsyncBaseTransport

_CONNECT_SECONDS = 10.0
_NDJSON = "application/x-ndjson"
_ENDPOINT_TRIES = 6
_LONGEST_WAIT = 60.0


class _Address:
    """Where the hub is and what every request carries."""

    def __init__(self, url: str, token: str | None, timeout_seconds: float, connections: int) -> None:
        self.url = url
        self.timeout_seconds = timeout_seconds
        self.options: dict[str, Any] = {
            "base_url": url,
            "headers": self._headers(token),
            "timeout": httpx.Timeout(timeout_seconds, connect=_CONNECT_SECONDS, pool=None),
            "limits": httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            # A redirect to another origin (a blob store) is followed without the token: httpx drops it.
            "follow_redirects": True,
        }

    @staticmethod
    def _headers(token: str | None) -> dict[str, str]:
        headers = {"User-Agent": f"verihub/{version('verihub')}", "Accept": "application/json"}
        return headers | ({"Authorization": f"Bearer {token}"} if token else {})

    def request(self, call: ApiCall[Any]) -> dict[str, Any]:
        """The arguments that httpx wants for ``call``."""
        return {
            "method": call.method,
            "url": call.path,
            "params": dict(call.params),
            "content": call.content,
            "headers": dict(call.headers),
        }

    def unreachable(self, error: Exception) -> HubUnreachableError:
        """A sentence for whatever the transport said."""
        if isinstance(error, httpx.ConnectTimeout | httpx.ReadTimeout | httpx.WriteTimeout | httpx.PoolTimeout):
            return HubUnreachableError(
                f"the hub at {self.url} did not answer in time: try again, or set VERIHUB_TIMEOUT_SECONDS"
            )
        reason = str(error) or type(error).__name__
        return HubUnreachableError(
            f"the hub at {self.url} cannot be reached ({reason}): start one with `verihub serve`, "
            "or name another with --url"
        )


def _check(url: str, status: int, body: bytes) -> None:
    """Raise the error that a refusal stands for."""
    if status < 400:
        return
    error = refusal_of(problem_of(status, body))
    if type(error) is NotLoggedInError and "verihub login" not in str(error):
        raise NotLoggedInError(
            f"{error} (log in to {url} with `verihub login`, or set VERIHUB_TOKEN)", problem=error.problem
        )
    raise error


def _read_answer(url: str, call: ApiCall[Answer], response: httpx.Response) -> Answer:
    _check(url, response.status_code, response.content)
    try:
        return call.read(response.json() if response.content else None)
    except (ValueError, KeyError, TypeError) as error:
        raise HubUnreachableError(
            f"{url} answered something that no hub says ({str(error).splitlines()[0]}): is it a Verihub hub?"
        ) from error


def _parse_line(url: str, line: str) -> dict[str, Any]:
    """One line of a stream; anything but an object means that somebody between us and the hub spoke."""
    try:
        data = json.loads(line)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise HubUnreachableError(f"{url} sent a line that no hub sends ({line[:80]!r}): try again")
    return data


class Connection:
    """A hub over HTTP, blocking. Thread-safe; at most ``connections`` requests are in flight, more wait."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout_seconds: float = 60.0,
        connections: int = 16,
        transport: Transport | None = None,
    ) -> None:
        self._address = _Address(url, token, timeout_seconds, connections)
        self._client = httpx.Client(transport=transport or httpx.HTTPTransport(retries=1), **self._address.options)

    def send(self, call: ApiCall[Answer]) -> Answer:
        """Send one call and read its answer. Raises one of :mod:`hub_client.errors`."""
        try:
            response = self._client.request(**self._address.request(call))
        except httpx.TransportError as error:
            raise self._address.unreachable(error) from error
        return _read_answer(self._address.url, call, response)

    def hub_time(self) -> datetime | None:
        """The hub's clock as its answers are dated, to the second; None where they are not."""
        try:
            said = self._client.get("/healthz").headers.get("Date")
            return parsedate_to_datetime(said) if said else None
        except httpx.TransportError as error:
            raise self._address.unreachable(error) from error
        except ValueError:
            return None

    @contextmanager
    def download(self, path: str) -> Iterator[Iterator[bytes]]:
        """The body of ``path`` in pieces."""
        with self._streaming("GET", path) as response:
            yield self._pieces(response.iter_bytes())

    @contextmanager
    def lines(
        self, method: str, path: str, *, params: Mapping[str, str | int] | None = None, content: bytes | None = None
    ) -> Iterator[Iterator[dict[str, Any]]]:
        """An NDJSON answer, one object at a time."""
        with self._streaming(method, path, params=params, content=content) as response:
            yield (_parse_line(self._address.url, line) for line in self._pieces(response.iter_lines()) if line.strip())

    @contextmanager
    def _streaming(
        self, method: str, path: str, *, params: Mapping[str, str | int] | None = None, content: bytes | None = None
    ) -> Iterator[httpx.Response]:
        headers = {"Accept": "*/*"} | ({"Content-Type": _NDJSON} if content is not None else {})
        try:
            with self._client.stream(
                method, path, params=dict(params or {}), content=content, headers=headers
            ) as response:
                if response.status_code >= 400:
                    _check(self._address.url, response.status_code, response.read())
                yield response
        except httpx.TransportError as error:
            raise self._address.unreachable(error) from error

    def _pieces(self, pieces: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from pieces
        except httpx.TransportError as error:
            raise self._address.unreachable(error) from error

    def socket_address(self, path: str) -> tuple[str, dict[str, str]]:
        """(address, headers) of a WebSocket on this hub, with this hub's token."""
        scheme, _, rest = self._address.url.partition("://")
        headers = {name: value for name, value in self._address.options["headers"].items() if name != "Accept"}
        return f"{'wss' if scheme == 'https' else 'ws'}://{rest}{path}", headers

    @property
    def timeout_seconds(self) -> float:
        """How long one answer may take."""
        return self._address.timeout_seconds

    def close(self) -> None:
        """Let go of all connections."""
        self._client.close()


class JsonEndpoint:
    """JSON over HTTP to a server that is no hub, such as a model's. Busy answers (429, 5xx) are tried again."""

    def __init__(
        self,
        url: str,
        key: str | None,
        *,
        timeout_seconds: float = 600.0,
        transport: Transport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self._pause = pause
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            self._client = httpx.Client(
                headers=headers,
                timeout=httpx.Timeout(timeout_seconds, connect=_CONNECT_SECONDS, pool=None),
                transport=transport or httpx.HTTPTransport(retries=1),
            )
        except UnicodeEncodeError:
            raise UsageError("the key holds characters that no key holds: copy it again") from None

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The parsed answer.

        Raises:
            HubUnreachableError: nobody answers there, or what answers speaks no JSON.
            EndpointRefusedError: the server says no, at once (4xx) or still after several tries (429, 5xx).

        """
        response = self._post(path, body)
        for attempt in range(_ENDPOINT_TRIES - 1):
            if response.status_code != 429 and response.status_code < 500:
                break
            self._pause(_wait_seconds(response, attempt))
            response = self._post(path, body)
        if response.status_code < 400:
            return self._read(response)
        raise EndpointRefusedError(f"{self.url}/{path}", response.status_code, response.text[:2000])

    def _post(self, path: str, body: Mapping[str, Any]) -> httpx.Response:
        try:
            return self._client.post(f"{self.url}/{path}", json=dict(body))
        except httpx.TimeoutException:
            raise HubUnreachableError(f"{self.url} did not answer in time") from None
        except (httpx.TransportError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise HubUnreachableError(
                f"nothing answers at {self.url} ({reason}): is the server running, and is --endpoint its URL up to /v1?"
            ) from None

    def _read(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise HubUnreachableError(
                f"{self.url} answers with what is no JSON ({response.text[:80]!r}): is --endpoint its URL up to /v1?"
            ) from None

    def close(self) -> None:
        """Let go of all connections."""
        self._client.close()


def _wait_seconds(response: httpx.Response, attempt: int) -> float:
    """What the server asks for (``Retry-After`` in seconds), else 1, 2, 4 … seconds; at most a minute."""
    try:
        return min(max(float(response.headers["Retry-After"]), 0.0), _LONGEST_WAIT)
    except (KeyError, ValueError):
        return min(2.0**attempt, _LONGEST_WAIT)


class AsyncConnection:
    """:class:`Connection` for asyncio."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout_seconds: float = 60.0,
        connections: int = 16,
        transport: AsyncTransport | None = None,
    ) -> None:
        self._address = _Address(url, token, timeout_seconds, connections)
        self._client = httpx.AsyncClient(
            transport=transport or httpx.AsyncHTTPTransport(retries=1), **self._address.options
        )

    async def send(self, call: ApiCall[Answer]) -> Answer:
        """Send one call and read its answer. Raises one of :mod:`hub_client.errors`."""
        try:
            response = await self._client.request(**self._address.request(call))
        except httpx.TransportError as error:
            raise self._address.unreachable(error) from error
        return _read_answer(self._address.url, call, response)

    @asynccontextmanager
    async def lines(self, method: str, path: str, *, content: bytes) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """An NDJSON answer to an NDJSON body, one object at a time."""
        headers = {"Accept": "*/*", "Content-Type": _NDJSON}
        try:
            async with self._client.stream(method, path, content=content, headers=headers) as response:
                if response.status_code >= 400:
                    _check(self._address.url, response.status_code, await response.aread())
                yield (_parse_line(self._address.url, line) async for line in response.aiter_lines() if line.strip())
        except httpx.TransportError as error:
            raise self._address.unreachable(error) from error

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._client.aclose()

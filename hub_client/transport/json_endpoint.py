"""JSON over HTTP to a server that is not a hub, such as a model's."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from hub_client.errors import EndpointRefusedError, HubUnreachableError, UsageError
from hub_client.transport.answer_bodies import ERROR_BYTES, JSON_BYTES, TooLongError, beginning, bounded
from hub_client.transport.deadlines import Deadline, DeadlineTransport
from hub_client.transport.proxies import proxy_text
from schemas.strict_json import parse_json

_CONNECT_SECONDS = 10.0  # chosen, not measured
_CONNECTIONS = 1000  # chosen: the caller bounds how much it asks at once
_TRIES = 6  # chosen, not measured
_LONGEST_WAIT = 60.0  # chosen: a server that asks for an hour is not waited for


class JsonEndpoint:
    """Busy answers (429, 5xx) are tried again. ``timeout_seconds`` is for one whole answer."""

    def __init__(
        self,
        url: str,
        key: str | None,
        *,
        timeout_seconds: float = 600.0,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self._pause = pause
        self._timeout_seconds = timeout_seconds
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key.strip()}"} if key else {})
        try:
            self._client = httpx.Client(
                headers=headers,
                timeout=httpx.Timeout(timeout_seconds, connect=_CONNECT_SECONDS, pool=None),
                transport=transport or DeadlineTransport(_CONNECTIONS),
            )
        except UnicodeEncodeError:
            raise UsageError("the key has characters outside ASCII, which no key has: copy it again") from None

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The parsed answer.

        Raises:
            HubUnreachableError: there is no answer, or the answer is not JSON.
            EndpointRefusedError: the server refuses, at once (4xx) or after several tries (429, 5xx).

        """
        status, said, wait = self._post(path, body)
        for attempt in range(_TRIES - 1):
            if status != 429 and status < 500:
                break
            self._pause(_wait_seconds(wait, attempt))
            status, said, wait = self._post(path, body)
        if status < 400:
            return self._read(said)
        raise EndpointRefusedError(f"{self.url}/{path}", status, said[:2000].decode("utf-8", "replace"))

    def _post(self, path: str, body: Mapping[str, Any]) -> tuple[int, bytes, str]:
        """(status, body, Retry-After) of one try."""
        try:
            with (
                Deadline(self._timeout_seconds).covering(),
                self._client.stream("POST", f"{self.url}/{path}", json=dict(body)) as response,
            ):
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    raise HubUnreachableError(f"{self.url} compresses its answers, though it was asked not to")
                pieces = response.iter_bytes()
                is_refusal = response.status_code >= 400
                said = beginning(pieces, ERROR_BYTES) if is_refusal else b"".join(bounded(pieces, "it", JSON_BYTES))
                return response.status_code, said, response.headers.get("Retry-After", "")
        except httpx.TimeoutException:
            raise HubUnreachableError(
                f"{self.url} did not answer in time{proxy_text(self.url)}: ask for shorter answers, or for fewer at "
                "once"
            ) from None
        except TooLongError as error:
            raise HubUnreachableError(f"the answer of {self.url} cannot be used: {error}") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError, OverflowError) as error:
            reason = str(error) or type(error).__name__
            raise HubUnreachableError(
                f"nothing answers at {self.url}{proxy_text(self.url)} ({reason}): is the server running, and is "
                "that its URL up to /v1?"
            ) from None

    def _read(self, said: bytes) -> Any:
        try:
            return parse_json(said)
        except ValueError:
            shown = said[:80].decode("utf-8", "replace")
            raise HubUnreachableError(
                f"{self.url} gives an answer that is not JSON ({shown!r}): is that its URL up to /v1?"
            ) from None

    def close(self) -> None:
        """Let go of all connections."""
        self._client.close()


def _wait_seconds(said: str, attempt: int) -> float:
    """Seconds to wait: what the server asks for (``Retry-After``), else 1, 2, 4 … seconds; at most 60."""
    try:
        seconds = float(said)
    except ValueError:
        seconds = math.nan
    return min(max(seconds, 0.0) if math.isfinite(seconds) else 2.0**attempt, _LONGEST_WAIT)

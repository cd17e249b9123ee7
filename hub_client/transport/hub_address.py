"""Where a hub is, which headers every request to it carries, and what its failures mean. No I/O happens here."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.metadata import version
from typing import Any, NoReturn, TypeVar

import httpx

from hub_client.errors import HubUnreachableError, NotLoggedInError, UsageError, refusal_of
from hub_client.transport.answer_bodies import TooLongError
from hub_client.transport.proxies import ProxySettingError, proxy_text
from hub_client.transport.requests.call import ApiCall, problem_of
from schemas.problem import ProblemCode
from schemas.strict_json import first_line, parse_json

Answer = TypeVar("Answer")

_CONNECT_SECONDS = 10.0  # chosen, not measured
_NDJSON = "application/x-ndjson"
# ValueError: a Content-Length or header that no server sends. OSError: sockets and names below httpx.
# OverflowError: a port over 65535 that a redirect names; under asyncio it comes in a group.
_FAILURES = (
    httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError, OverflowError, ExceptionGroup,
)  # fmt: skip


class HubAddress:
    """One hub's address. Raises :class:`UsageError` for an invalid URL, or one that contains a password."""

    def __init__(self, url: str, token: str | None, timeout_seconds: float) -> None:
        self.url = url
        self.timeout_seconds = timeout_seconds
        self._check_url()
        self.options: dict[str, Any] = {
            "base_url": url,
            "headers": self._headers(token),
            "timeout": httpx.Timeout(timeout_seconds, connect=_CONNECT_SECONDS, pool=None),
            # No cookie is kept: a hub, or whom it redirects to, could know its readers again by one.
            "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=())),
        }

    def _check_url(self) -> None:
        try:
            parsed = httpx.URL(self.url)
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise UsageError(
                f"the hub's URL is not valid ({first_line(error)}): give one such as https://hub.example.org"
            ) from None
        if (parsed.port or 0) > 65535:
            raise UsageError(f"the hub's URL names port {parsed.port}; the highest is 65535")
        if parsed.userinfo:
            # httpx would send it in place of the token, and error messages would print it.
            raise UsageError(
                f"the hub's URL must not hold a name or password: leave out the part before @{parsed.host}, "
                "and log in with `verihub login`"
            )

    @staticmethod
    def _headers(token: str | None) -> dict[str, str]:
        # identity: a few compressed bytes could otherwise stand for gigabytes.
        headers = {
            "User-Agent": f"verihub/{version('verihub')}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
        }
        if not token or not (clean := token.strip()):
            return headers
        if not clean.isascii() or not clean.isprintable() or " " in clean:
            raise NotLoggedInError(
                "the token contains characters that tokens never contain: copy it again, or log in with `verihub login`"
            )
        return headers | {"Authorization": f"Bearer {clean}"}

    @staticmethod
    def stream_headers(content: bytes | None) -> dict[str, str]:
        """Headers of a request for a stream of lines."""
        return {"Accept": "*/*"} | ({"Content-Type": _NDJSON} if content is not None else {})

    def socket_address(self, path: str) -> tuple[str, dict[str, str]]:
        """(address, headers) of a WebSocket on this hub, with this hub's token."""
        scheme, _, rest = self.url.partition("://")
        left_out = {"Accept", "Accept-Encoding"}
        headers = {name: value for name, value in self.options["headers"].items() if name not in left_out}
        return f"{'wss' if scheme == 'https' else 'ws'}://{rest}{path}", headers

    def check_head(self, method: str, response: httpx.Response) -> None:
        """Refuse an answer by its head: a redirected write, or a body that is not what was asked for."""
        if response.is_redirect:
            raise HubUnreachableError(
                f"{self.url} redirects a {method} to another address, which would receive its content (a password, a "
                f"wheel): name that hub with --url if it is yours ({response.headers.get('Location', '')[:200]!r})"
            )
        if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
            raise HubUnreachableError(f"{self.url} compresses its answer, though it was asked not to: is it a hub?")

    def refuse_plain(self, response: httpx.Response) -> None:
        """Refuse to be led from TLS to plain HTTP: whoever is on the way could answer in the hub's place."""
        following = response.headers.get("Location", "") if response.is_redirect else ""
        if response.url.scheme == "https" and following and response.url.join(following).scheme != "https":
            raise HubUnreachableError(
                f"{self.url} redirects to an address without TLS ({following[:200]!r}), where anybody on the way could "
                "answer in its place: tell its operator"
            )

    def refuse(self, status: int, body: bytes, note: str = "") -> NoReturn:
        """Raise the error that stands for a refusal, with a ``note`` of the client's in brackets."""
        problem = problem_of(status, body)
        error = refusal_of(problem, note)
        if type(error) is NotLoggedInError and "verihub login" not in str(error):
            raise NotLoggedInError(
                f"{error} (log in to {self.url} with `verihub login`, or set VERIHUB_TOKEN)", problem=problem
            )
        if (
            problem.code == ProblemCode.PAGE_NOT_FOUND
        ):  # no address that the client asks; whatever is there, it is no hub
            raise type(error)(
                f"{error}\n  is {self.url} the address of a Verihub hub, without a page's path? Name one with --url or "
                "VERIHUB_URL",
                problem=problem,
            )
        raise error

    @contextmanager
    def our_errors(self) -> Iterator[None]:
        """Translates whatever HTTP raises into our own errors."""
        try:
            yield
        except (httpx.TimeoutException, TimeoutError) as error:
            raise HubUnreachableError(
                f"the hub at {self.url} did not answer in time{proxy_text(self.url)}: try again, or set "
                "VERIHUB_TIMEOUT_SECONDS"
            ) from error
        except TooLongError as error:
            raise HubUnreachableError(f"the answer of {self.url} cannot be used: {error}") from error
        except _FAILURES as error:
            reason = str(error) or type(error).__name__
            if "CERTIFICATE_VERIFY_FAILED" in reason:
                raise HubUnreachableError(
                    f"the hub at {self.url} shows a certificate{proxy_text(self.url)} that no authority known here "
                    f"vouches for ({reason}): where it is your own hub's, name the file with its certificate in "
                    "SSL_CERT_FILE"
                ) from error
            if isinstance(error, ProxySettingError):
                raise HubUnreachableError(f"the hub at {self.url} was not asked: {reason}") from error
            if "SSL_CERT_" in reason:
                raise HubUnreachableError(f"the hub at {self.url} was not asked: {reason}") from error
            if through := proxy_text(self.url):
                raise HubUnreachableError(
                    f"the hub at {self.url} cannot be reached{through} ({reason}), which HTTPS_PROXY or ALL_PROXY "
                    "names; NO_PROXY names hosts that are asked directly"
                ) from error
            raise HubUnreachableError(
                f"the hub at {self.url} cannot be reached ({reason}): start one with `verihub serve`, "
                "or name another with --url"
            ) from error


def read_answer(url: str, call: ApiCall[Answer], body: bytes) -> Answer:
    """The answer in a body. Raises :class:`HubUnreachableError` for one that cannot be read."""
    try:
        data = parse_json(body) if body else None
        if b"\\u" in body:  # half of a pair of surrogates is no text: who writes it to a file or terminal would fail
            json.dumps(data, ensure_ascii=False).encode()
        return call.read(data)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise HubUnreachableError(
            f"{url} gave an answer that does not fit the request ({first_line(error)}): is it a Verihub hub?"
        ) from error


def parse_line(url: str, line: bytes) -> dict[str, Any]:
    """One line of a stream. Anything but an object was sent by a server between us and the hub."""
    try:
        data = parse_json(line)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        shown = line[:80].decode("utf-8", "replace")
        raise HubUnreachableError(f"{url} sent a line that is not a JSON object ({shown!r}): try again")
    return data

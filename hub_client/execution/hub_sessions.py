"""Episodes that run on the hub, over one WebSocket each."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from threading import Lock
from typing import Any, Literal

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from hub_client.errors import CheckFailedError, HubUnreachableError, SandboxMissingError, UsageError, refusal_of
from hub_client.transport.hub_verdicts import Declared, read_rewards
from hub_client.transport.pools import certificates_of_socket
from hub_client.transport.proxies import ProxySettingError, proxy_text, socket_proxy
from hub_client.transport.requests.call import problem_of
from schemas.problem import Problem
from schemas.session import SessionAnswer, SessionRequest
from schemas.strict_json import first_line, parse_json

_MAX_BYTES = 16 * 2**20  # chosen, not measured
_CLOSE_SECONDS = 2.0  # chosen: to say goodbye; the hub ends the session without it too

Operation = Literal["reset", "step", "state", "branch", "undo", "close"]


@contextmanager
def open_episode(
    address: str,
    headers: Mapping[str, str],
    task: dict[str, Any],
    seed: int,
    timeout_seconds: float,
    declared: Declared,
) -> Iterator["HubSession"]:
    """An episode for the length of the ``with``; the hub ends it, and its branches, with the connection.

    ``declared``: the rewards of the session's package; a step whose rewards break the declaration raises.
    """
    try:
        socket = connect(
            address,
            additional_headers=dict(headers),
            open_timeout=timeout_seconds,
            close_timeout=_CLOSE_SECONDS,
            max_size=_MAX_BYTES,
            proxy=socket_proxy(address),  # as all requests to the hub; the library's own choice is another
            ssl=certificates_of_socket(address),
        )
    except InvalidStatus as error:
        raise refusal_of(problem_of(error.response.status_code, bytes(error.response.body or b""))) from None
    except (OSError, ValueError, WebSocketException, ProxySettingError) as error:
        is_asked = not isinstance(error, ProxySettingError)
        through = proxy_text(f"http{address.removeprefix('ws')}") if is_asked else ""
        raise HubUnreachableError(f"the hub's sessions at {address} cannot be reached{through} ({error})") from error
    with socket:
        yield HubSession(_Channel(socket, timeout_seconds), task, seed, declared)


class _Channel:
    """Request and answer, one pair at a time, from any thread.

    An answer belongs to the request whose id it carries. After a timeout, or after an answer with another id, it is
    unknown which answer comes next. So the socket is closed and every later call fails: a reward of another step would
    be worse than none.
    """

    def __init__(self, socket: ClientConnection, timeout_seconds: float) -> None:
        self._socket = socket
        self._timeout_seconds = timeout_seconds
        self._numbers = count(1)
        self._lock = Lock()
        self._end = ""
        """Why the episode is over; empty while it is not."""

    @property
    def is_over(self) -> bool:
        """Whether every further call fails."""
        return bool(self._end)

    def ask(self, request: SessionRequest) -> dict[str, Any]:
        """Send one request and read its answer. A refusal is raised as the error that it stands for."""
        numbered = request.model_copy(update={"id": str(next(self._numbers))})
        try:
            text = json.dumps(numbered.model_dump(exclude_none=True), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise UsageError(f"what is sent to the episode is not JSON: {error}") from None
        with self._lock:
            if self._end:
                raise HubUnreachableError(f"this episode is over ({self._end}): begin another")
            try:
                answer = self._exchange(numbered, text)
            except BaseException as error:  # a later answer would belong to this request, and be a wrong reward
                self._end = str(error) or type(error).__name__
                self._socket.close()
                raise
        if answer.problem is not None:
            raise _refusal_in(answer)
        return answer.result or {}

    def _exchange(self, request: SessionRequest, text: str) -> SessionAnswer:
        try:
            self._socket.send(text)
            answer = SessionAnswer.read(parse_json(self._socket.recv(timeout=self._timeout_seconds)))
        except TimeoutError:
            raise HubUnreachableError(
                f"the hub did not answer {request.op} within {self._timeout_seconds:g} s, and the episode was ended: "
                "begin another, or set VERIHUB_TIMEOUT_SECONDS"
            ) from None
        except ValueError as error:
            first = first_line(error)
            raise HubUnreachableError(f"the hub's answer to {request.op} cannot be read ({first})") from None
        except (ConnectionClosed, OSError) as error:
            raise HubUnreachableError(f"the connection to the episode is lost ({error}): begin another") from error
        if answer.id == "" and answer.problem is not None:
            raise _refusal_in(answer)  # The answer is about the whole episode: the hub read no request.
        if answer.id != request.id:
            raise HubUnreachableError(
                f"the hub answered request {answer.id[:20]!r}, not {request.id!r}, and the episode was ended: "
                "an answer to another request would be a wrong reward; begin another episode"
            )
        return answer

    def refuse(self, reason: str) -> HubUnreachableError:
        """End the episode because of what the hub answered."""
        with self._lock:
            self._end = self._end or reason
            self._socket.close()
        return HubUnreachableError(f"the hub's answer cannot be used, and the episode was ended: {reason}")


def _refusal_in(answer: SessionAnswer) -> Exception:
    """The error of a refusal. What is sent here is well-formed, so an invalid request is the package's fault."""
    problem = answer.problem or {}
    detail = problem.get("detail", "refused")
    error = refusal_of(Problem(title=detail, status=400, code=problem.get("code", ""), detail=detail))
    return CheckFailedError(str(error), problem=error.problem) if isinstance(error, UsageError) else error


class HubSession:
    """A live episode on the hub, or a branch of one. Threads may share it: calls run one after the other."""

    def __init__(
        self, channel: _Channel, task: dict[str, Any], seed: int, declared: Declared, name: str = "main"
    ) -> None:
        self._channel = channel
        self._task = task
        self._seed = seed
        self._declared = declared
        self._name = name
        self._is_open = name != "main"

    def reset(self) -> dict[str, Any]:
        """Begin, or begin again."""
        task = None if self._is_open else self._task
        answer = self._channel.ask(self._request("reset", task=task, seed=self._seed))
        self._is_open = True
        return answer

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send the model's message. Returns ``{"messages", "done", "rewards"?}``, with rewards checked against the
        declaration.
        """
        answer = self._channel.ask(self._request("step", message=message))
        if not isinstance(answer.get("messages"), list) or "done" not in answer:
            raise self._channel.refuse("step brought no messages, or does not say whether the episode is done")
        if answer.get("rewards") is None:
            return answer
        try:
            return {**answer, "rewards": read_rewards(answer["rewards"], self._declared)}
        except ValueError as fault:
            raise self._channel.refuse(str(fault)) from None

    def state(self) -> dict[str, Any]:
        """What the verifier may see."""
        return self._channel.ask(self._request("state"))

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Not possible on a hub: a session's tools can be called only where it runs."""
        del name, arguments
        raise SandboxMissingError(
            "calling a tool of a session needs a sandbox on this machine: start Docker (see `verihub doctor`)"
        )

    def branch(self) -> "HubSession":
        """A copy of the episode that continues independently."""
        name = self._channel.ask(self._request("branch")).get("session")
        if not isinstance(name, str) or not name:
            raise self._channel.refuse("branch brought no name")
        return HubSession(self._channel, self._task, self._seed, self._declared, name)

    def undo(self) -> None:
        """Take the last step back."""
        self._channel.ask(self._request("undo"))

    def close(self) -> None:
        """End it. Harmless when the whole episode has ended already."""
        if not self._channel.is_over:
            self._channel.ask(self._request("close"))

    def _request(self, op: Operation, **more: Any) -> SessionRequest:
        return SessionRequest(id="0", op=op, session=self._name, **more)

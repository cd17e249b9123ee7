"""Episodes that run on the hub, over one WebSocket each."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any, Literal

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from hub_client.errors import HubUnreachableError, SandboxMissingError, UsageError, refusal_of
from hub_client.requests.call import problem_of
from schemas.problem import Problem
from schemas.session import SessionAnswer, SessionRequest

_MAX_BYTES = 16 * 2**20

Operation = Literal["reset", "step", "state", "branch", "undo", "close"]


@contextmanager
def open_episode(
    address: str, headers: Mapping[str, str], task: dict[str, Any], seed: int, timeout_seconds: float
) -> Iterator["RemoteSession"]:
    """An episode for the length of the ``with``; the hub ends it, and its branches, with the connection."""
    try:
        socket = connect(address, additional_headers=dict(headers), open_timeout=timeout_seconds, max_size=_MAX_BYTES)
    except InvalidStatus as error:
        raise refusal_of(problem_of(error.response.status_code, bytes(error.response.body or b""))) from None
    except (OSError, WebSocketException) as error:
        raise HubUnreachableError(f"the hub's sessions at {address} cannot be reached ({error})") from error
    with socket:
        yield RemoteSession(_Wire(socket, timeout_seconds), task, seed)


class _Wire:
    """Requests one after the other."""

    def __init__(self, socket: ClientConnection, timeout_seconds: float) -> None:
        self._socket = socket
        self._timeout_seconds = timeout_seconds
        self._numbers = count(1)

    def ask(self, request: SessionRequest) -> dict[str, Any]:
        """Send one request and read its answer; a refusal is raised as what it stands for."""
        numbered = request.model_copy(update={"id": str(next(self._numbers))})
        try:
            self._socket.send(json.dumps(numbered.model_dump(mode="json", exclude_none=True), allow_nan=False))
            answer = SessionAnswer.read(json.loads(self._socket.recv(timeout=self._timeout_seconds)))
        except TimeoutError:
            raise HubUnreachableError(f"the hub did not answer {request.op} in time: the episode is over") from None
        except (ConnectionClosed, OSError) as error:
            raise HubUnreachableError(f"the episode on the hub is over ({error}): begin another") from error
        if answer.problem is not None:
            detail = answer.problem.get("detail", "refused")
            raise refusal_of(Problem(title=detail, status=400, code=answer.problem.get("code", ""), detail=detail))
        return answer.result or {}


class RemoteSession:
    """A live episode on the hub, or a branch of one."""

    def __init__(self, wire: _Wire, task: dict[str, Any], seed: int, name: str = "main") -> None:
        self._wire = wire
        self._task = task
        self._seed = seed
        self._name = name
        self._is_open = name != "main"

    def reset(self) -> dict[str, Any]:
        """Begin, or begin again."""
        task = None if self._is_open else self._task
        answer = self._wire.ask(self._request("reset", task=task, seed=self._seed))
        self._is_open = True
        return answer

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        """The model's message in, what follows out."""
        return self._wire.ask(self._request("step", message=message))

    def state(self) -> dict[str, Any]:
        """What the verifier may see."""
        return self._wire.ask(self._request("state"))

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Tools of a session are called where it runs."""
        del name, arguments
        raise SandboxMissingError(
            "calling a tool of a session needs a sandbox on this machine: start Docker (see `verihub doctor`)"
        )

    def branch(self) -> "RemoteSession":
        """A copy that goes its own way."""
        name = self._wire.ask(self._request("branch")).get("session")
        if not isinstance(name, str):
            raise UsageError("the hub named no branch: it is of another version than this client")
        return RemoteSession(self._wire, self._task, self._seed, name)

    def undo(self) -> None:
        """Take the last step back."""
        self._wire.ask(self._request("undo"))

    def close(self) -> None:
        """End it."""
        self._wire.ask(self._request("close"))

    def _request(self, op: Operation, **more: Any) -> SessionRequest:
        return SessionRequest(id="0", op=op, session=self._name, **more)

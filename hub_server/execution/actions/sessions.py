"""Play multi-turn episodes in boxes: one client, one episode and its branches."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from hub_server.catalog import actions as catalog
from hub_server.database.visibility import EVERYTHING
from hub_server.errors import InvalidRequestError
from hub_server.execution.actions.targets import executable_release
from hub_server.execution.errors import NothingToExecuteError
from hub_server.kernel.caller import require_caller
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease, ExecutorSession
from schemas.account import Scope
from schemas.session import SessionRequest

MAX_BRANCHES = 32  # chosen, not measured


def session_release(work: UnitOfWork, package_id: str, version: str) -> ExecutableRelease:
    """A release that can be played.

    Needs an account, because an episode holds a box. Raises ``NothingToExecuteError``.
    """
    require_caller(work.caller, Scope.READ)
    row = catalog.usable_release(work, package_id, version)
    release = executable_release(work, row)
    if release.manifest.session is None:
        raise NothingToExecuteError(f"{package_id} {row.version} has no session that could be played.")
    return release


class LiveEpisode:
    """A live episode and its branches, by name. Blocking; one thread at a time; close it."""

    def __init__(self, services: Services, release: ExecutableRelease) -> None:
        self._services = services
        self._release = release
        self._boxes = ExitStack()
        self._sessions: dict[str, ExecutorSession] = {}
        self._branch_count = 0

    def handle(self, request: SessionRequest) -> dict[str, Any]:
        """Do what ``request`` asks. Raises a ``HubServerError`` for what cannot be done."""
        if request.op == "reset" and (request.task is not None or request.task_id is not None):
            self._open(request)
        session = self._sessions.get(request.session)
        if session is None:
            raise InvalidRequestError(f"There is no session {request.session!r} here: reset one with a task first.")
        return self._acts(request, session)[request.op]()

    def _acts(self, request: SessionRequest, session: ExecutorSession) -> dict[str, Callable[[], dict[str, Any]]]:
        return {
            "reset": session.reset,
            "step": lambda: session.step(_message_of(request)),
            "state": session.state,
            "branch": lambda: self._branch(session),
            "undo": lambda: session.undo() or {},
            "close": lambda: self._close(request.session, session),
        }

    def _open(self, request: SessionRequest) -> None:
        """Begin a new episode; the one before, with its branches, ends."""
        task = request.task if request.task is not None else self._find_task(request)
        self.close()
        manager = self._services.executor.session(self._release, task, seed=request.seed)
        self._sessions["main"] = self._boxes.enter_context(manager)

    def _find_task(self, request: SessionRequest) -> dict[str, Any]:
        with self._services.database.reading(sees=EVERYTHING) as session:  # whoever opened it may
            work = UnitOfWork(session, self._services)
            release = self._release
            task = catalog.find_task(work, release.package, release.version, request.task_id or "", request.split)
        return task.model_dump(mode="json")

    def _branch(self, session: ExecutorSession) -> dict[str, Any]:
        if len(self._sessions) >= MAX_BRANCHES:
            raise InvalidRequestError(f"{MAX_BRANCHES} branches live already: close some first.")
        self._branch_count += 1
        name = f"branch-{self._branch_count}"
        self._sessions[name] = session.branch()
        return {"session": name}

    def _close(self, name: str, session: ExecutorSession) -> dict[str, Any]:
        session.close()
        del self._sessions[name]
        return {}

    def close(self) -> None:
        """End the episode, every branch, and the box. Harmless to call twice."""
        sessions, self._sessions = self._sessions, {}
        with ExitStack() as ending:  # goes on where one cannot be closed, and raises that at the end
            ending.callback(self._boxes.close)
            for session in sessions.values():
                ending.callback(session.close)


def _message_of(request: SessionRequest) -> dict[str, Any]:
    if request.message is None:
        raise InvalidRequestError('step needs message, for example {"role": "assistant", "content": "…"}.')
    return request.message

"""One machine or many: whoever holds a sandbox cannot tell which, by no method and no default."""

from contextlib import asynccontextmanager
from typing import Any, Protocol

import pytest

from sandbox.cluster.sandbox import ClusterSandbox
from sandbox.cluster.sessions import NodeSessions
from sandbox.protocol import Episodes, SandboxProtocol
from sandbox.sandbox import Sandbox
from sandbox.sessions.session_pool import SessionPool
from tests.sandbox.protocols import differences


@pytest.mark.parametrize(("made", "attributes"), [(Sandbox, []), (ClusterSandbox, ["sessions"])])
def test_every_sandbox_has_the_methods_of_the_protocol(made: type, attributes: list[str]) -> None:
    assert differences(SandboxProtocol, made, *attributes) == []


@pytest.mark.parametrize("made", [SessionPool, NodeSessions])
def test_sessions_are_opened_alike(made: type) -> None:
    assert differences(Episodes, made) == []


def test_what_differs_is_found() -> None:
    """The tests above would pass if nothing were compared."""

    class Asked(Protocol):
        @property
        def sessions(self) -> int: ...
        async def warm(self, source: str, boxes: int = 1) -> None: ...
        def score(self, source: str, *, level: str | None = None) -> None: ...
        def replays(self) -> None: ...

    class Given:
        def warm(self, release: str, boxes: int = 2) -> None: ...

        @asynccontextmanager
        async def score(self, source: str, calls: int) -> Any:
            yield source

    assert sorted(differences(Asked, Given)) == [
        "replays is missing",
        "score: also needs calls",
        "score: has no level",
        "sessions is missing",
        "warm is awaited in one of them",
        "warm: also needs release",
        "warm: boxes is 2 by default and not 1",
        "warm: has no source",
        "warm: takes self, release, boxes and not self, source, boxes",
    ]

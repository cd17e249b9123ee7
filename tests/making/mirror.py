"""A mirror of a hub in this process, and what lies between the two: a wire on which a test can lie."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import text

from hub_server.adapters.keyless_signer import KeylessSigner
from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.journal.actions import follow
from hub_server.kernel.services import Services
from hub_server.mirror_loop import MirrorLoop
from hub_server.ports.outgoing_http import OutgoingError
from tests.fakes.clock import FakeClock
from tests.making.action_driver import ActionDriver, open_driver
from tests.making.hub import Api, run_jobs

ORIGIN = "https://origin.test"
Lie = Callable[[int, bytes], tuple[int, bytes]]


class Wire:
    """Answers the mirror's questions from the other hub's app. ``lies``: part of an address -> what becomes of it."""

    def __init__(self, origin: ActionDriver) -> None:
        self.origin = origin
        self.lies: dict[str, Lie] = {}
        self.asked: list[str] = []
        self.before: Callable[[str], None] = lambda _path: None
        self.api = Api(create_app(origin.services))

    def rewire(self) -> None:
        """After the other hub was started again, with other services."""
        self.api = Api(create_app(self.origin.services))

    def read_own(self, path: str) -> Any:
        """What the other hub itself answers."""
        return self.api.get(path).json()

    def post(self, url: str, headers: Any, body: bytes) -> int:
        raise AssertionError((url, headers, body))

    def read(self, url: str, *, most_bytes: int, seconds: float) -> tuple[int, bytes]:
        assert url.startswith(ORIGIN), "a mirror asks nobody else"
        path = url.removeprefix(ORIGIN)
        self.asked.append(path)
        self.before(path)
        answer = self.api.get(path)
        status, body = answer.status_code, answer.content
        for part, lie in self.lies.items():
            if part in path:
                status, body = lie(status, body)
        if len(body) > most_bytes:
            raise OutgoingError("the answer is too long")
        assert seconds > 0
        return status, body

    def fetch(self, url: str, keep: Callable[[bytes], object], *, most_bytes: int, seconds: float) -> int:
        status, body = self.read(url, most_bytes=most_bytes, seconds=seconds)
        for start in range(0, len(body) if status == 200 else 0, 1000):
            keep(body[start : start + 1000])
        return status


class Mirror:
    """A mirror of ``origin``. ``follow`` asks it once."""

    def __init__(
        self, origin: ActionDriver, folder: Path, template: Path, database: Database | None = None, **settings: Any
    ) -> None:
        """``database``: an empty one, where the mirror is to have another than SQLite."""
        self.wire = Wire(origin)
        folder.mkdir()
        made = open_driver(folder, template).services
        mirror = made.settings.mirror.model_copy(update={"of": ORIGIN, **settings})
        self.services: Services = replace(
            made,
            settings=made.settings.model_copy(update={"mirror": mirror}),
            signer=KeylessSigner(),
            outgoing=self.wire,
            clock=FakeClock(),
            database=database or made.database,
        )
        with self.services.database.writing() as session:
            follow(session, ORIGIN)
        self.api = Api(create_app(self.services))

    def follow(self) -> bool:
        """One pass; whether the other hub was believed."""
        return MirrorLoop(self.services).run_one() is not None

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        assert isinstance(self.services.clock, FakeClock)
        self.services.clock.advance(seconds)

    @property
    def state(self) -> str:
        """What the operator reads."""
        said: str = self.api.get("/readyz").json()["mirror"]
        return said

    def pages(self) -> list[str]:
        """The packages that a search finds."""
        return [card["id"] for card in self.api.get("/api/v1/packages?sort=name").json()["items"]]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What the database holds."""
        with self.services.database.reading() as session:
            return [tuple(row) for row in session.execute(text(statement))]

    def run_jobs(self) -> int:
        return run_jobs(self.services)

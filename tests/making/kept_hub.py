"""A hub in a state that takes long to make: made by the first test that needs it, copied for every later one."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import psycopg
from sqlalchemy import make_url

from hub_server.kernel.services import Services
from hub_server.ports.signer import Signer
from tests.fakes.clock import FakeClock
from tests.making.hub import Api


@dataclass(frozen=True)
class _State:
    database: str
    """Its URL."""
    data: Path
    now: datetime
    signer: Signer
    tokens: dict[str, str | None]


_CUT_OFF = b"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s"


class HubKeeper:
    """Keeps states for the life of the test process. The copies of their data lie in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._states: dict[tuple[str, bool], _State] = {}

    def bring(self, name: str, services: Services, make: Callable[[], object], **people: Api) -> None:
        """Bring a fresh hub into the state ``name``: by ``make`` the first time, by a copy from then on.

        ``people``: views of the hub that exist already; their tokens become those of the copied hub. What ``make`` sets
        in memory (such as what the executor answers) is not kept: set it before.
        """
        assert isinstance(services.clock, FakeClock)
        services_data = services.settings.data
        state = self._states.get((name, services.database.is_sqlite))
        if state is None:
            make()
            self._states[name, services.database.is_sqlite] = self._keep(services, people)
            return
        services.database.close()
        _copy_database(state.database, services.database.url)
        shutil.copytree(state.data, services_data, dirs_exist_ok=True)
        vars(services.signer).update(vars(state.signer))
        services.clock.set(state.now)
        for who, api in people.items():
            api.token = state.tokens[who]

    def _keep(self, services: Services, people: dict[str, Api]) -> _State:
        folder = self._folder / str(len(self._states))
        folder.mkdir()
        services.database.close()
        url = make_url(services.database.url)
        place = str(folder / "hub.sqlite3") if services.database.is_sqlite else f"kept_{uuid4().hex[:12]}"
        kept = url.set(database=place).render_as_string(hide_password=False)
        _copy_database(services.database.url, kept)
        services.settings.data.mkdir(parents=True, exist_ok=True)
        shutil.copytree(services.settings.data, folder / "data")
        tokens = {who: api.token for who, api in people.items()}
        return _State(kept, folder / "data", services.clock.now(), services.signer, tokens)


def _copy_database(source: str, target: str) -> None:
    """Make ``target`` a copy of ``source``, whatever it was before. Whoever is connected to either is cut off."""
    here, there = make_url(source), make_url(target)
    if here.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(here.database))) as old, closing(sqlite3.connect(str(there.database))) as new:
            old.backup(new)
        return
    host = here.query["host"]
    with psycopg.connect(f"host={host} user=postgres dbname=postgres", autocommit=True) as connection:
        connection.execute(_CUT_OFF, (here.database,))  # whoever empties it between tests keeps a connection
        connection.execute(f"DROP DATABASE IF EXISTS {there.database} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {there.database} TEMPLATE {here.database} STRATEGY FILE_COPY".encode())

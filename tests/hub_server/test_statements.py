"""What each page and each answer of the API asks of the database: as many statements on a hub with eleven times the rows.

The numbers are stored in ``statements.txt`` beside this file. After an intended change, store them anew:
``VERIHUB_TEST_STORE=1 python -m pytest tests/hub_server/test_statements.py``, and read what has grown.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import event, text

from hub_server.app import create_app
from hub_server.database.base import Base
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from tests.fakes.executor import FakeExecutor
from tests.making import multiplied_rows, varied_hub
from tests.making.catalogue import judge
from tests.making.hub import METRICS_TOKEN, Api
from tests.making.hub_addresses import read_addresses

STORED = Path(__file__).with_name("statements.txt")
TIMES = 10
_NAMED = re.compile(r"\b(?:FROM|INTO|UPDATE)\s+(\w+)")
MAY_DIFFER = {
    "/": "it shows whom a small hub lacks by further lists, and asks for none of them once its own are long enough",
}
"""Route -> why a small hub asks for more there. A larger one never may."""
NOT_COUNTED = {"/readyz": "what takes it long to find is kept for some seconds of the clock on the wall"}
"""Route -> why the number depends on the moment."""
MADE_ONCE = {
    "/api/v1/packages": "the search index follows the catalogue",
    "/api/v1/packages/{owner}/{name}/releases/{version}/wheel": "a download is counted once a day",
    "/simple/": "the list is kept until something is published",
    "/sitemap.xml": "the list is kept until something is published",
}
"""Route -> why its first answer asks for more; the second is counted."""


@pytest.fixture
def settings(usual_settings: ServerSettings, tmp_path: Path) -> ServerSettings:
    return usual_settings.model_copy(update={"data": tmp_path / "data", "moderators": ["alice"]})


@pytest.fixture
def executor() -> FakeExecutor:
    return FakeExecutor(judge)


def test_every_page_and_answer_costs_as_many_statements_whatever_the_hub_holds(
    app: FastAPI, services: Services
) -> None:
    alice = varied_hub.fill(app, services)
    rows = _row_counts(services)
    few = _statements(services, alice)
    multiplied_rows.multiply(services, TIMES)
    _assert_multiplied(rows, _row_counts(services))
    many = _statements(services, alice)
    grown = {route: (few[route], many[route]) for route in few if few[route] != many[route]}
    assert [route for route, (status, _) in many.items() if status >= 500] == []
    assert {route for route, (before, after) in grown.items() if route not in MAY_DIFFER or after > before} == set(), (
        grown
    )
    if os.environ.get("VERIHUB_TEST_STORE") == "1" and services.database.is_sqlite:
        STORED.write_text("".join(f"{statements:3} {status} {route}\n" for route, (status, statements) in many.items()))
    assert many == _stored()


def _statements(services: Services, alice: Api) -> dict[str, tuple[int, int]]:
    """Route -> (status, statements)."""
    app = create_app(services)
    found = {}
    for route, address in read_addresses(app, services).items():
        asker = Api(app, METRICS_TOKEN if route == "/metrics" else alice.token)
        if route in MADE_ONCE:
            asker.get(address)
        with _counted(services) as sent:
            status = asker.get(address, headers={"accept": "text/html, */*"}).status_code
        if route not in NOT_COUNTED:
            found[route] = (status, len(sent))
    return found


@contextmanager
def _counted(services: Services) -> Iterator[list[str]]:
    """What is asked of the hub's tables meanwhile. Buckets of the rate limits are asked by the clock on the wall, and
    PostgreSQL alone is asked in each transaction that may write whether the hub is read-only.
    """
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if (set(_NAMED.findall(statement)) & Base.metadata.tables.keys()) - {"rate_buckets", "read_only"}:
            sent.append(statement)

    event.listen(services.database.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(services.database.engine, "before_cursor_execute", note)


def _row_counts(services: Services) -> dict[str, int]:
    with services.database.reading() as session:
        return {name: session.scalar(text(f"SELECT count(*) FROM {name}")) or 0 for name in Base.metadata.tables}


def _assert_multiplied(before: dict[str, int], after: dict[str, int]) -> None:
    left_out = multiplied_rows.NOT_MULTIPLIED.keys()
    assert left_out <= before.keys()
    too_few = {name: (count, after[name]) for name, count in before.items() if after[name] < TIMES * max(1, count)}
    assert too_few.keys() - left_out == set(), f"rows before and after: {too_few}"


def _stored() -> dict[str, tuple[int, int]]:
    lines = [line.split(maxsplit=2) for line in STORED.read_text().splitlines()]
    return {route: (int(status), int(statements)) for statements, status, route in lines}

"""What an operator reads of a mirror."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy.orm import Session

from hub_server.database.engine import Database
from hub_server.mirror.actions import describe, gauges
from tests.making.action_driver import ActionDriver
from tests.making.mirror import Mirror


def test_a_hub_of_its_own_says_nothing_of_mirrors(driver: ActionDriver) -> None:
    assert describe(driver.services) == "no"


def test_a_mirror_says_how_far_it_is(mirror: Mirror) -> None:
    assert mirror.state == "behind: 0 entries of https://origin.test, not whole yet"
    assert mirror.api.get("/readyz").json()["writes"] == "mirror of https://origin.test"
    mirror.follow()
    assert mirror.state.startswith("ok: 3 entries of https://origin.test, asked 2026-11-21")
    mirror.wire.lies = {"/events": lambda _status, _body: (503, b"")}
    mirror.follow()
    assert mirror.state.startswith("waits: https://origin.test"), mirror.state
    assert mirror.api.get("/readyz").status_code == 200, "what it shows is true"


def test_its_age_is_on_its_pages_and_a_metric(mirror: Mirror) -> None:
    def metric(state: str) -> float:
        lines = mirror.api.metrics().splitlines()
        return next(
            float(line.split()[-1]) for line in lines if line.startswith(f'verihub_mirror_age_seconds{{state="{state}"')
        )

    page = {"accept": "text/html"}
    assert metric("following") == float("inf"), "never asked yet"
    assert "as of" not in mirror.api.get("/packages", headers=page).text
    mirror.follow()
    mirror.wait(3 * 3600)
    assert round(metric("following")) == 3 * 3600
    assert "as of 3 hours ago" in " ".join(mirror.api.get("/packages", headers=page).text.split())
    assert 'verihub_mirror_packages{state="waiting"} 0.0' in mirror.api.metrics()


def test_a_hub_of_its_own_has_no_age(driver: ActionDriver) -> None:
    assert driver.ask(None, gauges) == ()


def test_metrics_are_read_on_one_connection(mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who holds one and asks for another waits for ever, as soon as so many ask at once as there are connections."""
    held, most = 0, 0
    reading = Database.reading

    @contextmanager
    def counted(database: Database) -> Iterator[Session]:
        nonlocal held, most
        held += 1
        most = max(most, held)
        try:
            with reading(database) as session:
                yield session
        finally:
            held -= 1

    monkeypatch.setattr(Database, "reading", counted)
    assert "verihub_rows" in mirror.api.metrics()
    assert most == 1

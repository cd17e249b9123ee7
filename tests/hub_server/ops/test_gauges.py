"""A database that is away or slow costs a scrape the database's own numbers, and nothing else."""

import contextlib
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.ops import gauges
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api


def scrape(driver: ActionDriver, database: Database) -> Iterator[str]:
    """One scrape after another of a hub with that database."""
    api = Api(create_app(replace(driver.services, database=database)))
    while True:
        yield api.metrics()


def says_only_what_needs_no_database(text: str) -> bool:
    assert 'verihub_database_available{part="database"} 0.0' in text
    assert "verihub_http_request_seconds" in text
    assert 'verihub_sandbox_available{part="sandbox"} 1.0' in text
    return "verihub_jobs" not in text and "verihub_rows" not in text


def test_a_database_that_answers_is_said_to(driver: ActionDriver) -> None:
    text = next(scrape(driver, driver.services.database))
    assert 'verihub_database_available{part="database"} 1.0' in text
    assert "verihub_jobs" in text


def test_a_database_that_is_away_costs_only_its_own_numbers(driver: ActionDriver, tmp_path: Path) -> None:
    away = Database(f"postgresql+psycopg://postgres@/hub?host={tmp_path}")
    with contextlib.closing(away):
        for _, text in zip(range(2), scrape(driver, away), strict=False):
            assert says_only_what_needs_no_database(text)


def test_one_that_never_answers_is_asked_once_and_waited_for_shortly(
    driver: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gauges, "PATIENCE_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        mute = Database(f"postgresql+psycopg://postgres@127.0.0.1:{listener.getsockname()[1]}/hub")
        scrapes = scrape(driver, mute)
        assert says_only_what_needs_no_database(next(scrapes))
        asked, _ = listener.accept()
        assert says_only_what_needs_no_database(next(scrapes))
        listener.settimeout(0.3)
        with pytest.raises(TimeoutError):
            listener.accept()
        asked.close()  # the look ends
        mute.close()


def test_a_fault_of_ours_is_no_database_that_is_away(driver: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(gauges.job_queue, "count_jobs", broken)
    with pytest.raises(ZeroDivisionError):
        gauges.DatabaseGauges(driver.services).text()

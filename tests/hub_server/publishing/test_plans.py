"""What publishing reads does not grow with the hub: no statement of it reads a whole table, by SQLite's own plan.

SQLite plans without knowing how many rows there are, so a small hub shows how a large one is read.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from hub_server.catalog.queries.packages import releases_by_pins
from hub_server.catalog.rules.versions import version_key
from hub_server.database.engine import Database
from tests.making.hub import Api, make_package

FEW = ("read_only", "signing_keys", "subquery", "CONSTANT", "json_each", "SCAN pins")
"""Tables of a handful of rows, and what is no table."""


@contextmanager
def scans_of(database: Database) -> Iterator[dict[str, list[str]]]:
    """Statement -> the steps that read a whole table, of all statements within."""
    found: dict[str, list[str]] = {}

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, is_many: bool) -> None:
        if statement.startswith(("SELECT", "WITH", "UPDATE", "DELETE")):
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters[0] if is_many else parameters)
            steps = [row[-1] for row in cursor.fetchall()]
            scans = [one for one in steps if one.startswith("SCAN") and "USING" not in one]
            found[statement] = [one for one in scans if not any(few in one for few in FEW)]

    event.listen(database.engine, "before_cursor_execute", explain)
    try:
        yield found
    finally:
        event.remove(database.engine, "before_cursor_execute", explain)


@pytest.fixture
def database_url(sqlite_template: Path, tmp_path: Path) -> str:
    """SQLite's alone: PostgreSQL plans by what its statistics say, which a small hub has not."""
    shutil.copy(sqlite_template, tmp_path / "hub.sqlite3")
    return f"sqlite:///{tmp_path / 'hub.sqlite3'}"


@pytest.fixture
def published(alice: Api) -> Api:
    for name, version in (("alice/small-sums", "1.0.0"), ("alice/small-sums", "2.0.0"), ("alice/other", "1.0.0")):
        assert alice.publish(make_package(name, version)).status_code == 201
    return alice


@pytest.mark.parametrize(("name", "version"), [("alice/third", "1.0.0"), ("alice/small-sums", "9.0.0")])
def test_a_publish_reads_no_whole_table(published: Api, database: Database, name: str, version: str) -> None:
    """A first release of a package, and a further one."""
    with scans_of(database) as found:
        answer = published.publish(make_package(name, version))
    assert answer.status_code == 201, answer.text
    assert any("journal_nodes" in statement for statement in found), "the journal's tree was read"
    assert {statement: scans for statement, scans in found.items() if scans} == {}


def test_pinned_releases_are_found_by_an_index_and_only_the_pinned(published: Api, database: Database) -> None:
    with database.reading() as session, scans_of(database) as found:
        one, two = version_key("1.0.0"), version_key("2.0.0")
        pins = [("alice/small-sums", two), ("alice/other", one), ("alice/none", one), ("alice/other", one)]
        read: list[str] = []
        event.listen(session, "loaded_as_persistent", lambda _, row: read.append(row.package_id))
        rows = releases_by_pins(session, pins)
        assert releases_by_pins(session, []) == []
        assert {(row.package_id, row.version) for row in rows} == {
            ("alice/small-sums", "2.0.0"),
            ("alice/other", "1.0.0"),
        }
        # Of 200 packages with 200 pinned versions each, 40,000 releases were read for 200: 1.7 s of CPU, not 0.02.
        assert sorted(read) == ["alice/other", "alice/small-sums"]
    assert [scans for scans in found.values() if scans] == []

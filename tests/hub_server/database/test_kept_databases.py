"""Databases that tests use one after another: whatever a test leaves in one, the next test finds it as migrations do."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.hub_server.conftest import TEMPLATE
from tests.making import kept_databases
from tests.making.kept_databases import KeptDatabases

pytestmark = pytest.mark.postgres
_ROWS = """
INSERT INTO accounts (id, name, name_folded, kind, display_name, email, password_hash, is_moderator, created_at)
VALUES ('1', 'a', 'a', 'person', '', '', '', false, now()), ('2', 'b', 'b', 'organization', '', '', '', false, now());
INSERT INTO memberships (organization_id, account_id, role, created_at) VALUES ('2', '1', 'owner', now())
"""
_COUNTERS = "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'"


@pytest.fixture
def host(postgres_template: str) -> str:
    return postgres_template.rpartition("host=")[2]


@pytest.fixture
def kept(host: str) -> Iterator[KeptDatabases]:
    made = KeptDatabases(host, TEMPLATE)
    yield made
    made.close()


def connect(host: str, name: str) -> "psycopg.Connection[tuple[object, ...]]":
    return psycopg.connect(f"host={host} user=postgres dbname={name}", autocommit=True)


def ask(host: str, name: str, statement: str) -> list[tuple[object, ...]]:
    with connect(host, name) as connection:
        return connection.execute(statement.encode()).fetchall()


def test_rows_are_gone_whatever_refers_to_them_and_counters_begin_anew(kept: KeptDatabases, host: str) -> None:
    name = kept.lend()
    [(counter,)] = ask(host, name, _COUNTERS)
    with connect(host, name) as connection:
        connection.execute(_ROWS.encode())
        first = connection.execute(f"SELECT nextval('{counter}')".encode()).fetchone()
    kept.take_back(name)
    assert kept.lend() == name
    assert ask(host, name, "SELECT 1 FROM accounts UNION ALL SELECT 1 FROM memberships") == []
    assert ask(host, name, f"SELECT nextval('{counter}')") == [first]
    assert ask(host, name, "SELECT count(*) FROM alembic_version") == [(1,)], "it is a migrated database still"


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE things (name TEXT)",
        "DROP TABLE rate_buckets",
        "ALTER TABLE accounts DROP COLUMN display_name",
        "ALTER TABLE accounts ALTER COLUMN email DROP NOT NULL",
        "CREATE INDEX more ON accounts (email)",
        "ALTER TABLE accounts ADD CONSTRAINT longer CHECK (length(name) > 3)",
    ],
)
def test_one_whose_schema_was_changed_is_lent_to_nobody_again(kept: KeptDatabases, host: str, change: str) -> None:
    name = kept.lend()
    with connect(host, name) as connection:
        connection.execute(change.encode())
    kept.take_back(name)
    assert kept.lend() != name
    assert ask(host, "postgres", f"SELECT 1 FROM pg_database WHERE datname = '{name}'") == []


def test_one_that_was_replaced_is_lent_to_nobody_again(kept: KeptDatabases, host: str) -> None:
    name = kept.lend()
    with connect(host, "postgres") as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
    kept.take_back(name)
    assert kept.lend() != name


def test_whoever_still_writes_into_it_is_cut_off(kept: KeptDatabases, host: str) -> None:
    name = kept.lend()
    late = connect(host, name)
    late.execute(b"BEGIN")
    late.execute(_ROWS.encode())  # it holds locks, and has not committed
    kept.take_back(name)
    with pytest.raises(psycopg.OperationalError):
        late.execute(b"COMMIT")
    assert kept.lend() == name
    assert ask(host, name, "SELECT 1 FROM accounts") == []


def test_a_fresh_copy_is_made_after_many_tests(kept: KeptDatabases, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_databases, "_MOST_USES", 2)
    names = []
    for _ in range(3):
        names.append(kept.lend())
        kept.take_back(names[-1])
    assert names[0] == names[1] != names[2]

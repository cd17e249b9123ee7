"""The database's steps: found wherever the code lies, run once, in one transaction, by one process."""

import importlib.util
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from hub_server.database.base import Base
from hub_server.database.engine import Database
from hub_server.database.schema_steps import migration_config, migrations_folder, upgrade
from hub_server.errors import ConflictError


@pytest.fixture
def database(tmp_path: Path):
    made = Database(f"sqlite:///{tmp_path / 'own.sqlite3'}")
    yield made
    made.close()


def test_the_steps_lie_beside_the_code() -> None:
    folder = migrations_folder()
    assert (folder / "env.py").is_file()
    assert list((folder / "versions").glob("*.py"))


@pytest.mark.parametrize("spec", [None, ModuleSpec("migrations", None, origin=None)])
def test_an_installation_without_steps_says_what_to_do(spec, monkeypatch: pytest.MonkeyPatch) -> None:
    """A namespace package named ``migrations`` in the working folder has no origin either."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec)
    with pytest.raises(RuntimeError, match="reinstall"):
        migrations_folder()


def test_a_folder_with_a_percent_sign_is_read_as_it_is(database: Database, tmp_path: Path, monkeypatch) -> None:
    """Alembic reads its options as templates: ``%`` in a path was an interpolation error."""
    odd = tmp_path / "100%done"
    odd.mkdir()
    monkeypatch.setattr("hub_server.database.schema_steps.migrations_folder", lambda: odd)
    with database.migrating() as connection:
        assert migration_config(connection).get_main_option("script_location") == str(odd)


def test_there_is_one_newest_step_and_every_step_has_a_way_back(database: Database) -> None:
    with database.migrating() as connection:
        steps = ScriptDirectory.from_config(migration_config(connection))
    assert len(steps.get_heads()) == 1
    assert len(steps.get_bases()) == 1
    assert all(callable(getattr(step.module, "downgrade", None)) for step in steps.walk_revisions())


def test_every_table_of_the_code_is_in_a_migrated_database_and_a_second_run_changes_nothing(database: Database) -> None:
    upgrade(database)
    tables = set(inspect(database.engine).get_table_names())
    assert set(Base.metadata.tables) <= tables
    with database.writing() as session:
        session.execute(
            text("INSERT INTO signing_keys (id, public_key, first_used_at) VALUES ('k', 'p', '2026-01-01')")
        )
    upgrade(database)
    assert set(inspect(database.engine).get_table_names()) == tables
    with database.reading() as session:
        assert session.scalar(text("SELECT count(*) FROM signing_keys")) == 1


def test_a_step_that_fails_leaves_nothing_behind(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(config, revision: str) -> None:
        config.attributes["connection"].execute(text("CREATE TABLE half (id INTEGER)"))
        raise RuntimeError("the second half")

    monkeypatch.setattr(command, "upgrade", half)
    with pytest.raises(RuntimeError, match="second half"):
        upgrade(database)
    assert inspect(database.engine).get_table_names() == []


def test_a_database_of_a_newer_version_is_refused_in_one_sentence(database: Database) -> None:
    upgrade(database)
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '20990101_01'"))
    with pytest.raises(ConflictError, match="newer version of Verihub"):
        upgrade(database)
    with database.engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "20990101_01"

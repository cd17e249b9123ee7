"""The steps build what the models say, on both databases, both ways, once however many start at once."""

import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from hub_server.database.base import Base
from hub_server.database.engine import Database
from hub_server.database.migrating import downgrade, migrations_folder, upgrade


def tables(database: Database) -> set[str]:
    return set(inspect(database.engine).get_table_names())


def is_ours(_thing: object, name: str | None, kind: str, _reflected: bool, _other: object) -> bool:
    return not (kind == "table" and (name or "").startswith("package_search"))


def test_the_steps_build_exactly_what_the_models_say(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False, "include_object": is_ours})
        assert compare_metadata(context, Base.metadata) == []


def test_every_step_can_be_taken_back_and_again(database: Database) -> None:
    before = tables(database)
    downgrade(database, "base")
    assert {name for name in tables(database) if not name.startswith("package_search")} == {"alembic_version"}
    upgrade(database)
    assert tables(database) == before


def test_upgrading_again_changes_nothing(database: Database) -> None:
    upgrade(database)
    upgrade(database)


def test_several_processes_may_start_at_once(database: Database) -> None:
    downgrade(database, "base")
    faults: list[BaseException] = []

    def start() -> None:
        try:
            upgrade(database)
        except BaseException as error:  # noqa: BLE001 -- asserted on below
            faults.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert "releases" in tables(database)


def test_a_hub_in_use_keeps_its_rows_through_every_later_step_and_back(database: Database) -> None:
    """A step that rebuilds a table which others refer to would fail here, or take their rows along."""
    downgrade(database, "20261121_08")
    at = "'2026-11-21 12:00:00'"
    values = {
        "packages": {"id": "'al/x'", "owner": "'al'", "created_at": at, "updated_at": at},
        "releases": {"id": "'r1'", "package_id": "'al/x'", "published_at": at},
        "runs": {"id": "'run1'", "created_at": at, "updated_at": at},
        "rollouts": {"id": "1", "run_id": "'run1'"},
        "counter_examples": {"id": "'c1'", "package_id": "'al/x'", "submitted_at": at},
        "audits": {"id": "'a1'", "package_id": "'al/x'", "release_id": "'r1'", "created_at": at},
        "benchmark_results": {"id": "'b1'", "release_id": "'r1'", "submitted_at": at},
    }
    with database.engine.begin() as connection:
        for table, given in values.items():
            columns = {
                column["name"]: given.get(column["name"], _filler(column["type"]))
                for column in inspect(connection).get_columns(table)
                if column["name"] in given or not column["nullable"]
            }
            names = ", ".join(f'"{name}"' for name in columns)
            connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({', '.join(columns.values())})"))
    for step in (lambda: upgrade(database), lambda: downgrade(database, "20261121_08"), lambda: upgrade(database)):
        step()
        with database.engine.connect() as connection:
            counts = {table: connection.scalar(text(f"SELECT count(*) FROM {table}")) for table in values}
        assert counts == dict.fromkeys(values, 1)


def _filler(kind: object) -> str:
    """A value that any column of that type takes."""
    name = str(kind).upper()
    if name.startswith("JSON"):
        return "'{}'"
    if "BOOL" in name:
        return "true"
    return "0" if any(word in name for word in ("INT", "DOUBLE", "REAL", "FLOAT")) else "'x'"


def test_the_story_has_one_line() -> None:
    script = ScriptDirectory(str(migrations_folder()))
    assert len(script.get_heads()) == 1
    assert len(script.get_bases()) == 1


@pytest.mark.parametrize("path", sorted((migrations_folder() / "versions").glob("*.py")), ids=lambda path: path.stem)
def test_a_step_is_named_by_date_and_verb(path: Path) -> None:
    assert path.stem[:10].replace("_", "").isdigit()
    assert path.stem[14:].split("_")[0] in {"create", "add", "drop", "rename", "fill", "change"}

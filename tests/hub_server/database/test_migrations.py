"""The steps build what the models say, on both databases, both ways, once however many start at once."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, Connection, column, inspect, select, text
from sqlalchemy import table as sql_table

from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.catalog.queries.packages import newest_releases
from hub_server.database.base import Base
from hub_server.database.engine import Database
from hub_server.database.schema_steps import downgrade, migrations_folder, upgrade
from hub_server.database.visibility import EVERYTHING


def tables(database: Database) -> set[str]:
    return set(inspect(database.engine).get_table_names())


# SQLite does not tell what an index of an expression holds, so that it is compared on PostgreSQL alone.
@pytest.mark.filterwarnings("ignore:.*expression-based index .?ix_releases_(seen_since_id|package_id_seen_since_state)")
def test_the_steps_build_exactly_what_the_models_say(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, Base.metadata) == []


def test_every_step_can_be_taken_back_and_again(database: Database) -> None:
    before = tables(database)
    downgrade(database, "base")
    assert tables(database) == {"alembic_version"}
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
            _insert(connection, table, given)
    for step in (lambda: upgrade(database), lambda: downgrade(database, "20261121_08"), lambda: upgrade(database)):
        step()
        with database.engine.connect() as connection:
            counts = {table: connection.scalar(text(f"SELECT count(*) FROM {table}")) for table in values}
        assert counts == dict.fromkeys(values, 1)


@pytest.mark.parametrize("state", ["active", "deprecated", "yanked", "quarantined"])
def test_how_a_release_stood_becomes_a_fact_of_its_own(database: Database, state: str) -> None:
    downgrade(database, "20261122_01")
    at = "'2026-11-21 12:00:00'"
    with database.engine.begin() as connection:
        for table, given in {
            "packages": {"id": "'al/x'", "created_at": at, "updated_at": at, "jaw": "0.25"},
            "releases": {"package_id": "'al/x'", "published_at": at, "state": f"'{state}'", "state_reason": "'why'"},
        }.items():
            _insert(connection, table, given)
    upgrade(database)
    facts = ("deprecated", "yanked", "quarantined")
    with database.engine.connect() as connection:
        row = connection.execute(text(f"SELECT {', '.join(f'{fact}_reason' for fact in facts)} FROM releases")).one()
        assert connection.scalar(text("SELECT error_bound FROM packages")) == 0.25
    assert dict(zip(facts, row, strict=True)) == {fact: "why" if fact == state else None for fact in facts}


def test_what_is_stored_as_json_gets_the_new_words_and_keeps_all_else(database: Database) -> None:
    downgrade(database, "20261122_03")
    at = "'2026-11-21 12:00:00'"
    verdicts = [{"by": "al/x@1", "lean": 0.25, "rewards": {"lean": 1.0}}, {"by": "al/y@1", "lean": None}]
    report = {"cells": [{"environment": "al/x", "standing": "weak"}], "note": "standing"}
    with database.engine.begin() as connection:
        for table, given in {
            "packages": {"id": "'al/x'", "created_at": at, "updated_at": at},
            "releases": {"id": "'r1'", "package_id": "'al/x'", "published_at": at},
            "label_questions": {"package_id": "'al/x'", "created_at": at, "verdicts": f"'{json.dumps(verdicts)}'"},
            "benchmark_reports": {"release_id": "'r1'", "computed_at": at, "report": f"'{json.dumps(report)}'"},
        }.items():
            _insert(connection, table, given)

    def stored() -> tuple[Any, Any]:
        with database.engine.connect() as connection:
            found = [
                connection.scalar(select(column(name, JSON())).select_from(sql_table(table)))
                for table, name in (("label_questions", "verdicts"), ("benchmark_reports", "report"))
            ]
        return found[0], found[1]

    upgrade(database)
    new_verdicts, new_report = stored()
    assert new_verdicts == [
        {"by": "al/x@1", "acceptance": 0.25, "rewards": {"lean": 1.0}},
        {"by": "al/y@1", "acceptance": None},
    ]
    assert new_report == {"cells": [{"environment": "al/x", "trust_level": "weak"}], "note": "standing"}
    downgrade(database, "20261122_03")
    assert stored() == (verdicts, report)


def test_facets_of_what_was_published_before_follow_from_manifests(database: Database) -> None:
    downgrade(database, "20261123_08")
    at = "'2026-11-21 12:00:00'"
    manifest = {"kind": "environment", "session": "al_x:Session", "tags": ["tool-use"], "judges": {"code": {}}}
    with database.engine.begin() as connection:
        for table, given in {
            "packages": {"id": "'al/x'", "created_at": at, "updated_at": at, "shown_release_id": "'r1'"},
            "releases": {
                "id": "'r1'", "package_id": "'al/x'", "published_at": at, "manifest": f"'{json.dumps(manifest)}'",
            },
            "package_tags": {"package_id": "'al/x'", "tag": "'tool-use'"},
        }.items():  # fmt: skip
            _insert(connection, table, given)
    upgrade(database)
    with database.engine.connect() as connection:
        found = connection.execute(text("SELECT facet, value FROM package_facets ORDER BY facet, value")).fetchall()
    assert [tuple(row) for row in found] == [
        ("family", "code"), ("interaction", "several-turns"), ("interaction", "tools"), ("tag", "tool-use"),
    ]  # fmt: skip
    downgrade(database, "20261123_08")
    with database.engine.connect() as connection:
        assert connection.execute(text("SELECT package_id, tag FROM package_tags")).fetchall() == [("al/x", "tool-use")]


@pytest.mark.parametrize(("old", "new"), [("confirmed", "reproduced"), ("held", "agreed"), ("fixed", "fixed")])
def test_states_of_counter_examples_get_their_new_names_and_back(database: Database, old: str, new: str) -> None:
    downgrade(database, "20261125_21")
    at = "'2026-11-21 12:00:00'"
    with database.engine.begin() as connection:
        _insert(connection, "packages", {"id": "'al/x'", "owner": "'al'", "created_at": at, "updated_at": at})
        case = {"id": "'c1'", "package_id": "'al/x'", "submitted_at": at, "state": "'disputed'"}
        _insert(connection, "counter_examples", case | {"state_before_dispute": f"'{old}'"})
        _insert(connection, "counter_examples", case | {"id": "'c2'", "case_key": "'k2'", "state": f"'{old}'"})
    states = text("SELECT state, state_before_dispute FROM counter_examples ORDER BY id")
    upgrade(database)
    with database.engine.connect() as connection:
        assert [tuple(row) for row in connection.execute(states)] == [("disputed", new), (new, "x")]
    downgrade(database, "20261125_21")
    with database.engine.connect() as connection:
        assert [tuple(row) for row in connection.execute(states)] == [("disputed", old), (old, "x")]
    upgrade(database)


def test_what_was_published_before_is_known_to_need_others_and_members_still_publish(database: Database) -> None:
    downgrade(database, "20261125_41")
    at = "'2026-11-21 12:00:00'"
    manifest = {"kind": "benchmark", "environments": ["al/x@1.0.0"], "tools": ["no/such"], "verifier": "al_y:verify"}
    with database.engine.begin() as connection:
        for name, found, needs in (("x", {}, []), ("y", manifest, ["al_z>=1", "scikit-learn"]), ("z", {}, [])):
            _insert(connection, "packages", {"id": f"'al/{name}'", "owner": "'al'", "created_at": at, "updated_at": at})
            release = {"id": f"'r{name}'", "package_id": f"'al/{name}'", "published_at": at, "version_key": f"'{name}'",
                       "manifest": f"'{json.dumps(found)}'", "dependencies": f"'{json.dumps(needs)}'"}  # fmt: skip
            _insert(connection, "releases", release)
        for name in ("o", "m"):
            account = {"id": f"'{name}'", "name": f"'{name}'", "name_folded": f"'{name}'", "created_at": at}
            _insert(connection, "accounts", account)
        member = {"organization_id": "'o'", "account_id": "'m'", "role": "'member'", "created_at": at}
        _insert(connection, "memberships", member)
    upgrade(database)
    with database.engine.begin() as connection:
        needs = connection.execute(text("SELECT release_id, package_id FROM release_needs ORDER BY package_id"))
        assert [tuple(row) for row in needs] == [("ry", "al/x"), ("ry", "al/z")]
        assert connection.scalar(text("SELECT role FROM memberships")) == "maintainer"
        connection.execute(text(f"INSERT INTO former_owners VALUES ('al/x', 'al', {at})"))
        connection.execute(text("UPDATE packages SET owner = 'm' WHERE id = 'al/x'"))
    downgrade(database, "20261125_41")
    with database.engine.connect() as connection:
        owners = text("SELECT DISTINCT owner FROM packages")
        assert connection.scalars(owners).all() == ["al"], "the older hub knows no other owner than the named one"
        assert connection.scalar(text("SELECT role FROM memberships")) == "member"
    upgrade(database)


def test_runs_that_are_there_get_the_reward_of_their_last_step_that_has_one(database: Database) -> None:
    downgrade(database, "20261128_01")
    at = "'2026-11-21 12:00:00'"
    points = {
        "rose": [{"reward": 0.25}, {"reward": 0.5}, {"loss": 1.0}],
        "whole": [{"reward": 1}],
        "none": [{"loss": 2.0}],
        "empty": [],
    }
    with database.engine.begin() as connection:
        for run, metrics in points.items():
            _insert(connection, "runs", {"id": f"'{run}'", "created_at": at, "updated_at": at})
            for step, values in enumerate(metrics):
                point = {"run_id": f"'{run}'", "step": str(step), "metrics": f"'{json.dumps(values)}'"}
                _insert(connection, "metric_points", point)
    upgrade(database)
    with database.engine.connect() as connection:
        found = connection.execute(text("SELECT id, last_reward, last_reward_step FROM runs ORDER BY id"))
        assert [tuple(row) for row in found] == [
            ("empty", None, None), ("none", None, None), ("rose", 0.5, 1), ("whole", 1.0, 0),
        ]  # fmt: skip


def test_what_runs_hold_that_are_there_counts_against_their_limit(database: Database) -> None:
    downgrade(database, "20261128_11")
    at = "'2026-11-21 12:00:00'"
    with database.engine.begin() as connection:
        for run in ("full", "empty"):
            _insert(connection, "runs", {"id": f"'{run}'", "created_at": at, "updated_at": at})
        _insert(connection, "metric_points", {"run_id": "'full'", "step": "1", "metrics": "'{\"reward\": 1}'"})
        for number in (1, 2):
            texts = {"prompt": f"'{'ä' * 500}'", "response": f"'{'x' * 1000}'", "error": "''", "rewards": "'{}'"}
            _insert(connection, "rollouts", {"id": str(number), "run_id": "'full'", **texts})
    upgrade(database)
    with database.engine.connect() as connection:
        found = {row.id: row.stored_bytes for row in connection.execute(text("SELECT id, stored_bytes FROM runs"))}
    assert found == {
        "full": 2 * (500 * len("ä".encode()) + 1000 + len("{}") + 200) + len('{"reward": 1}') + 100,
        "empty": 0,
    }


def test_responses_that_were_left_out_go_with_their_table_and_nothing_else(database: Database) -> None:
    """Taken back on a hub in use, and taken again: the next search counts anew."""
    at = "'2026-11-21 12:00:00'"
    with database.engine.begin() as connection:
        _insert(connection, "packages", {"id": "'al/x'", "owner": "'al'", "created_at": at, "updated_at": at})
        _insert(connection, "runs", {"id": "'run1'", "created_at": at, "updated_at": at})
        for reached in ("'run'", "'package'"):
            given = {"package_id": "'al/x'", "run_id": "'run1'", "reached": reached, "count": "3"}
            _insert(connection, "left_out_responses", given)
    downgrade(database, "20261128_12")
    assert "left_out_responses" not in tables(database)
    upgrade(database)
    with database.engine.connect() as connection:
        of = ("packages", "runs", "left_out_responses")
        assert [connection.scalar(text(f"SELECT count(*) FROM {table}")) for table in of] == [1, 1, 0]


def test_who_disputed_a_case_is_taken_from_its_history(database: Database) -> None:
    """Hiding an account looks its disputes up; the history of each case alone had them."""
    downgrade(database, "20261128_13")
    at = "'2026-11-21 12:00:00'"
    said = [("bob", "submitted"), ("eve", "disputed"), ("sue", "seconded"), ("eve", "disputed"), ("dan", "disputed")]
    history = json.dumps([{"by": name, "what": what} for name, what in said])
    with database.engine.begin() as connection:
        _insert(connection, "packages", {"id": "'al/x'", "owner": "'al'", "created_at": at, "updated_at": at})
        for case, text_of in {"c1": history, "c2": "[]"}.items():
            values = {"id": f"'{case}'", "package_id": "'al/x'", "case_key": f"'{case}'", "history": f"'{text_of}'"}
            _insert(connection, "counter_examples", {**values, "submitted_at": at})
    upgrade(database)
    with database.engine.connect() as connection:
        found = connection.execute(text("SELECT case_id, account FROM case_disputes ORDER BY account"))
        assert [tuple(row) for row in found] == [("c1", "dan"), ("c1", "eve")]


def test_what_was_made_public_is_as_old_as_the_journal_says(database: Database) -> None:
    downgrade(database, "20261128_07")
    uploaded, entered = "'2026-11-21 12:00:00.000000'", "'2026-11-25 12:00:00.000000'"
    with database.engine.begin() as connection:
        package = {"id": "'al/x'", "owner": "'al'", "created_at": uploaded, "updated_at": uploaded}
        _insert(connection, "packages", package)
        for position, (version, at) in enumerate({"1.0": entered, "2.0": uploaded, "3.0": ""}.items()):
            release = {"id": f"'{version}'", "version": f"'{version}'", "version_key": f"'{version}'"}
            _insert(connection, "releases", {**release, "package_id": "'al/x'", "published_at": uploaded})
            if at:
                entry = {"position": str(position), "act": "'publish'", "package_id": "'al/x'"}
                _insert(connection, "journal_entries", {**entry, "version": f"'{version}'", "at": at})
    upgrade(database)
    with database.reading(sees=EVERYTHING) as session:
        rows = session.scalars(select(ReleaseRow).order_by(ReleaseRow.version)).all()
        assert [(row.version, row.public_since and row.public_since.day) for row in rows] == [
            ("1.0", 25), ("2.0", None), ("3.0", None),
        ]  # fmt: skip
        newest = newest_releases(session, None, None, 5)
        assert [row.version for row in newest] == ["1.0", "3.0", "2.0"]


def test_what_was_made_public_before_is_as_old_as_its_event_says(database: Database) -> None:
    """Older hubs entered it in the journal with the day of its upload, and kept that day in every order."""
    downgrade(database, "20261128_10")
    uploaded, shown, later = (f"'2026-11-{day} 12:00:00.000000'" for day in (21, 25, 27))
    with database.engine.begin() as connection:
        for name, updated in (("al/shown", uploaded), ("al/renewed", later), ("al/always", uploaded)):
            package = {"id": f"'{name}'", "owner": "'al'", "created_at": uploaded, "updated_at": updated}
            _insert(connection, "packages", package)
            for version, at in (("1.0", uploaded), ("2.0", later)):
                release = {"id": f"'{name} {version}'", "version": f"'{version}'", "version_key": f"'{version}'"}
                _insert(connection, "releases", {**release, "package_id": f"'{name}'", "published_at": at})
        for number, (name, kind, at) in enumerate((
            ("al/shown", "package.made_public", shown), ("al/renewed", "package.made_public", shown),
            ("al/renewed", "release.published", later), ("al/always", "release.published", later),
        )):  # fmt: skip
            event = {"number": str(number), "kind": f"'{kind}'", "at": at, "package_id": f"'{name}'"}
            _insert(connection, "events", event)
    for _ in range(2):
        upgrade(database)
        with database.reading(sees=EVERYTHING) as session:
            packages = session.scalars(select(PackageRow).order_by(PackageRow.id)).all()
            assert [(row.id, row.created_at.day, row.updated_at.day) for row in packages] == [
                ("al/always", 21, 21), ("al/renewed", 25, 27), ("al/shown", 25, 25),
            ]  # fmt: skip
            releases = session.scalars(select(ReleaseRow).order_by(ReleaseRow.id)).all()
            assert {row.id: row.public_since.day for row in releases if row.public_since} == {
                "al/renewed 1.0": 25, "al/shown 1.0": 25,
            }  # fmt: skip
        downgrade(database, "20261128_10")
    upgrade(database)


def _insert(connection: Connection, table: str, given: dict[str, str]) -> None:
    columns = {
        one["name"]: given.get(one["name"], _filler(one["type"]))
        for one in inspect(connection).get_columns(table)
        if one["name"] in given or not one["nullable"]
    }
    names = ", ".join(f'"{name}"' for name in columns)
    # A colon before a letter would be a parameter of the statement.
    values = ", ".join(columns.values()).replace(":", "\\:")
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"))


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

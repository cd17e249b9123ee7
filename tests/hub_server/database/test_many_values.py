"""Many values are sent as one, and a statement does not change with their number."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import event, exists, select
from sqlalchemy.orm import aliased

from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.database.engine import Database
from hub_server.database.many_values import _COLUMNS, _in_array, _in_json, one_of

NOW = datetime(2026, 11, 27, tzinfo=UTC)
STRANGE = ["al/quote'", 'al/double"', "al/[]", "al/ä,\\", "al/{1}"]


@pytest.fixture
def filled(database: Database) -> Database:
    with database.writing() as session:
        for name in ("al/a", "al/b", *STRANGE):
            session.add(PackageRow(id=name, owner="al", kind="tool", created_at=NOW, created_by="al", updated_at=NOW))
    return database


def found(database: Database, wanted: list[str]) -> set[str]:
    with database.reading() as session:
        condition, parameters = one_of(session, PackageRow.id, wanted)
        return set(session.scalars(select(PackageRow.id).where(condition), parameters))


def test_those_that_are_named_are_found(filled: Database) -> None:
    assert found(filled, ["al/b", "al/none"]) == {"al/b"}
    assert found(filled, STRANGE) == set(STRANGE)
    assert found(filled, []) == set()
    assert found(filled, [f"al/{number}" for number in range(3000)] + ["al/a"]) == {"al/a"}


def test_columns_of_one_name_in_two_tables_are_two_in_one_statement(filled: Database) -> None:
    """The second took the place of the first, and the answer was of the wrong values."""
    with filled.reading() as session:
        package, first = one_of(session, PackageRow.id, ["al/a"])
        release, second = one_of(session, ReleaseRow.id, ["none"])
        statement = select(PackageRow.id).where(package, ~exists().where(release))
        assert list(session.scalars(statement, first | second)) == ["al/a"]


def test_aliases_are_not_kept_without_end(filled: Database) -> None:
    with filled.reading() as session:
        for _ in range(3 * _COLUMNS):
            one_of(session, aliased(PackageRow).id, ["al/a"])
    assert _in_json.cache_info().currsize <= _COLUMNS
    assert _in_array.cache_info().currsize <= _COLUMNS


def test_a_statement_has_one_parameter_whatever_the_number_of_values(filled: Database) -> None:
    sent = set[tuple[str, int]]()

    def note(_connection: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        if "packages" in statement:
            assert isinstance(parameters, tuple | dict)
            sent.add((statement, len(parameters)))

    event.listen(filled.engine, "before_cursor_execute", note)
    try:
        for count in (1, 20, 100):
            found(filled, [f"al/{number}" for number in range(count)])
    finally:
        event.remove(filled.engine, "before_cursor_execute", note)
    assert len(sent) == 1
    ((_, parameters),) = sent
    assert parameters == 1


def test_a_value_of_several_lines_or_none_is_one_value(filled: Database) -> None:
    for wanted in (["al/a\nal/b"], ["", "al/a\n"], [""], ["\n"]):
        assert found(filled, wanted) == set()
    assert found(filled, ["", "al/a"]) == {"al/a"}
    assert found(filled, ["none\nal/b", "al/a"]) == {"al/a"}


def test_postgresqls_driver_writes_a_thousand_values_as_one_text(filled: Database) -> None:
    """An array is written value by value in Python."""
    if filled.is_sqlite:
        return
    with filled.reading() as session:
        _, parameters = one_of(session, PackageRow.id, [f"al/{number}" for number in range(1000)])
    assert [type(one) for one in parameters.values()] == [str]

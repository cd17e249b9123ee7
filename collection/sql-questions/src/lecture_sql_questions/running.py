"""Running a query that a model wrote: reading only, in memory, bounded in steps, rows and bytes."""

import sqlite3
from collections.abc import Sequence

from lecture_sql_questions.domains import Domain, fill

MOST_STEPS, STEPS_A_CHECK = 500_000, 1_000
MOST_ROWS, MOST_BYTES, LONGEST_QUERY = 2_000, 200_000, 8_000
LONGEST_VALUE, MOST_COLUMNS, MOST_PARTS = 2_000, 40, 3_000
"""Bytes of a value, columns of a result, and parts (reads, calls, selects) that a query may have when tables of its own
are put in their places: a few lines of these can stand for millions."""
_FUNCTIONS = frozenset(
    """abs avg ceil ceiling char coalesce concat concat_ws count cume_dist date datetime dense_rank first_value floor
    format glob group_concat ifnull iif instr julianday lag last_value lead length like likely lower ltrim max min ntile
    nth_value nullif percent_rank printf rank replace round row_number rtrim sign string_agg strftime substr substring
    sum time total trim typeof unixepoch unlikely upper""".split()
)
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
Row = tuple


class QueryError(ValueError):
    """The query cannot be run; the message is for the model that wrote it."""


def run_query(domain: Domain, seed: str, sql: str, limits: tuple[int | str, ...] = ()) -> list[Row]:
    """The rows that ``sql``, one SELECT, gives on the database of this seed. Raises :class:`QueryError`.

    ``limits``: numbers and days of the question, near which the database has many of its values.
    """
    return run_on(domain.schema, fill(domain, seed, limits), sql)


def run_on(schema: str, tables: dict[str, list], sql: str) -> list[Row]:
    """The rows that ``sql``, one SELECT, gives on these tables. Raises :class:`QueryError`."""
    sql = sql.strip().rstrip("; \n\t\r")
    if len(sql) > LONGEST_QUERY:
        raise QueryError(f"a query has at most {LONGEST_QUERY} characters")
    connection = _database(schema, tables)
    steps = parts = 0

    def is_too_long() -> bool:
        nonlocal steps
        steps += STEPS_A_CHECK
        return steps > MOST_STEPS

    def may(*asked: object) -> int:
        nonlocal parts
        parts += 1
        return _may(*asked) if parts <= MOST_PARTS else sqlite3.SQLITE_DENY

    connection.set_progress_handler(is_too_long, STEPS_A_CHECK)
    connection.set_authorizer(may)
    try:
        return _fetch(connection.execute(sql))
    except QueryError:
        raise
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as error:
        said = "the query takes too many steps" if steps > MOST_STEPS or parts > MOST_PARTS else str(error)
        raise QueryError(said[:300].encode(errors="replace").decode()) from None
    finally:
        connection.set_authorizer(None)
        connection.close()


def _fetch(cursor: sqlite3.Cursor) -> list[Row]:
    rows: list[Row] = []
    size = 0
    for row in cursor:
        rows.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(rows) > MOST_ROWS or size > MOST_BYTES:
            raise QueryError(f"a query gives at most {MOST_ROWS} rows and {MOST_BYTES} bytes of text")
    return rows


def _database(schema: str, tables: dict[str, list]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(schema)
    for table, rows in tables.items():
        if not rows:
            continue
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MOST_COLUMNS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST_QUERY * 4)
    connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    return connection


def _may(action: int, first: str | None = None, second: str | None = None, *_: object) -> int:
    """Reading tables and calling the functions above is all that a query may do."""
    if action == sqlite3.SQLITE_READ and (first or "").lower().startswith("sqlite_"):
        return sqlite3.SQLITE_DENY
    if action in _READING or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def is_same_result(found: Sequence[Row], right: Sequence[Row], *, is_ordered: bool) -> bool:
    """Equal rows, as often; in the same order where that was asked. Numbers by value, within a millionth."""
    one, other = ([_plain(row) for row in rows] for rows in (found, right))
    return one == other if is_ordered else sorted(one, key=repr) == sorted(other, key=repr)


def _plain(row: Row) -> tuple:
    return tuple(round(float(value), 6) if isinstance(value, int | float) else value for value in row)

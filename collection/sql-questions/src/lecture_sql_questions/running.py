"""Running a query that a model wrote: reading only, in memory, bounded in steps, rows and bytes."""

import sqlite3

from lecture_sql_questions.domains import Domain, fill

MOST_STEPS, STEPS_A_CHECK = 3_000_000, 10_000
MOST_ROWS, MOST_BYTES, LONGEST_QUERY = 2_000, 200_000, 8_000
_FUNCTIONS = frozenset(
    """abs avg coalesce count cume_dist date datetime dense_rank first_value format glob group_concat ifnull iif instr
    julianday lag last_value lead length like lower ltrim max min ntile nth_value nullif percent_rank printf rank
    replace round row_number rtrim sign string_agg strftime substr substring sum time total trim typeof unixepoch
    upper""".split()
)
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
Row = tuple


class QueryError(ValueError):
    """The query cannot be run; the message is for the model that wrote it."""


def run_query(domain: Domain, seed: str, sql: str) -> list[Row]:
    """The rows that ``sql``, one SELECT, gives on the database of this seed. Raises :class:`QueryError`."""
    if len(sql) > LONGEST_QUERY:
        raise QueryError(f"a query has at most {LONGEST_QUERY} characters")
    connection = _database(domain, seed)
    steps = 0

    def is_too_long() -> bool:
        nonlocal steps
        steps += STEPS_A_CHECK
        return steps > MOST_STEPS

    connection.set_progress_handler(is_too_long, STEPS_A_CHECK)
    connection.set_authorizer(_may)
    try:
        rows = connection.execute(sql).fetchmany(MOST_ROWS + 1)
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, UnicodeError) as error:
        said = "the query takes too many steps" if steps > MOST_STEPS else str(error)
        raise QueryError(said[:300]) from None
    finally:
        connection.set_authorizer(None)
        connection.close()
    if len(rows) > MOST_ROWS:
        raise QueryError(f"a query gives at most {MOST_ROWS} rows")
    if sum(len(value) for row in rows for value in row if isinstance(value, str | bytes)) > MOST_BYTES:
        raise QueryError("the query gives too much text")
    return rows


def _database(domain: Domain, seed: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(domain.schema)
    for table, rows in fill(domain, seed).items():
        connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    return connection


def _may(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Reading tables and calling the functions above is all that a query may do."""
    if action == sqlite3.SQLITE_READ and (first or "").lower().startswith("sqlite_"):
        return sqlite3.SQLITE_DENY
    if action in _READING or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def is_same_result(found: list[Row], right: list[Row], *, is_ordered: bool) -> bool:
    """Equal rows, as often; in the same order where that was asked. Numbers by value, within a millionth."""
    one, other = ([_plain(row) for row in rows] for rows in (found, right))
    return one == other if is_ordered else sorted(one, key=repr) == sorted(other, key=repr)


def _plain(row: Row) -> tuple:
    return tuple(round(float(value), 6) if isinstance(value, int | float) else value for value in row)

"""Runs a query on a database in memory, and compares rows. The queries are this package's own."""

import sqlite3


def rows_of(schema: str, tables: dict[str, list[list]], query: str) -> list[tuple] | None:
    """The rows; None where the query is no query that reads."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema)
        for table, rows in tables.items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        connection.execute("PRAGMA query_only = 1")
        return connection.execute(query).fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return None
    finally:
        connection.close()


def is_right(schema: str, databases: list[dict], query: str, gold: str, *, is_ordered: bool) -> bool:
    """Whether the query gives the rows of ``gold`` on every database."""
    return all(
        _same(rows_of(schema, one, query), rows_of(schema, one, gold), is_ordered=is_ordered) for one in databases
    )


def _same(found: list[tuple] | None, wanted: list[tuple] | None, *, is_ordered: bool) -> bool:
    if found is None or wanted is None:
        return False
    one, other = ([tuple(_plain(value) for value in row) for row in rows] for rows in (found, wanted))
    return one == other if is_ordered else sorted(one, key=repr) == sorted(other, key=repr)


def _plain(value: object) -> object:
    return round(float(value), 6) if isinstance(value, int | float) else value

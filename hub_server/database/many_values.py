"""That a column holds one of many values, which are sent as one.

A statement with a hundred parameters is written anew for each call and read anew by the driver: a list of 100 packages
has three of them, and they were a tenth of its CPU. A thousand parameters cost up to 20 ms. PostgreSQL's driver writes
an array value by value in Python, so values are sent to it as lines of one text, where none of them has several lines.
"""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Text, any_, bindparam, func, literal_column, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import InstrumentedAttribute, Session

_COLUMNS = 64
"""How many are kept: an alias of a table has columns of its own, and may be made for each call."""


def one_of(
    session: Session, column: InstrumentedAttribute[str], values: Iterable[str]
) -> tuple[ColumnElement[bool], dict[str, Any]]:
    """The condition, and the parameters that the statement with it is executed with. Once a column in a statement."""
    if session.get_bind().dialect.name == "postgresql":
        return _in_postgresql(column, list(values))
    return _in_json(column), {_name(column): json.dumps(list(values))}


def _in_postgresql(column: InstrumentedAttribute[str], values: list[str]) -> tuple[ColumnElement[bool], dict[str, Any]]:
    lines = "\n".join(values)
    if lines.count("\n") != max(0, len(values) - 1) or values == [""]:  # no lines are no values, and not an empty one
        return _in_array(column), {_name(column): values}
    return _in_lines(column), {_name(column): lines}


def _name(column: InstrumentedAttribute[str]) -> str:
    return f"many_{column.class_.__tablename__}_{column.key}"  # every table has an id


@lru_cache(_COLUMNS)  # to make it costs 3 ms the first time
def _in_lines(column: InstrumentedAttribute[str]) -> ColumnElement[bool]:
    lines = func.string_to_array(bindparam(_name(column), type_=Text), literal_column(r"E'\n'"), type_=ARRAY(Text))
    return column == any_(lines)


@lru_cache(_COLUMNS)
def _in_array(column: InstrumentedAttribute[str]) -> ColumnElement[bool]:
    return column == any_(bindparam(_name(column), type_=ARRAY(Text)))


@lru_cache(_COLUMNS)
def _in_json(column: InstrumentedAttribute[str]) -> ColumnElement[bool]:
    return column.in_(select(func.json_each(bindparam(_name(column), type_=Text)).table_valued("value").c.value))

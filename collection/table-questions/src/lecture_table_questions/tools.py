"""What the tools say about tables: shape and first rows, chosen rows, one number over chosen rows."""

import re
import statistics
from fractions import Fraction

from lecture_table_questions.arithmetic import CalculationError, calculate_exactly, write_number
from lecture_table_questions.tables import Row, Table

MOST_ROWS, FIRST_ROWS = 12, 3
FUNCTIONS = ("count", "sum", "mean", "min", "max", "median", "stdev", "pstdev")
_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*\Z", re.DOTALL)


class Refused(Exception):
    """A call cannot be done. The message is for the model."""


def describe(tables: dict[str, Table]) -> str:
    """Every table: columns with units, number of rows, and the first rows."""
    said = []
    for table in tables.values():
        columns = ", ".join(f"{name} [{table.units[name]}]" if name in table.units else name for name in table.columns)
        said.append(f"{table.name}: {columns}; {len(table.rows)} rows\n{_lines(table, table.rows[:FIRST_ROWS])}")
    return "\n\n".join(said)


def rows(tables: dict[str, Table], table: str, where: list[str], sort: str, skip: int) -> str:
    """At most twelve of the chosen rows, from number ``skip`` on; ``sort`` may begin with a minus for largest first."""
    found = _get(tables, table)
    chosen = _chosen(found, where)
    column = sort.strip().removeprefix("-")
    if column:
        chosen.sort(key=lambda row: _order(row[_known(found, column)]), reverse=sort.strip().startswith("-"))
    shown = chosen[max(0, skip) :][:MOST_ROWS]
    return f"{len(chosen)} rows, {len(shown)} shown\n{_lines(found, tuple(shown))}"


def aggregate(tables: dict[str, Table], table: str, function: str, column: str, where: list[str]) -> str:
    """One number over the chosen rows that have a value in ``column``."""
    found = _get(tables, table)
    if function not in FUNCTIONS:
        raise Refused(f"function must be one of {', '.join(FUNCTIONS)}")
    texts = [text for text in (row[_known(found, column)] for row in _chosen(found, where)) if text]
    if function == "count":
        return str(len(texts))
    numbers = [number for number in map(_number, texts) if number is not None]
    if len(numbers) < len(texts):
        raise Refused(f"{column} does not hold numbers")
    if len(numbers) < (2 if function == "stdev" else 1):
        raise Refused("too few rows have a value")
    return write_number(_over(function, numbers))


def calculate(expression: str) -> str:
    """The value of an expression; ``lecture/arithmetic`` is the same as a tool of its own."""
    try:
        return write_number(calculate_exactly(expression))
    except CalculationError as error:
        raise Refused(str(error)) from None


def _over(function: str, numbers: list[Fraction]) -> Fraction | float:
    if function in ("stdev", "pstdev"):
        return float(getattr(statistics, function)(numbers))
    made = {"sum": sum, "min": min, "max": max, "median": statistics.median}
    value = made[function](numbers) if function in made else sum(numbers, Fraction()) / len(numbers)
    return Fraction(value)


def _get(tables: dict[str, Table], name: str) -> Table:
    if name not in tables:
        raise Refused(f"the tables are {', '.join(tables)}")
    return tables[name]


def _known(table: Table, column: str) -> str:
    if column not in table.columns:
        raise Refused(f"the columns of {table.name} are {', '.join(table.columns)}")
    return column


def _chosen(table: Table, where: list[str]) -> list[Row]:
    """The rows that meet every condition, such as ``depth > 300``; nothing behind the sign asks for a missing value."""
    chosen = list(table.rows)
    for condition in where:
        found = _CONDITION.match(condition)
        if not found:
            raise Refused('a condition is "column sign value", with a sign of = != < <= > >=')
        column, sign, wanted = _known(table, found[1]), found[2], found[3].strip("'\"")
        chosen = [row for row in chosen if _meets(row[column], sign, wanted)]
    return chosen


def _meets(text: str, sign: str, wanted: str) -> bool:
    if sign in ("=", "!="):
        one, two = _number(text), _number(wanted)
        is_same = one == two if one is not None and two is not None else text.casefold() == wanted.casefold()
        return is_same == (sign == "=")
    one, two = _number(text), _number(wanted)
    if two is None:
        raise Refused(f"{sign} needs a number")
    if one is None:
        return False
    return {"<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}[sign]


def _number(text: str) -> Fraction | None:
    return Fraction(text) if re.fullmatch(r"-?\d{1,30}(?:\.\d{1,30})?", text) else None


def _order(text: str) -> tuple:
    """Numbers by size, before texts; what is missing stands first."""
    number = _number(text)
    return (0 if not text else 1 if number is not None else 2, number or 0, text)


def _lines(table: Table, shown: tuple[Row, ...]) -> str:
    return "\n".join(
        " | ".join(row[name] for name in table.columns)
        for row in (dict(zip(table.columns, table.columns, strict=True)), *shown)
    )

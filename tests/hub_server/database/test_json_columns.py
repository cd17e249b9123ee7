"""JSON columns are read as `json.loads` reads them, whatever a stranger stored."""

import json
import math
import random

import pytest
from sqlalchemy import JSON, Column, MetaData, Table, insert, select

from hub_server.database.engine import Database
from hub_server.database.json_columns import read_json


def made_up(draw: random.Random, depth: int = 0) -> object:
    kind = draw.randrange(9 if depth < 4 else 6)
    if kind == 0:
        return draw.choice([None, True, False, "", 0, -0.0, 1e300, 5e-324, 2**63, -(2**200)])
    if kind == 1:
        return draw.randint(-(10**18), 10**18)
    if kind <= 3:
        return draw.uniform(-1, 1) * 10.0 ** draw.randint(-300, 300)
    if kind <= 5:
        return "".join(
            chr(draw.choice([draw.randrange(1, 0xD800), draw.randrange(0xE000, 0x110000), 34, 92, 10]))
            for _ in range(5)
        )
    if kind == 6:
        return [made_up(draw, depth + 1) for _ in range(draw.randrange(5))]
    return {str(made_up(draw, 9)): made_up(draw, depth + 1) for _ in range(draw.randrange(5))}


@pytest.mark.parametrize("seed", range(5))
def test_it_reads_what_the_standard_library_reads(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(400):
        value = made_up(draw)
        text = json.dumps(value, ensure_ascii=draw.random() < 0.5)
        assert repr(read_json(text)) == repr(json.loads(text)) == repr(read_json(text.encode()))


@pytest.mark.parametrize("text", [
    r'{"half a pair": "\ud800"}', r'"\udc00\ud800"', "[" * 400 + "]" * 400, '{"a": 1, "a": 2}', "-0", "1E5", "1e999",
    "-1e999", "1" * 400, "[Infinity, -Infinity]", " [1]\n", '{"\ud800": "\udfff"}', '"\ufeff"', '{"a": NaN, "a": {"a": 1}}',
])  # fmt: skip
def test_it_reads_what_is_strange(text: str) -> None:
    assert repr(read_json(text)) == repr(json.loads(text))


def test_no_number_stays_none() -> None:
    assert math.isnan(read_json("NaN"))


@pytest.mark.parametrize("text", ["", "{", "[1,]", "tru", '"\x01"'])
def test_it_refuses_what_the_standard_library_refuses(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        read_json(text)


def test_columns_of_either_database_are_read_by_it(database: Database) -> None:
    table = Table("odd", MetaData(), Column("value", JSON))
    values = [{"half a pair": "\ud800"}, [1.5, None, 2**70], "text"]
    with database.engine.begin() as connection:
        table.create(connection)
        connection.execute(insert(table), [{"value": one} for one in values])
        assert [row[0] for row in connection.execute(select(table.c.value))] == values
    assert database.engine.dialect._json_deserializer is read_json  # type: ignore[attr-defined]

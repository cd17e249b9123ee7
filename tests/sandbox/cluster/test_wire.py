"""Messages between a driver and a node: what arrives is what was sent, and anything else is refused."""

import asyncio
import json
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.checks.samples import Sample
from sandbox.cluster.link import NodeFacts, NodeReport, pack_rows, unpack_rows
from sandbox.cluster.wheel_transfer import ReleaseHeader
from sandbox.cluster.wire import (
    WireError,
    WireMessage,
    error_as_data,
    error_of,
    header_as_data,
    header_of,
    packed,
    read_message,
    result_of,
)
from sandbox.cluster.wire import result_as_data as as_data
from sandbox.errors import BoxLostError, NodeLostError, SandboxError, TimeLimitError
from sandbox.interface import BoxInfo
from schemas.verdict import ErrorKind

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def read(data: bytes) -> WireMessage:
    async def run() -> WireMessage:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        return await read_message(reader)

    return asyncio.run(run())


@settings(max_examples=30)
@given(st.integers(0, 2**31), st.text(), st.lists(json_values), st.lists(st.binary(max_size=64)))
def test_what_is_sent_arrives(number: int, name: str, values: list[Any], attachments: list[bytes]) -> None:
    assert read(packed(number, name, values, attachments)) == WireMessage(number, name, values, attachments)


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(data: bytes) -> None:
    with pytest.raises((WireError, asyncio.IncompleteReadError)):
        read(data)


@given(st.binary(max_size=200))
def test_a_message_around_any_bytes_is_json_or_refused(data: bytes) -> None:
    whole = struct.pack(">II", len(data), 0) + data
    try:
        message = read(whole)
    except WireError:
        return
    assert json.loads(data) == [message.number, message.name, message.values]


@pytest.mark.parametrize(
    "text",
    [
        b'[0, "over", [NaN]]',
        b'[0, "over", [1e999]]',
        b"[" * 100_000,
        b'["0", "over", []]',
        b'[true, "over", []]',
        b"{}",
    ],
)
def test_what_json_may_not_say_is_refused(text: bytes) -> None:
    with pytest.raises(WireError):
        read(struct.pack(">II", len(text), 0) + text)


@pytest.mark.parametrize("header", [struct.pack(">II", 2**32 - 1, 0), struct.pack(">II", 2, 2**32 - 1)])
def test_a_length_that_no_message_of_ours_has_is_refused_before_anything_is_read(header: bytes) -> None:
    with pytest.raises(WireError):
        read(header + b"[]")


class _Bomb:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (pytest.fail, ("the node's bytes were unpickled",))


def test_pickled_rows_are_not_loaded() -> None:
    with pytest.raises(NodeLostError):
        unpack_rows(pickle.dumps([_Bomb()]))


@pytest.mark.parametrize(
    "rows",
    [
        '[[0, {"correct": "yes"}, {}, null, 1.0]]',
        '[["x", {}, {}, null, 1.0]]',
        "[[0]]",
        '[[0, {}, {}, ["bored", "x"], 1.0]]',
    ],
)
def test_rows_of_another_shape_are_refused(rows: str) -> None:
    with pytest.raises(NodeLostError):
        unpack_rows(rows.encode())


def test_rows_come_back_as_they_were() -> None:
    rows = [(0, {"correct": 1.0, "style": None}, {"n": 1}, None, 2.5), (1, {}, {}, (ErrorKind.TIMEOUT, "slow"), 0.0)]
    assert unpack_rows(pack_rows(rows)) == rows


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("hello", NodeFacts("0.2.0", 7, 2)),
        ("report", NodeReport("# metrics", {"sha256:00": (3, 1, 0)})),
        ("warm", BoxInfo("sha256:00", facts={"landlock": 3})),
        ("missing", ["00", "ff"]),
        ("session_ask", {"observation": [1, None, "x"]}),
        ("close", None),
    ],
)
def test_results_come_back_as_they_were(method: str, value: Any) -> None:
    assert result_of(method, json.loads(json.dumps(as_data(value)))) == value


def test_the_greeting_of_an_older_node_can_be_read_so_that_the_driver_can_say_which_version_it_has() -> None:
    assert result_of("hello", {"version": "0.2.0", "pid": 7, "lanes": 2}).version == "0.2.0"


@pytest.mark.parametrize(
    ("method", "data"), [("hello", {}), ("missing", [1, {}]), ("warm", "x"), ("report", {"replays": 3})]
)
def test_a_result_of_another_shape_is_refused(method: str, data: Any) -> None:
    with pytest.raises(WireError):
        result_of(method, data)


@pytest.mark.parametrize("error", [TimeLimitError("2 s"), NodeLostError("gone"), KeyError("x"), ValueError("no")])
def test_errors_keep_their_class_and_words(error: Exception) -> None:
    again = error_of(error_as_data(error))
    assert (type(again), again.args) == (type(error), error.args)


@pytest.mark.parametrize(
    ("data", "kind"), [(["SystemExit", "0"], BoxLostError), (["object"], WireError), (None, WireError)]
)
def test_an_error_that_is_not_ours_is_the_nodes_failure(data: Any, kind: type[SandboxError]) -> None:
    assert type(error_of(data)) is kind


def test_a_releases_header_comes_back_as_it_was(tmp_path: Path) -> None:
    header = ReleaseHeader.of(Sample("def verify(task, response):\n    return {'correct': 1.0}\n").source(tmp_path))
    assert header_of(json.loads(json.dumps(header_as_data(header)))) == header

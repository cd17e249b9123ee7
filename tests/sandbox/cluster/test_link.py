"""Verdicts on their way from a node: typed, finite, and such that they can be written again; else the node is lost."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.cluster.link import pack_rows, row_of, unpack_rows, verdict_of_row
from sandbox.errors import NodeLostError
from schemas.verdict import ErrorKind, Verdict, VerdictError


def row(**changed: Any) -> str:
    """One row as JSON: number, rewards, info, error, milliseconds."""
    whole = {"number": "0", "rewards": '{"correct": 1.0}', "info": "{}", "error": "null", "ms": "2.5", **changed}
    return "[[" + ", ".join(whole.values()) + "]]"


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(rewards={"correct": 1.0, "style": None}, info={"n": [1, None, "x"], "é": {"\u2028": True}}),
        Verdict(rewards={}),
        Verdict(rewards={"correct": None}, error=VerdictError(kind=ErrorKind.HOST, message="the box was lost")),
        Verdict.unjudged(["a", "b"], ErrorKind.VERIFIER_FAILED, "NaN is not a number: Infinity, 1e999"),
        Verdict(rewards={"correct": 0.5}, info={"said": "NaN and Infinity and 1e400"}),
    ],
    ids=["two rewards", "none", "lost", "words", "words in info"],
)
def test_a_verdict_comes_back_as_it_was(verdict: Verdict) -> None:
    [back] = unpack_rows(pack_rows([row_of(7, verdict, 12.5)]))
    assert verdict_of_row(back) == verdict
    assert (back[0], back[4]) == (7, 12.5)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@settings(max_examples=40)
def test_no_bytes_do_more_than_lose_the_node(data: bytes) -> None:
    try:
        rows = unpack_rows(data)
    except NodeLostError:
        return
    assert rows == json.loads(data) == []


@pytest.mark.parametrize(
    "text",
    [
        row(number='"x"'),
        row(number="0.5"),
        row(number="null"),
        row(rewards='{"correct": "high"}'),
        row(rewards='{"correct": NaN}'),
        row(rewards='{"correct": 1e999}'),
        row(rewards="[1.0]"),
        row(rewards="null"),
        row(info="[]"),
        row(info='{"x": NaN}'),
        row(info='{"x": -Infinity}'),
        row(info='{"x": 1e999}'),
        row(info='{"x": [1E+400]}'),
        row(info='{"x": "\\ud800"}'),
        row(info=f'{{"x": {nested(400)}}}'),
        row(info=f'{{"x": {nested(100_000)}}}'),
        row(error='["bored", "x"]'),
        row(error='["host"]'),
        row(error='["host", "\\udfff"]'),
        row(error='["host", 7]'),
        row(ms="NaN"),
        row(ms="null"),
        row(ms='"fast"'),
        "[[0]]",
        "[0]",
        "{}",
        "null",
        row() + row(),
        row()[:-1],
    ],
    ids=lambda text: text[:60],
)
def test_what_is_no_verdict_or_could_not_be_written_again_is_refused(text: str) -> None:
    with pytest.raises(NodeLostError, match="not a list of verdicts"):
        unpack_rows(text.encode())


def test_what_a_package_may_say_never_costs_its_node() -> None:
    """A box lets info be 200 levels deep, and any text."""
    deepest = row(info=f'{{"x": {nested(199)}, "text": "\\ud83d\\ude00 NaN 1e999"}}')
    [back] = unpack_rows(deepest.encode())
    verdict = verdict_of_row(back)
    assert verdict.info["text"] == "😀 NaN 1e999"
    assert verdict.rewards == {"correct": 1.0}


def test_an_error_beside_rewards_is_kept_as_it_came() -> None:
    """Whether the vector is the declared one is for the stream to judge."""
    [back] = unpack_rows(row(error='["timeout", "slow"]').encode())
    verdict = verdict_of_row(back)
    assert verdict.error == VerdictError(kind=ErrorKind.TIMEOUT, message="slow")

import json

import pytest

from hub_client.transport.hub_verdicts import read_rewards, read_verdict
from sandbox.guest.vector import BrokenVectorError, check_vector
from schemas.manifest import RewardDeclaration
from schemas.strict_json import parse_json
from schemas.verdict import ErrorKind

DECLARED = {"correct": RewardDeclaration(), "style": RewardDeclaration(range=(-1.0, 2.0))}
RANGES = {name: reward.range for name, reward in DECLARED.items()}
GOOD = [{"correct": 1, "style": -1.0}, {"style": None, "correct": 0.5}, {"correct": None, "style": None}]
BAD = [
    None, [], "x", {}, {"correct": 1.0}, {"correct": 1.0, "style": 0.0, "other": 1.0}, {"correct": True, "style": 0.0},
    {"correct": "0.5", "style": 0.0}, {"correct": 1000, "style": 0.0}, {"correct": -50, "style": 0.0},
    {"correct": 1e300, "style": 0.0}, {"correct": 10**400, "style": 0.0}, {"correct": float("nan"), "style": 0.0},
    {"correct": [], "style": 0.0}, {"": 1.0, "style": 0.0},
]  # fmt: skip


@pytest.mark.parametrize("rewards", GOOD)
def test_a_sound_vector_is_read_as_a_box_s_is(rewards) -> None:
    assert read_rewards(rewards, DECLARED) == check_vector(rewards, RANGES)
    assert read_verdict({"rewards": rewards, "info": {"a": 1}}, DECLARED).error is None


@pytest.mark.parametrize("rewards", BAD)
def test_what_a_box_may_not_say_a_hub_may_not_either(rewards) -> None:
    with pytest.raises(BrokenVectorError):
        check_vector(rewards, RANGES)
    verdict = read_verdict({"rewards": rewards}, DECLARED)
    assert verdict.rewards == {"correct": None, "style": None}
    assert verdict.error.kind is ErrorKind.HOST


@pytest.mark.parametrize(
    "data",
    [
        None, 1, "a string", [],
        {"rewards": GOOD[0], "error": {"kind": "timeout", "message": "and a value"}},
        {"rewards": GOOD[2], "error": {"kind": "of another age"}},
        {"rewards": GOOD[0], "info": [1]}, {"rewards": GOOD[0], "error": "text"},
    ],
)  # fmt: skip
def test_a_verdict_of_another_shape_is_null_and_the_hosts_fault(data) -> None:
    verdict = read_verdict(data, DECLARED)
    assert (set(verdict.rewards.values()), verdict.error.kind) == ({None}, ErrorKind.HOST)


def test_an_error_keeps_its_kind_and_what_a_newer_hub_adds_is_ignored() -> None:
    error = {"kind": "timeout", "message": "slow", "since": "2027"}
    verdict = read_verdict({"rewards": GOOD[2], "error": error, "new": 1}, DECLARED)
    assert (verdict.error.kind, verdict.error.message) == (ErrorKind.TIMEOUT, "slow")


@pytest.mark.parametrize("text", ["NaN", "[1e999]", "-Infinity", "[" * 100_000, b"\xff", "{", "1" * 6000, ""])
def test_json_that_is_none_is_a_value_error(text) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_json_is_read() -> None:
    data = {"a": [1, 2.5, None, True, "\u2028"]}
    assert parse_json(json.dumps(data)) == parse_json(json.dumps(data, ensure_ascii=False).encode()) == data

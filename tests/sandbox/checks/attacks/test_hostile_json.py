import json

import pytest

from sandbox.checks.attacks.hostile_json import BOUNDARIES, VALUES, _is_no_reward
from schemas.verdict import ErrorKind, Verdict


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_no_value_is_plain_json_for_everybody(value: bytes) -> None:
    def refuse(name: str) -> None:
        raise ValueError(name)

    def write_again() -> bytes:
        text = json.dumps(json.loads(value.decode(), parse_constant=refuse), allow_nan=False, ensure_ascii=False)
        return text.encode()

    with pytest.raises((ValueError, RecursionError)):
        write_again()


def test_every_value_stands_at_every_place() -> None:
    names = [attempt.name for attempt in BOUNDARIES]
    assert len(names) == len(set(names))
    for value in VALUES:
        assert sum(name.endswith(f"-{value}") for name in names) >= 5
    for attempt in BOUNDARIES:
        compile(attempt.program, attempt.name, "exec")


def test_a_reward_or_the_hosts_fault_is_not_safe() -> None:
    assert _is_no_reward(Verdict(rewards={"correct": 1.0}))
    assert _is_no_reward(Verdict(rewards={"correct": 0.0}))
    assert _is_no_reward(Verdict.unjudged(["correct"], ErrorKind.HOST, "lost"))
    assert not _is_no_reward(Verdict.unjudged(["correct"], ErrorKind.VERIFIER_FAILED, "broken"))

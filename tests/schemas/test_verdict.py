"""A verdict is never a guess: null stays null in sums and decisions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.verdict import ErrorKind, ScoreRequest, Verdict

DECLARED = {
    "right": RewardDeclaration(weight=2.0),
    "short": RewardDeclaration(weight=-0.5),
    "parses": RewardDeclaration(role=RewardRole.GATE),
    "length": RewardDeclaration(role=RewardRole.METRIC, range=(0, 100), weight=9.0),
}
VECTORS = st.fixed_dictionaries({name: st.none() | st.floats(0, 1) for name in DECLARED})


def vector(right=1.0, short=1.0, parses=1.0, length=50.0):
    return Verdict(rewards={"right": right, "short": short, "parses": parses, "length": length})


@pytest.mark.parametrize(
    ("verdict", "total"),
    [
        (vector(), 1.5),
        (vector(parses=0.0), 0.0),
        (vector(right=None, short=None), None),
        (Verdict(rewards={}), None),
    ],
)
def test_the_sum_is_the_weighted_one_behind_the_gates(verdict, total):
    assert verdict.weighted_sum(DECLARED) == total


@pytest.mark.parametrize(
    ("verdict", "accepted"),
    [
        (vector(), True),
        (vector(right=0.49), False),
        (vector(right=0.5), True),
        (vector(parses=0.0), False),
        (vector(length=None), True),
        (vector(right=None), None),
        (vector(right=None, short=0.0), False),
        (Verdict(rewards={}), None),
    ],
)
def test_accepted_needs_every_score_and_gate(verdict, accepted):
    assert verdict.accepts(DECLARED) is accepted


@given(VECTORS)
def test_what_was_not_judged_never_decides_for_acceptance(rewards):
    verdict = Verdict(rewards=rewards)
    known = [rewards[name] for name in ("right", "short", "parses")]
    if None in known:
        assert verdict.accepts(DECLARED) is not True
    filled = {name: 1.0 if value is None else value for name, value in rewards.items()}
    if verdict.accepts(DECLARED) is False:
        assert Verdict(rewards=filled).accepts(DECLARED) is False


def test_unjudged_is_null_throughout_with_the_reason():
    verdict = Verdict.unjudged(["a", "b"], ErrorKind.HOST, "the box was lost")
    assert verdict.rewards == {"a": None, "b": None}
    assert (verdict.error.kind, verdict.error.message) == (ErrorKind.HOST, "the box was lost")
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict


@pytest.mark.parametrize(
    "line", ["{}", '{"id": 1}', '{"id": "1", "respons": "x"}', '{"id": "1", "task": []}', "[]", "nonsense"]
)
def test_a_request_that_is_none_is_refused(line):
    with pytest.raises(ValidationError):
        ScoreRequest.model_validate_json(line)

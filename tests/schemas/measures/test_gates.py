"""When a gate is closed, and that verdicts and the trainer's tensors go by the same rule."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.gates import is_gate_closed
from schemas.verdict import Verdict

DECLARED = {
    "right": RewardDeclaration(),
    "parses": RewardDeclaration(role=RewardRole.GATE, threshold=0.5),
    "length": RewardDeclaration(role=RewardRole.METRIC, threshold=0.5),
}


@pytest.mark.parametrize(
    ("rewards", "closed"),
    [
        ({"right": 0.0, "parses": 1.0, "length": 0.0}, False),
        ({"right": 1.0, "parses": 0.5, "length": 0.0}, False),
        ({"right": 1.0, "parses": 0.49, "length": 1.0}, True),
        ({"right": 1.0, "parses": None, "length": 1.0}, False),
        ({"right": 1.0, "parses": math.nan, "length": 1.0}, False),
        ({"right": 1.0}, False),
        ({}, False),
    ],
)
def test_only_a_judged_gate_below_its_threshold_is_closed(rewards, closed):
    assert is_gate_closed(rewards, DECLARED) is closed


@given(
    st.dictionaries(st.sampled_from(["right", "parses", "length"]), st.one_of(st.none(), st.floats(0, 1)), min_size=3)
)
def test_behind_a_closed_gate_a_judged_sum_is_zero(rewards):
    total = Verdict(rewards=rewards).weighted_sum(DECLARED)
    if rewards["right"] is None:
        assert total is None
    else:
        assert total == (0.0 if is_gate_closed(rewards, DECLARED) else rewards["right"])

"""When a gate is closed."""

import math

import pytest

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.gates import is_gate_closed

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

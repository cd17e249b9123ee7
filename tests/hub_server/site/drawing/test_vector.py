"""A vector's shape is its roles; what was not judged has no place in it."""

from xml.etree import ElementTree as ET

import pytest

from hub_server.site.drawing import vector
from schemas.manifest import RewardDeclaration, RewardRole

SCORE = RewardDeclaration(threshold=0.5)
GATE = RewardDeclaration(role=RewardRole.GATE, threshold=1.0)
METRIC = RewardDeclaration(role=RewardRole.METRIC, range=(0, 64))
DECLARED = {"correct": SCORE, "parses": GATE, "steps": METRIC}


def cells(drawn: str) -> list[tuple[str, str]]:
    return [
        (e.tag, e.get("class", ""))
        for e in ET.fromstring(drawn)
        if e.get("class") not in ("interval-bracket", "reward-cell")
    ]


def test_components_stand_in_declared_order_with_the_shape_of_their_role() -> None:
    drawn = vector.small_vector(DECLARED, {"steps": 32, "parses": 1, "correct": 0.5})
    assert cells(drawn) == [("rect", "reward-fill score"), ("path", "reward-fill gate"), ("rect", "reward-fill metric")]
    assert 'aria-label="Reward vector: correct 0.500, parses 1, steps 32"' in drawn


def test_a_closed_gate_is_an_empty_arch() -> None:
    assert cells(vector.small_vector({"parses": GATE}, {"parses": 0})) == [("path", "role-gate")]


def test_not_judged_is_hatched_and_said() -> None:
    drawn = vector.small_vector(DECLARED, {"correct": None, "parses": 1.0, "steps": None})
    assert cells(drawn) == [("rect", "reward-null"), ("path", "reward-fill gate"), ("rect", "reward-null")]
    assert "correct not judged" in drawn


def test_zero_is_a_baseline_not_a_hole() -> None:
    assert cells(vector.small_vector({"correct": SCORE}, {"correct": 0})) == [("line", "hatch-line")]


@pytest.mark.parametrize(("value", "share"), [(-5, 0), (0, 0), (16, 0.25), (64, 1), (99, 1)])
def test_a_value_is_placed_within_its_declared_range(value: float, share: float) -> None:
    assert vector.share_of_range(METRIC, value) == share


def test_a_rail_without_a_verdict_has_neither_fill_nor_threshold() -> None:
    drawn = vector.verdict_rail(SCORE, None)
    assert "reward-null" in drawn
    assert "reward-fill" not in drawn
    assert "reward-threshold" not in drawn


def test_metrics_have_no_threshold() -> None:
    assert "reward-threshold" not in vector.declaration_rail(METRIC)
    assert 'x1="99.7%"' in vector.declaration_rail(GATE)


def test_names_are_escaped() -> None:
    assert "<b>" not in vector.small_vector({}, {"<b>": 1.0})

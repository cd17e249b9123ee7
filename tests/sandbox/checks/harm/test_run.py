"""A short run with harm, and what its report says."""

import json

import pytest

from sandbox.checks.harm import run as harm_run
from sandbox.checks.harm.own_engine import what_is_missing
from sandbox.checks.harm.run import HarmReport, run_harm
from sandbox.checks.harm.work import Tally
from sandbox.errors import SandboxUnavailableError


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.skipif(bool(what_is_missing()), reason="no engine of one's own")
def test_harm_at_random_makes_no_verdict_wrong_and_leaves_nothing() -> None:
    report = run_harm(20.0, seed=2)
    assert report.is_clean, report.as_json()
    assert report.tally.right > 100
    assert sum(report.harms.values()) > 5
    assert report.boxes_lost >= 1


def test_without_an_engine_of_its_own_it_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harm_run, "what_is_missing", lambda: "dockerd not installed")
    with pytest.raises(SandboxUnavailableError, match="dockerd not installed"):
        run_harm(1.0, seed=1)


@pytest.mark.parametrize(
    ("tally", "left", "is_clean"),
    [
        (Tally(calls=3, right=2, masked=1), [], True),
        (Tally(calls=3, right=3), ["box 0123"], False),
        (Tally(wrong=1), [], False),
        (Tally(blamed=1), [], False),
        (Tally(doubled=1), [], False),
        (Tally(stuck=1), [], False),
    ],
)
def test_one_wrong_verdict_or_one_thing_left_is_not_clean(tally: Tally, left: list[str], is_clean: bool) -> None:
    report = HarmReport(tally, seconds=60.0, harms={"kill a box": 2}, left=left)
    assert report.is_clean is is_clean
    assert json.loads(json.dumps(report.as_json()))["is_clean"] is is_clean
    assert "1.0 minutes, 2 harms" in report.sentence()
    assert f"left over: {left[0] if left else 'nothing'}" in report.sentence()

"""A short run with harm, and what its report says."""

import json

import pytest

from sandbox.checks.harm import run as harm_run
from sandbox.checks.harm.own_engine import OwnEngine
from sandbox.checks.harm.run import HarmReport, harm_engine, run_harm
from sandbox.checks.harm.work import Tally
from sandbox.errors import SandboxUnavailableError

ORDER = (
    "kill a box",
    "stop a zygote for a moment",
    "fill a box's folder",
    "remove a box",
    "kill the engine",
    "kill a zygote",
    "kill a second client",
)


@pytest.mark.docker
@pytest.mark.slow
def test_harm_makes_no_verdict_wrong_and_leaves_nothing(own_engine: OwnEngine) -> None:
    """Each kind of it once, in this order: what is harmed, and with it what this test runs through, is no chance."""
    report = harm_engine(own_engine, 60.0, seed=2, moment_seconds=0.3, order=ORDER)
    assert report.is_clean, report.as_json()
    assert {name: report.harms[name] for name in ORDER} == dict.fromkeys(ORDER, 1)
    assert report.tally.right > 60
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

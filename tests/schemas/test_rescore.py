"""A report of a run judged again can be read back from JSON, and refuses what is no share."""

import pytest
from pydantic import ValidationError

from schemas.rescore import Rescore, Shift

SHIFT = {
    "before": 0.5, "after": 0.25, "change": {"value": -0.25, "low": -0.4, "high": -0.1}, "rollouts": 8, "tasks": 4,
}  # fmt: skip
REPORT = {
    "run": "r", "verifier": "a/b@1.0.0", "digest": "sha256:0", "rollouts": 9, "judged": 8, "counts": {}, "steps": [],
    "accepted": SHIFT, "rewards": {"correct": SHIFT}, "changed": [],
}  # fmt: skip


def test_a_report_survives_json() -> None:
    report = Rescore.model_validate(REPORT)
    assert Rescore.model_validate_json(report.model_dump_json()) == report
    assert report.reasons == {}


@pytest.mark.parametrize("missing", ["before", "change", "tasks"])
def test_a_shift_is_never_without_its_interval_and_its_tasks(missing: str) -> None:
    with pytest.raises(ValidationError, match=missing):
        Shift.model_validate({name: value for name, value in SHIFT.items() if name != missing})


def test_what_was_compared_with_nothing_has_no_shift() -> None:
    assert Rescore.model_validate({**REPORT, "accepted": None, "rewards": {}}).accepted is None

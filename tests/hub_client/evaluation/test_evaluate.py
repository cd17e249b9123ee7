"""What an evaluation says of its attempts."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from hub_client.evaluation.evaluate import CellResult
from schemas.measures.confusion import Outcome, measure
from schemas.measures.corrected import Observed
from schemas.package import AuditSummary


def test_a_pass_rate_is_corrected_by_what_the_grade_is_based_on_and_not_by_the_authors_cases() -> None:
    """An author's easy cases, a thousand of them, made the correction vanish beside independent ones that say 30 %."""
    authors, others = (
        measure([Outcome(False, index < wrong) for index in range(count)] + [Outcome(True, True)] * count)
        for wrong, count in ((60, 1200), (60, 200))
    )
    fields = {"version": "1.0.0", "grade": "D", "case_count": 2800, "audited_at": datetime(2026, 11, 1, tzinfo=UTC)}
    audit = AuditSummary(overall=authors, reads=others, **fields)
    cell: Any = SimpleNamespace(observed=Observed(0.5, 400), audit=audit)
    found = CellResult.corrected.fget(cell)
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx((0.5 - 0.3) / 0.7)
    assert audit.evidence_words == "400 cases that others than its author chose"

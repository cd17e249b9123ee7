"""Results that are sent to a hub: counts are counts, and no attempt is no row."""

import pytest
from pydantic import ValidationError

from schemas.benchmark import LeaderboardRow, ResultsCreate, TaskOutcome
from schemas.measures.corrected import TrustLevel
from schemas.measures.intervals import Interval

RESULTS = {
    "environment": "alice/sums",
    "environment_version": "1.0",
    "model": "m",
    "outcomes": [{"task_id": "1", "attempts": 2, "successes": 1}],
}


def test_sound_results_are_read():
    results = ResultsCreate.model_validate(RESULTS)
    assert (results.harness, results.outcomes[0].attempts) == ("single-turn", 2)


@pytest.mark.parametrize(
    "change",
    [
        {"outcomes": []},
        {"outcomes": [{"task_id": "1", "attempts": 0, "successes": 0}]},
        {"outcomes": [{"task_id": "1", "attempts": 1, "successes": -1}]},
        {"outcomes": [{"task_id": "", "successes": 0}]},
        {"outcomes": [{"task_id": "1", "successes": 0.5}]},
        {"outcomes": [{"task_id": "1", "successes": 10**9}]},
        {"environment": "Alice/sums"},
        {"environment_version": "1.0+local"},
        {"model": ""},
        {"failed": -1},
        {"surprise": 1},
    ],
)
def test_what_cannot_be_a_result_is_refused(change):
    with pytest.raises(ValidationError):
        ResultsCreate.model_validate(RESULTS | change)


def test_an_outcome_counts_one_attempt_unless_it_says_more():
    assert TaskOutcome(task_id="1", successes=1).attempts == 1


def test_a_row_without_an_audit_says_so():
    row = LeaderboardRow(model="m", harness="h", score=Interval(value=0.5, low=0.2, high=0.8), task_count=3)
    assert row.trust_level is TrustLevel.UNAUDITED
    assert row.corrected.estimate is None
    assert "nobody measured" in row.corrected.reason

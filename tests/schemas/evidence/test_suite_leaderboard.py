"""A suite's leaderboard, as it travels."""

from schemas.evidence.rates import Grade
from schemas.evidence.suite_leaderboard import SuiteLeaderboard, SuiteLeaderboardRow
from schemas.measures.confusion import Outcome, measure


def test_a_leaderboard_survives_the_way_through_json_with_its_intervals():
    one = SuiteLeaderboardRow(
        package="a/b", version="1.0.0", measurement=measure([Outcome(True, True)] * 9), grade=Grade.D
    )
    sent = SuiteLeaderboard(suite="moda/numbers", is_counted=True, rows=[one], disagreed=2, against_all=1)
    read = SuiteLeaderboard.model_validate_json(sent.model_dump_json())
    assert read == sent
    assert read.rows[0].measurement.fnr.high > 0.2

"""Standings on a suite, as they travel."""

from schemas.audit import Grade
from schemas.measures.confusion import Outcome, measure
from schemas.standings import Standing, SuiteStandings


def test_standings_survive_the_way_through_json_with_their_intervals():
    one = Standing(package="a/b", version="1.0.0", measurement=measure([Outcome(True, True)] * 9), grade=Grade.D)
    sent = SuiteStandings(suite="moda/numbers", is_counted=True, standings=[one], parted=2, against_all=1)
    read = SuiteStandings.model_validate_json(sent.model_dump_json())
    assert read == sent
    assert read.standings[0].measurement.fnr.high > 0.2

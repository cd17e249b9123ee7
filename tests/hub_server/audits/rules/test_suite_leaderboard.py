"""The order of verifiers on a suite, and which of its cases they disagree on."""

from hub_server.audits.rules.suite_leaderboard import (
    MOST_PROVENANCES,
    contested_cases,
    in_order,
    provenance_of,
    wrong_cases,
)
from schemas.evidence.audit import Failure
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from schemas.evidence.suite_leaderboard import SuiteLeaderboardRow
from schemas.measures.confusion import Outcome, measure

SUITE = "moda/numbers"


def row(name: str, *, wrong: int = 0, cases: int = 40, right_answers: bool = True) -> SuiteLeaderboardRow:
    outcomes = [Outcome(False, index < wrong) for index in range(cases)]
    outcomes += [Outcome(True, True) for _ in range(cases if right_answers else 0)]
    return SuiteLeaderboardRow(package=name, version="1.0.0", measurement=measure(outcomes), grade=Grade.C)


def failure(case: str, kind: str, origin: Origin = Origin.SUITE) -> Failure:
    return Failure(case=case, expected="correct", got={}, origin=origin, kind=kind, response="17")


def test_the_smaller_upper_bound_stands_first_and_one_measured_on_one_side_last():
    found = [row("a/half", right_answers=False), row("b/bad", wrong=9), row("c/good")]
    assert [one.package for one in in_order(found)] == ["c/good", "b/bad", "a/half"]


def test_few_cases_without_an_error_do_not_stand_before_many_with_one():
    """A leaderboard of bare rates would put whoever was measured least on top."""
    found = [row("lucky/one", cases=5), row("solid/one", wrong=1, cases=400)]
    assert [one.package for one in in_order(found)] == ["solid/one", "lucky/one"]


def test_the_most_contested_case_comes_first_with_its_label_and_who_is_against():
    found = contested_cases({"a/x": {"c1": "fp", "c2": "fn"}, "b/y": {"c2": "fn"}, "c/z": {}})
    assert [(one.case, one.wrong, one.of, one.label) for one in found] == [
        ("c2", 2, 3, Label.CORRECT),
        ("c1", 1, 3, Label.INCORRECT),
    ]
    assert found[0].verifiers == ["a/x", "b/y"]


def test_held_cases_other_suites_and_what_was_not_judged_stay_out():
    found = wrong_cases(SUITE, [
        failure(f"{SUITE}:made-held-0001", "fp", Origin.HELD),
        failure("moda/numbers-too:c1", "fp"),
        failure(f"{SUITE}:c1", "unscored"),
        failure("c1", "fp", Origin.AUTHOR),
        failure(f"{SUITE}:c2", "fn"),
    ])  # fmt: skip
    assert found == {"c2": "fn"}


def test_a_suite_of_a_thousand_sources_shows_the_largest() -> None:
    cases = [
        AuditCase(id=f"c{n}", task={"id": "t"}, response="x", label="correct", source="most" if n < 5 else f"s{n}" * 90)
        for n in range(1000)
    ]
    found = provenance_of(cases)
    assert len(found) == MOST_PROVENANCES
    assert (found[0].source, found[0].cases) == ("most", 5)
    assert max(len(one.source) for one in found) <= 200

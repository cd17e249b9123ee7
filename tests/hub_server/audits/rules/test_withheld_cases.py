"""Words that moderators stopped are left out of reports; figures stay."""

import pytest

from hub_server.audits.rules.withheld_cases import (
    WITHHELD_NOTE,
    community_ids,
    comparison_without,
    is_withheld,
    report_without,
    suite_ids,
)
from schemas.comparison import Disagreement, VerifierComparison
from schemas.evidence.audit import Failure
from schemas.evidence.cases import Label, Origin
from schemas.measures.intervals import rate
from tests.making.reports import make_report

NAMES = ("community:c1", "community:c2", "s/one:a:b", "own", "a/b", "x:y", ":", "")


def failure(name: str) -> Failure:
    return Failure(
        case=name,
        expected="incorrect",
        got={"correct": 1.0},
        origin=Origin.COMMUNITY,
        tags=["CANARY"],
        note="CANARY",
        task={"prompt": "CANARY"},
        response="CANARY",
        error="CANARY",
    )


def test_names_of_cases_say_where_they_come_from() -> None:
    assert community_ids(NAMES) == {"c1", "c2"}
    assert suite_ids(NAMES) == {"s/one"}


@pytest.mark.parametrize("name", NAMES)
def test_only_hidden_cases_and_stopped_suites_are_withheld(name: str) -> None:
    assert is_withheld(name, {"c1"}, {"s/one"}) == (name in {"community:c1", "s/one:a:b"})
    assert not is_withheld(name, set(), set())


def test_a_report_keeps_its_figures_and_loses_the_words_and_its_old_signature() -> None:
    report = make_report(failures=[failure(name) for name in NAMES], signature="old")
    shown = report_without(report, {"c1"}, {"s/one"})
    assert shown.overall == report.overall
    assert shown.signature is None
    withheld = [one for one in shown.failures if one.note == WITHHELD_NOTE]
    assert [one.case for one in withheld] == ["community:c1", "s/one:a:b"]
    assert "CANARY" not in "".join(one.model_dump_json() for one in withheld)
    assert [one for one in shown.failures if one not in withheld] == [
        one for one in report.failures if one.case not in {"community:c1", "s/one:a:b"}
    ]


def test_a_report_without_such_cases_is_the_same_object() -> None:
    report = make_report(failures=[failure("own")], signature="old")
    assert report_without(report, {"c1"}, {"s/one"}) is report


def test_a_comparison_keeps_its_counts_and_loses_the_words() -> None:
    parted = [
        Disagreement(
            case=name,
            label=Label.INCORRECT,
            first=True,
            second=False,
            first_rewards={},
            second_rewards={},
            sides_with="second",
            task={"prompt": "CANARY"},
            response="CANARY",
        )
        for name in ("community:c1", "own")
    ]
    found = VerifierComparison(
        first="a", second="b", case_count=2, counts={"accepted/rejected": 2}, agreement=rate(0, 2), kappa=None,
        distance=None, disagreements=parted,
    )  # fmt: skip
    shown = comparison_without(found, {"c1"}, set())
    assert shown.counts == found.counts
    assert "CANARY" not in shown.disagreements[0].model_dump_json()
    assert shown.disagreements[1] == parted[1]

"""Other verifiers' verdicts on a case's response: what is stored, what the reader may see, and no more than fits."""

from typing import Any

import pytest

from hub_server.audits import actions
from hub_server.audits.actions import case_rows
from hub_server.audits.actions import other_verdicts as module
from hub_server.audits.models import CounterExampleRow, LabelQuestionRow
from hub_server.catalog.models import PackageRow, ReleaseRow
from hub_server.database.visibility import Viewer, see_as
from tests.hub_server.audits.judged import ALICE, BOB, SUMS, hack, submit
from tests.making.action_driver import ActionDriver


@pytest.fixture
def case_id(hedging: ActionDriver) -> str:
    """A case of alice/small-sums, beside five other verifiers of alice's."""
    for name in ("a", "b", "c", "d", "e"):
        hedging.publish(ALICE, f"alice/other-{name}")
    return submit(hedging).id


def elsewhere(driver: ActionDriver, case_id: str, package: str, state: str, **more: Any) -> None:
    """The same response as a case of another package."""
    with driver.writing() as work:
        row = work.session.get(CounterExampleRow, case_id)
        assert row is not None
        key = more.pop("key", f"{package} {state}")
        fields = {
            "content_key": row.content_key, "claim": row.claim, "case": row.case, "submitted_by": "bob",
            "submitted_at": work.now, "against": "1.0.0", "verdicts": {}, **more,
        }  # fmt: skip
        work.session.add(CounterExampleRow(id=key, package_id=package, case_key=key, state=state, **fields))


def asked(driver: ActionDriver, case_id: str, *verdicts: tuple[str, bool | None]) -> None:
    """A question about the same response, as gathering leaves it."""
    with driver.writing() as work:
        row = work.session.get(CounterExampleRow, case_id)
        assert row is not None
        said = [{"by": by, "rewards": {}, "accepted": accepted, "executed": True} for by, accepted in verdicts]
        question = LabelQuestionRow(
            id="q", package_id=SUMS, case_key=row.content_key, version="1.0.0", case=row.case, verdicts=said, bits=1.0,
            priority=1.0, state="open", created_at=work.now,
        )  # fmt: skip
        work.session.add(question)


def found(driver: ActionDriver, case_id: str, by=None) -> list[tuple[str, str, bool, str]]:
    one = driver.ask(by, actions.get_case, SUMS, case_id).other_verdicts
    listed = next(case for case in driver.ask(by, actions.list_cases, SUMS).items if case.id == case_id)
    assert listed.other_verdicts == one
    return [(other.package, other.version, other.agrees, other.case) for other in one]


def test_what_is_stored_of_others_is_shown_with_those_that_disagree_first(hedging: ActionDriver, case_id: str) -> None:
    assert found(hedging, case_id) == []
    elsewhere(hedging, case_id, "alice/other-a", "reproduced")
    elsewhere(hedging, case_id, "alice/other-b", "fixed", fixed_in="1.4.0")
    elsewhere(hedging, case_id, "alice/other-c", "reproduced", claim="correct")
    elsewhere(hedging, case_id, "alice/other-d", "refuted")
    elsewhere(hedging, case_id, "alice/other-e", "reproduced", content_key="another")
    assert found(hedging, case_id) == [
        ("alice/other-a", "1.0.0", False, "alice/other-a reproduced"),
        ("alice/other-b", "1.4.0", True, "alice/other-b fixed"),
        ("alice/other-c", "1.0.0", True, "alice/other-c reproduced"),
    ]


def test_verdicts_with_which_people_are_asked_are_among_them(hedging: ActionDriver, case_id: str) -> None:
    verdicts = [("alice/other-d@1.0.0", True), ("alice/other-e@1.0.0", False), ("alice/other-b@1.0.0", None)]
    asked(hedging, case_id, *verdicts, (f"{SUMS}@1.0.0", True), ("held-out", True), ("no/such@1.0.0", True))
    assert found(hedging, case_id) == [
        ("alice/other-d", "1.0.0", False, ""), ("alice/other-e", "1.0.0", True, ""),
    ]  # fmt: skip
    elsewhere(hedging, case_id, "alice/other-e", "reproduced")
    assert found(hedging, case_id)[1] == ("alice/other-e", "1.0.0", False, "alice/other-e reproduced"), "once each"


@pytest.mark.parametrize("barred", ["is_private", "hidden_reason", "taken_down_reason", "unlisted"])
def test_what_a_reader_does_not_see_is_left_out(hedging: ActionDriver, case_id: str, barred: str) -> None:
    asked(hedging, case_id, ("alice/other-a@1.0.0", True))
    elsewhere(hedging, case_id, "alice/other-b", "reproduced")
    assert len(found(hedging, case_id)) == 2
    with hedging.writing() as work:
        for name in ("alice/other-a", "alice/other-b"):
            row = work.session.get(PackageRow, name)
            assert row is not None
            if barred == "unlisted":
                row.is_listed = False
            else:
                setattr(row, barred, True if barred == "is_private" else "why")
    assert found(hedging, case_id) == found(hedging, case_id, BOB) == []
    if barred == "is_private":
        with hedging.reading() as work:
            see_as(work.session, Viewer(owners=frozenset({"alice"})))
            assert len(actions.get_case(work, SUMS, case_id).other_verdicts) == 2, "their owner sees them"


def test_hidden_cases_say_nothing_and_no_more_is_shown_than_fits(
    hedging: ActionDriver, case_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(hedging, case_id, "alice/other-a", "reproduced", hidden_reason="why")
    assert found(hedging, case_id) == []
    for name in ("b", "c", "d"):
        elsewhere(hedging, case_id, f"alice/other-{name}", "reproduced")
    monkeypatch.setattr(case_rows, "MOST_OTHERS", 2)
    assert len(found(hedging, case_id)) == 2


def test_a_page_costs_the_same_number_of_statements_whatever_is_on_it(hedging: ActionDriver, case_id: str) -> None:
    def count() -> int:
        with hedging.statements() as sent:
            hedging.ask(None, actions.list_cases, SUMS)
        return len(sent)

    elsewhere(hedging, case_id, "alice/other-a", "reproduced")
    once = count()
    for number in range(3):
        other = submit(hedging, hack(f"more{number}", response=f"2 or {number + 5}")).id
        elsewhere(hedging, other, f"alice/other-{'cde'[number]}", "reproduced")
    assert count() == once


def test_a_damaged_row_elsewhere_breaks_nothing(hedging: ActionDriver, case_id: str) -> None:
    elsewhere(hedging, case_id, "alice/other-a", "reproduced", against="no version")
    elsewhere(hedging, case_id, "alice/other-b", "strange")
    asked(hedging, case_id, ("alice/other-c@no version", True), ("alice/other-d@1.0.0", True))
    with hedging.writing() as work:
        row = work.session.get(LabelQuestionRow, "q")
        assert row is not None
        row.verdicts = [7, {"by": None}, {"rewards": {}}, *row.verdicts]
    assert [other[0] for other in found(hedging, case_id)] == ["alice/other-d"]


@pytest.mark.parametrize("said", [{"executed": False}, {"executed": None}, {}])
def test_what_a_run_claims_of_a_verifier_is_no_verdict_of_it(hedging: ActionDriver, case_id: str, said: dict) -> None:
    asked(hedging, case_id, ("alice/other-a@1.0.0", True))
    assert len(found(hedging, case_id)) == 1
    with hedging.writing() as work:
        row = work.session.get(LabelQuestionRow, "q")
        assert row is not None
        row.verdicts = [{"by": "alice/other-a@1.0.0", "rewards": {}, "accepted": True, **said}]
    assert found(hedging, case_id) == []


def test_cases_that_were_withdrawn_or_lie_beside_the_point_crowd_out_none(
    hedging: ActionDriver, case_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One account may submit and withdraw the same response again and again."""
    monkeypatch.setattr(module, "_MOST_READ", 2)  # its own case is one of them
    for number in range(3):
        elsewhere(hedging, case_id, "alice/other-a", "refuted", key=f"a{number}")
        elsewhere(hedging, case_id, "alice/other-b", "reproduced", key=f"b{number}", claim=f"incorrect x={number}")
    elsewhere(hedging, case_id, "alice/other-c", "reproduced")
    assert [one[0] for one in found(hedging, case_id)] == ["alice/other-c"]


def test_a_flood_about_one_response_hides_no_verdicts_on_another(
    hedging: ActionDriver, case_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_READ", 3)
    flooded = submit(hedging, hack("flooded", response="2 or 9")).id
    for name in ("a", "b", "c"):
        elsewhere(hedging, flooded, f"alice/other-{name}", "reproduced")
    elsewhere(hedging, case_id, "alice/other-d", "reproduced")
    assert [one[0] for one in found(hedging, case_id)] == ["alice/other-d"]
    assert len(found(hedging, flooded)) == 2


@pytest.mark.parametrize("barred", ["quarantined_reason", "taken_down_reason"])
def test_a_release_in_quarantine_or_taken_down_says_nothing_though_its_package_is_listed(
    hedging: ActionDriver, case_id: str, barred: str
) -> None:
    hedging.publish(ALICE, "alice/other-a", version="2.0.0")
    asked(hedging, case_id, ("alice/other-a@1.0.0", True), ("alice/other-a@2.0.0", False))
    with hedging.writing() as work:
        row = work.session.query(ReleaseRow).filter_by(package_id="alice/other-a", version="1.0.0").one()
        setattr(row, barred, "why")
    assert [one[1] for one in found(hedging, case_id)] == ["2.0.0"]


def test_a_suite_whose_label_is_reported_is_no_verifier(hedging: ActionDriver, case_id: str) -> None:
    elsewhere(hedging, case_id, "alice/other-a", "reproduced")
    with hedging.writing() as work:
        row = work.session.get(PackageRow, "alice/other-a")
        assert row is not None
        row.kind = "suite"
    assert found(hedging, case_id) == []


def test_a_package_has_one_voice_and_it_is_its_newest_release_s(hedging: ActionDriver, case_id: str) -> None:
    elsewhere(hedging, case_id, "alice/other-a", "reproduced", against="1.10.0")
    asked(hedging, case_id, ("alice/other-a@1.9.0", False), ("alice/other-a@1.2.0", False))
    assert found(hedging, case_id) == [("alice/other-a", "1.10.0", False, "alice/other-a reproduced")]


def test_those_that_are_left_out_are_counted(
    hedging: ActionDriver, case_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty that disagree would look as if nobody agreed."""
    monkeypatch.setattr(case_rows, "MOST_OTHERS", 2)
    for name, state in (("a", "reproduced"), ("b", "reproduced"), ("c", "reproduced"), ("d", "fixed")):
        elsewhere(hedging, case_id, f"alice/other-{name}", state)
    case = hedging.ask(None, actions.get_case, SUMS, case_id)
    assert (len(case.other_verdicts), case.others_agree, case.others_disagree) == (2, 1, 3)

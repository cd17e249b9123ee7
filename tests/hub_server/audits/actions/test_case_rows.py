"""Counter-examples as they are shown: pages, hidden ones, and a damaged row that breaks nothing for others."""

import logging

import pytest

from hub_server.audits import actions
from hub_server.audits.actions.case_rows import is_agreed
from hub_server.audits.errors import CaseNotFoundError
from hub_server.audits.models import CounterExampleRow
from hub_server.catalog.errors import PackageNotFoundError
from hub_server.errors import InvalidRequestError
from tests.hub_server.audits.judged import ALICE, BOB, CAROL, MODA, SUMS, hack, submit
from tests.making.action_driver import ActionDriver


@pytest.fixture
def three(hedging: ActionDriver) -> list[str]:
    """Two reproduced, one refuted, oldest first."""
    return [submit(hedging, hack(f"h{n}", response=text)).id for n, text in enumerate(("2 or 3", "7", "2 or 4"))]


def shown(driver: ActionDriver, by=None, **asked) -> list[str]:
    return [case.id for case in driver.ask(by, actions.list_cases, SUMS, **asked).items]


def test_the_newest_come_first_page_by_page_and_are_counted_by_state(hedging: ActionDriver, three: list[str]) -> None:
    page = hedging.ask(None, actions.list_cases, SUMS, limit=2)
    assert [case.id for case in page.items] == three[:0:-1]
    assert page.facets == {"state": {"reproduced": 2, "refuted": 1}}
    assert shown(hedging, cursor=page.next) == three[:1]
    assert shown(hedging, state="refuted") == [three[1]]
    assert hedging.ask(None, actions.count_cases, SUMS) == {"reproduced": 2, "refuted": 1}


def test_the_names_that_states_had_in_version_0_4_are_still_read(hedging: ActionDriver, three: list[str]) -> None:
    assert shown(hedging, state="confirmed") == shown(hedging, state="reproduced") == three[::-2]
    assert shown(hedging, state="held") == shown(hedging, state="agreed") == []


@pytest.mark.parametrize("state", ["", "Open", "wrong", "\x00"])
def test_a_state_that_nobody_knows_is_refused_with_those_that_there_are(hedging: ActionDriver, state: str) -> None:
    with pytest.raises(InvalidRequestError, match="open, reproduced"):
        shown(hedging, state=state)
    with pytest.raises(PackageNotFoundError):
        hedging.ask(None, actions.list_cases, "alice/none")


@pytest.mark.parametrize(("by", "sees"), [(None, False), (ALICE, False), (BOB, False), (MODA, True)])
def test_a_hidden_case_is_for_moderators_not_even_for_who_sent_it(
    hedging: ActionDriver, three: list[str], by, sees: bool
) -> None:
    hedging.do(MODA, actions.hide_case, SUMS, three[0], "names a person")
    assert (three[0] in shown(hedging, by)) is sees
    assert three[0] not in [case.id for case in hedging.ask(by, actions.newest_cases, 10)]
    assert hedging.ask(by, actions.count_cases, SUMS) == {"reproduced": 1, "refuted": 1}
    if sees:
        assert hedging.ask(by, actions.get_case, SUMS, three[0]).hidden_reason == "names a person"
    else:
        with pytest.raises(CaseNotFoundError):
            hedging.ask(by, actions.get_case, SUMS, three[0])


@pytest.mark.parametrize("case_id", ["", "none", "\x00", "x" * 5000])
def test_what_is_no_case_of_the_package_is_not_found(hedging: ActionDriver, three: list[str], case_id: str) -> None:
    with pytest.raises(CaseNotFoundError):
        hedging.ask(MODA, actions.get_case, SUMS, case_id)


def test_a_case_is_found_under_its_own_package_only(hedging: ActionDriver, three: list[str]) -> None:
    hedging.publish(ALICE, "alice/other")
    with pytest.raises(CaseNotFoundError):
        hedging.ask(None, actions.get_case, "alice/other", three[0])


@pytest.mark.parametrize(
    "damage", [{"case": {}}, {"case": {"id": "x"}}, {"state": "strange"}, {"against": "no version"}]
)
def test_a_damaged_row_is_logged_and_left_out_and_the_others_are_shown(
    hedging: ActionDriver, three: list[str], damage, caplog: pytest.LogCaptureFixture
) -> None:
    with hedging.writing() as work:
        row = work.session.get(CounterExampleRow, three[1])
        assert row is not None
        for name, value in damage.items():
            setattr(row, name, value)
    with caplog.at_level(logging.WARNING, "hub_server.audits"):
        assert shown(hedging) == [three[2], three[0]]
    assert three[1] in caplog.text
    with pytest.raises(CaseNotFoundError, match="damaged"):
        hedging.ask(None, actions.get_case, SUMS, three[1])


def test_who_seconded_it_is_named_and_a_list_asks_for_them_once(hedging: ActionDriver, three: list[str]) -> None:
    for by in (CAROL, ALICE):
        hedging.do(by, actions.second_case, SUMS, three[0])
    assert hedging.ask(None, actions.get_case, SUMS, three[0]).seconded_by == ["carol", "alice"]
    counts = []
    for limit in (1, 3):
        with hedging.reading() as work, hedging.statements() as sent:
            actions.list_cases(work, SUMS, limit=limit)
        counts.append(len(sent))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("history", "agreed"),
    [
        (None, False),
        ([], False),
        ([{"what": "submitted"}], False),
        ([{"what": "submitted"}, {"what": "labelled"}], True),
    ],
)
def test_people_agreed_where_the_record_says_so(history, agreed: bool) -> None:
    assert is_agreed(CounterExampleRow(history=history)) is agreed

"""Disputes: who may doubt a label, who decides, and that nobody takes back alone what several agreed on."""

import pytest
from sqlalchemy import select

from hub_server.audits import actions
from hub_server.audits.actions.cases import keep_case
from hub_server.audits.errors import CaseNotDisputableError, CaseNotFoundError
from hub_server.audits.models import CounterExampleRow
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError
from schemas.account import Scope
from schemas.evidence.counter_examples import BatchDispute
from tests.hub_server.audits.judged import (
    ALICE,
    BOB,
    CAROL,
    MODA,
    OWNING_MODERATOR,
    SUMS,
    executed,
    hack,
    state_of,
    submit,
)
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller, person

NARROW = caller("carol", scopes=EVERY_SCOPE - {Scope.CASES})
RULINGS = ("upheld", "relabelled", "withdrawn")


@pytest.fixture
def disputed(hedging: ActionDriver) -> str:
    case_id = submit(hedging).id
    hedging.do(CAROL, actions.dispute_case, SUMS, case_id, "two or three is right")
    return case_id


@pytest.mark.parametrize(
    ("by", "error"),
    [(None, NotAuthenticatedError), (NARROW, NotAllowedError), (CAROL, None), (ALICE, None), (BOB, None)],
)
def test_anybody_with_an_account_doubts_a_label(hedging: ActionDriver, by, error) -> None:
    case_id = submit(hedging).id
    if error is None:
        found = hedging.do(by, actions.dispute_case, SUMS, case_id, "why")
        assert (found.state, found.disputed_by, found.dispute_reason) == ("disputed", by.name, "why")
    else:
        with pytest.raises(error):
            hedging.do(by, actions.dispute_case, SUMS, case_id, "why")
        assert state_of(hedging, case_id) == "reproduced"


def test_only_what_was_reproduced_can_be_doubted_and_only_once(hedging: ActionDriver, disputed: str) -> None:
    for case_id in (disputed, submit(hedging, hack("h2", response="7")).id):
        with pytest.raises(CaseNotDisputableError):
            hedging.do(CAROL, actions.dispute_case, SUMS, case_id, "again")
    with pytest.raises(CaseNotFoundError):
        hedging.do(CAROL, actions.dispute_case, SUMS, "none", "why")


@pytest.mark.parametrize("ruling", RULINGS)
@pytest.mark.parametrize(
    ("by", "error"),
    [(None, NotAuthenticatedError), (CAROL, NotAllowedError), (ALICE, NotAllowedError), (OWNING_MODERATOR, NotAllowedError),
     (person("moda", is_moderator=True, organizations=frozenset({"alice"})), NotAllowedError), (MODA, None)],
    ids=["nobody", "who disputes", "owner", "owner who moderates", "moderator in the owner's organisation", "moderator"],
)  # fmt: skip
def test_an_impartial_moderator_decides(hedging: ActionDriver, disputed: str, by, error, ruling) -> None:
    if error is None:
        assert hedging.do(by, actions.settle_dispute, SUMS, disputed, ruling).state != "disputed"
    else:
        with pytest.raises(error):
            hedging.do(by, actions.settle_dispute, SUMS, disputed, ruling)
        assert state_of(hedging, disputed) == "disputed"


@pytest.mark.parametrize(("ruling", "state", "label", "what"), [
    ("upheld", "reproduced", "incorrect", "upheld"),
    ("relabelled", "open", "correct", "relabelled"),
    ("withdrawn", "refuted", "incorrect", "overturned"),
])  # fmt: skip
def test_what_each_ruling_does(hedging: ActionDriver, disputed: str, ruling, state: str, label: str, what: str) -> None:
    found = hedging.do(MODA, actions.settle_dispute, SUMS, disputed, ruling, "because")
    assert (found.state, found.case.label, found.history[-1].what) == (state, label, what)
    assert found.history[-1].reason == "because"
    assert found.counted_by == ("moderator" if ruling == "relabelled" else "")


def test_who_confirmed_a_label_does_not_confirm_the_opposite(hedging: ActionDriver, disputed: str) -> None:
    with hedging.writing() as work:
        work.session.get_one(CounterExampleRow, disputed).corroborated_by = "verifiers"
    assert hedging.do(MODA, actions.settle_dispute, SUMS, disputed, "relabelled").corroborated_by == ""


def test_a_relabelled_case_is_replayed_under_its_new_label(hedging: ActionDriver, disputed: str) -> None:
    hedging.do(MODA, actions.settle_dispute, SUMS, disputed, "relabelled")
    prepared = hedging.ask(None, actions.prepare_replay, SUMS, disputed)
    assert prepared is not None
    hedging.do(None, actions.record_replay, SUMS, disputed, actions.execute_case(hedging.services, prepared))
    assert state_of(hedging, disputed) == "refuted", "the verifier was right all along"


@pytest.mark.parametrize(
    ("ruling", "error"), [("withdrawn", None), ("upheld", NotAllowedError), ("relabelled", NotAllowedError)]
)
def test_who_sent_a_case_may_take_it_back_and_nothing_more(hedging: ActionDriver, ruling, error) -> None:
    case_id = submit(hedging).id
    if error is None:
        found = hedging.do(BOB, actions.settle_dispute, SUMS, case_id, ruling)
        assert (found.state, found.history[-1].what) == ("refuted", "withdrawn")
        with pytest.raises(CaseNotDisputableError):
            hedging.do(BOB, actions.settle_dispute, SUMS, case_id, ruling)
    else:
        with pytest.raises(error):
            hedging.do(BOB, actions.settle_dispute, SUMS, case_id, ruling)


@pytest.mark.parametrize("is_disputed", [False, True])
def test_what_people_agreed_on_is_nobodys_own_to_take_back(hedging: ActionDriver, is_disputed: bool) -> None:
    """Whoever labels last stood as the submitter: a friend of the owner agreed, withdrew, and nobody could send it again."""
    done = executed(hedging, hack())
    with hedging.writing(BOB) as work:
        case_id = keep_case(work, done, "bob", agreement="agreed by bob, carol").id
    if is_disputed:
        hedging.do(CAROL, actions.dispute_case, SUMS, case_id, "why")
    before = state_of(hedging, case_id)
    with pytest.raises(NotAllowedError):
        hedging.do(BOB, actions.settle_dispute, SUMS, case_id, "withdrawn")
    assert state_of(hedging, case_id) == before


def test_several_at_once_are_the_owners_to_doubt(hedging: ActionDriver) -> None:
    ids = [submit(hedging, hack(f"h{n}", response=f"2 or {n}")).id for n in range(3)]
    wish = BatchDispute(cases=ids[:2], reason="all of them are right")
    for by, error in ((None, NotAuthenticatedError), (CAROL, NotAllowedError), (MODA, NotAllowedError)):
        with pytest.raises(error):
            hedging.do(by, actions.dispute_cases, SUMS, wish)
    assert [case.id for case in hedging.do(ALICE, actions.dispute_cases, SUMS, wish)] == ids[:2]
    assert [state_of(hedging, one) for one in ids] == ["disputed", "disputed", "reproduced"]


def test_none_named_means_all_that_count_for_nothing_yet(hedging: ActionDriver) -> None:
    ids = [submit(hedging, hack(f"h{n}", response=text)).id for n, text in enumerate(("2 or 3", "2 or 4", "7"))]
    hedging.do(ALICE, actions.second_case, SUMS, ids[0])
    found = hedging.do(ALICE, actions.dispute_cases, SUMS, BatchDispute(reason="why"))
    assert [case.id for case in found] == [ids[1]], "neither what counts already nor what was refuted"


def test_of_several_one_that_cannot_be_doubted_leaves_all_as_they_were(hedging: ActionDriver) -> None:
    good, refuted = submit(hedging).id, submit(hedging, hack("h2", response="7")).id
    with pytest.raises(CaseNotDisputableError):
        hedging.do(ALICE, actions.dispute_cases, SUMS, BatchDispute(cases=[good, refuted], reason="why"))
    assert state_of(hedging, good) == "reproduced"


def test_hiding_is_a_moderators_needs_words_and_can_be_undone(hedging: ActionDriver) -> None:
    case_id = submit(hedging).id
    for by, error in (
        (None, NotAuthenticatedError),
        (BOB, NotAllowedError),
        (ALICE, NotAllowedError),
        (OWNING_MODERATOR, NotAllowedError),
    ):
        with pytest.raises(error):
            hedging.do(by, actions.hide_case, SUMS, case_id, "a name")
    with pytest.raises(InvalidRequestError):
        hedging.do(MODA, actions.hide_case, SUMS, case_id, " \n")
    for _ in range(2):
        assert hedging.do(MODA, actions.hide_case, SUMS, case_id, " a name ").hidden_reason == "a name"
    for _ in range(2):
        assert hedging.do(MODA, actions.show_case, SUMS, case_id).hidden_reason is None
    with hedging.reading() as work:
        row = work.session.scalar(select(CounterExampleRow))
        assert row is not None
        assert [event["what"] for event in row.history] == ["submitted", "hidden", "shown"], (
            "what changes nothing is not noted"
        )

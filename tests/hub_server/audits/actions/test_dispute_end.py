"""A dispute has an end: a moderator's word, two of standing more on one side, or fourteen days."""

from datetime import timedelta

import pytest

from hub_server.audits import actions
from hub_server.audits.errors import CaseNotDisputableError
from hub_server.audits.models import CounterExampleRow
from hub_server.kernel.caller import Caller
from hub_server.worker import Worker
from tests.hub_server.audits.judged import ALICE, BOB, CAROL, MODA, SUMS, hack, state_of, submit
from tests.making.action_driver import ActionDriver


@pytest.fixture
def disputed(hedging: ActionDriver) -> str:
    """A case of bob that counts for nothing yet and that carol doubts."""
    case_id = submit(hedging).id
    hedging.do(CAROL, actions.dispute_case, SUMS, case_id, "two or three is right")
    return case_id


def of_standing(driver: ActionDriver, name: str) -> Caller:
    """An account with three points: cases of its own that a moderator seconded."""
    who = driver.person(name)
    for number in range(3):
        case_id = submit(driver, hack(f"{name}{number}", response=f"2 or {name} {number}"), who).id
        driver.do(MODA, actions.second_case, SUMS, case_id)
    return who


def later(driver: ActionDriver, days: float) -> None:
    """What a worker does once an hour, ``days`` later."""
    driver.clock.advance(timedelta(days=days).total_seconds())
    Worker(driver.services).delete_expired_if_due()


def test_two_of_standing_for_a_label_end_its_dispute_and_make_it_count(hedging: ActionDriver, disputed: str) -> None:
    """A disputed case could not be seconded, and so an owner kept any case out of the rates for ever."""
    for name in ("dora", "emil"):
        found = hedging.do(of_standing(hedging, name), actions.second_case, SUMS, disputed)
    assert (found.state, found.counted_by, found.dispute_ends_at) == ("reproduced", "standing", None)


def test_an_impartial_moderator_who_seconds_ends_it(hedging: ActionDriver, disputed: str) -> None:
    found = hedging.do(MODA, actions.second_case, SUMS, disputed)
    assert (found.state, found.counted_by) == ("reproduced", "moderator")


def test_the_owner_who_seconds_what_another_doubts_ends_it(hedging: ActionDriver, disputed: str) -> None:
    assert hedging.do(ALICE, actions.second_case, SUMS, disputed).state == "reproduced"


def test_two_of_standing_against_a_label_take_the_case_away(hedging: ActionDriver) -> None:
    case_id = submit(hedging).id
    for name in ("fred", "gina"):
        hedging.do(of_standing(hedging, name), actions.second_case, SUMS, case_id)
    for name in ("dora", "emil", "hans", "ines"):
        found = hedging.do(of_standing(hedging, name), actions.dispute_case, SUMS, case_id, "no")
    assert (found.state, found.counted_by, found.history[-1].what) == ("refuted", "", "overturned")
    with hedging.reading() as work:
        assert actions.points(work, "bob") == 0, "only a moderator takes points away"


def test_fresh_accounts_the_owner_and_the_submitter_have_no_voice(hedging: ActionDriver, disputed: str) -> None:
    for by in (ALICE, *(hedging.person(f"sock{n}") for n in range(4))):
        assert hedging.do(by, actions.dispute_case, SUMS, disputed, "me too").state == "disputed"


def test_nobody_doubts_a_label_twice(hedging: ActionDriver, disputed: str) -> None:
    hedging.do(MODA, actions.settle_dispute, SUMS, disputed, "upheld")
    with pytest.raises(CaseNotDisputableError, match="before"):
        hedging.do(CAROL, actions.dispute_case, SUMS, disputed, "still")


@pytest.mark.parametrize(
    ("counts", "state", "what"), [(False, "refuted", "lapsed"), (True, "reproduced", "upheld")], ids=["waits", "counts"]
)
def test_after_fourteen_days_what_counts_stays_and_what_waits_goes(
    hedging: ActionDriver, counts, state: str, what: str
) -> None:
    case_id = submit(hedging).id
    if counts:
        hedging.do(ALICE, actions.second_case, SUMS, case_id)
    began = hedging.clock.now()
    found = hedging.do(CAROL, actions.dispute_case, SUMS, case_id, "why")
    assert found.dispute_ends_at is not None
    assert (found.dispute_ends_at - began).days == 14
    later(hedging, 13.9)
    assert state_of(hedging, case_id) == "disputed"
    later(hedging, 0.2)
    after = hedging.ask(None, actions.get_case, SUMS, case_id)
    assert (after.state, after.history[-1].what, after.history[-1].by) == (state, what, "hub")
    with hedging.reading() as work:
        assert actions.points(work, "bob") == 0, "nobody has said that the label is wrong"
    later(hedging, 1)
    assert hedging.ask(None, actions.get_case, SUMS, case_id).history == after.history


def test_after_fourteen_days_one_voice_of_standing_decides(hedging: ActionDriver, disputed: str) -> None:
    hedging.do(of_standing(hedging, "dora"), actions.second_case, SUMS, disputed)
    assert state_of(hedging, disputed) == "disputed"
    later(hedging, 14)
    assert state_of(hedging, disputed) == "reproduced"


def test_a_moderators_word_is_not_taken_back_by_two_others(hedging: ActionDriver) -> None:
    case_id = submit(hedging).id
    hedging.do(MODA, actions.second_case, SUMS, case_id)
    for name in ("dora", "emil"):
        found = hedging.do(of_standing(hedging, name), actions.dispute_case, SUMS, case_id, "no")
    assert found.state == "disputed"
    later(hedging, 14)
    assert state_of(hedging, case_id) == "reproduced"


def test_a_case_that_lapsed_may_be_sent_again(hedging: ActionDriver, disputed: str) -> None:
    later(hedging, 14)
    assert submit(hedging, hack("again"), BOB).state == "reproduced"
    assert len(hedging.rows("SELECT id FROM counter_examples")) == 2
    with hedging.reading() as work:
        row = work.session.get(CounterExampleRow, disputed)
        assert row is not None
        assert row.disputed_at is None

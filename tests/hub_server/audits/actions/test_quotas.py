"""Quotas by standing, from the side of an account that wants to cost others as much as it can."""

from dataclasses import replace

import pytest

from hub_server.audits import actions
from hub_server.audits.actions.quotas import AccountQuotas, is_trusted, quotas_by_rank
from hub_server.audits.errors import TooManyCasesError, TooManyTodayError
from hub_server.kernel.caller import Caller
from hub_server.settings_groups import QuotaSettings
from schemas.evidence.counter_examples import BatchDispute
from tests.hub_server.audits.actions.test_dispute_end import of_standing
from tests.hub_server.audits.judged import ALICE, BOB, CAROL, MODA, SUMS, hack, submit
from tests.making.action_driver import ActionDriver


@pytest.fixture
def strict(hedging: ActionDriver) -> ActionDriver:
    """A hub whose operator allows little."""
    few = QuotaSettings(
        waiting_new=2, waiting_standing=4, waiting_trusted=6, words_new=2, words_standing=3, words_trusted=5
    )
    settings = hedging.services.settings.model_copy(update={"quotas": few, "suite_owners": ["suites"]})
    hedging.services = replace(hedging.services, settings=settings)
    return hedging


def send(driver: ActionDriver, by: Caller, count: int) -> None:
    for number in range(count):
        submit(driver, hack(f"{by.name}{number}", response=f"2 or {by.name} x{number}"), by)


def test_standing_gives_room_for_more_cases_that_wait(strict: ActionDriver) -> None:
    send(strict, BOB, 2)
    with pytest.raises(TooManyCasesError, match=r"2 of your counter-examples .* 0 points. With 3 more you may have 4"):
        submit(strict, hack("more", response="2 or more"))
    dora = of_standing(strict, "dora")
    send(strict, dora, 4)
    with pytest.raises(TooManyCasesError, match="the most at your rank"):
        submit(strict, hack("more", response="2 or more"), dora)


def test_a_packages_owner_has_most_on_it_and_elsewhere_what_its_points_give(strict: ActionDriver) -> None:
    send(strict, ALICE, 6)
    with pytest.raises(TooManyCasesError):
        submit(strict, hack("more", response="2 or more"), ALICE)
    with strict.reading() as work:
        assert (AccountQuotas(work, "alice", SUMS).rank, AccountQuotas(work, "alice").rank) == ("trusted", "new")


def test_the_operators_people_are_trusted(strict: ActionDriver) -> None:
    strict.person("suites")
    with strict.writing() as work:
        assert is_trusted(work, "suites")
        assert not is_trusted(work, "bob")
        assert AccountQuotas(work, "suites").quotas == quotas_by_rank(work)["trusted"]


def test_a_lie_that_a_moderator_refused_leaves_half(strict: ActionDriver) -> None:
    lie = submit(strict, hack("lie", response="2 or lie"))
    strict.do(CAROL, actions.dispute_case, SUMS, lie.id, "no")
    strict.do(MODA, actions.settle_dispute, SUMS, lie.id, "withdrawn")
    send(strict, BOB, 1)
    with pytest.raises(TooManyCasesError, match=r"1 of your .* -3 points. With 6 more"):
        submit(strict, hack("more", response="2 or more"))


def test_seconds_and_disputes_of_a_day_are_few_together_and_more_on_the_next(strict: ActionDriver) -> None:
    """Each dispute costs people an answer, and keeps a case marked for fourteen days."""
    ids = [submit(strict, hack(f"h{n}", response=f"2 or {n}"), who).id for n, who in enumerate((ALICE, ALICE, ALICE))]
    strict.do(CAROL, actions.second_case, SUMS, ids[0])
    strict.do(CAROL, actions.second_case, SUMS, ids[0])
    strict.do(CAROL, actions.dispute_case, SUMS, ids[1], "no")
    for act, more in ((actions.second_case, ()), (actions.dispute_case, ("no",))):
        with pytest.raises(TooManyTodayError, match="2 cases in 24 hours"):
            strict.do(CAROL, act, SUMS, ids[2], *more)
    strict.clock.advance(86_401)
    assert strict.do(CAROL, actions.dispute_case, SUMS, ids[2], "no").state == "disputed"


def test_an_owner_disputes_any_number_of_cases_of_its_own_package(strict: ActionDriver) -> None:
    for name in ("bob", "carol", "dan", "eve"):
        send(strict, BOB if name == "bob" else CAROL if name == "carol" else strict.person(name), 2)
    assert len(strict.do(ALICE, actions.dispute_cases, SUMS, BatchDispute(reason="all of them"))) == 8

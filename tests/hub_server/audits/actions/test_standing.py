"""Standing, from the side of somebody who wants it for nothing, or wants to take it from others."""

import pytest
from sqlalchemy import select

from hub_server.accounts import actions as accounts
from hub_server.accounts.models import FormerMemberRow
from hub_server.audits import actions
from hub_server.audits.actions.standing import has_standing, owners_of, points
from hub_server.audits.models import CounterExampleRow
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import PackageRow
from hub_server.database.visibility import EVERYBODY, EVERYTHING, Viewer
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.hub_server.audits.actions.test_evidence import SUITE, cases, exact, measured
from tests.hub_server.audits.judged import ALICE, CAROL, MODA, SUMS, hack, submit
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api, make_package


def counted(driver: ActionDriver) -> list[str]:
    """Three cases of bob that a moderator seconded."""
    ids = [submit(driver, hack(f"h{n}", response=f"2 or {n}")).id for n in range(3, 6)]
    for case_id in ids:
        driver.do(MODA, actions.second_case, SUMS, case_id)
    return ids


def test_who_seconds_what_counts_already_earns_nothing(hedging: ActionDriver) -> None:
    """Three clicks gave any fresh account standing, and two such accounts made any case, and any suite, count."""
    for case_id in counted(hedging):
        hedging.do(CAROL, actions.second_case, SUMS, case_id)
    with hedging.reading() as work:
        assert not has_standing(work, "carol")
        assert has_standing(work, "bob"), "who submitted them has it"


def test_who_seconded_before_others_did_earns_a_point(hedging: ActionDriver) -> None:
    case_id = submit(hedging).id
    hedging.do(CAROL, actions.second_case, SUMS, case_id)
    hedging.do(MODA, actions.second_case, SUMS, case_id)
    with hedging.reading() as work:
        assert points(work, "carol") == points(work, "bob") == 1


def test_who_seconds_a_case_after_a_moderator_turned_it_round_loses_nothing(hedging: ActionDriver) -> None:
    """The label that it has now is the moderator's; those who spoke for the old one lose."""
    right = submit(hedging, hack(label="correct", response="7"))
    assert right.state == "reproduced", "the verifier rejects it, which is right, and the label is a lie"
    hedging.do(CAROL, actions.dispute_case, SUMS, right.id, "7 is wrong")
    hedging.do(MODA, actions.settle_dispute, SUMS, right.id, "relabelled")
    with hedging.reading() as work:
        assert points(work, "bob") == -3
    # A verifier that is wrong under the new label too is needed to second it again: said by its state.
    with hedging.writing(None) as work:
        row = work.session.scalar(select(CounterExampleRow))
        assert row is not None
        row.state = "reproduced"
    hedging.do(ALICE, actions.second_case, SUMS, right.id)
    hedging.do(CAROL, actions.second_case, SUMS, right.id)
    with hedging.reading() as work:
        assert points(work, "carol") == 0


def test_cases_of_a_private_package_earn_nothing_whoever_asks(hedging: ActionDriver) -> None:
    """Else its few people would give one another standing where nobody can look it over."""
    counted(hedging)
    with hedging.writing() as work:
        work.session.get_one(PackageRow, SUMS).is_private = True
    for viewer in (EVERYBODY, Viewer(frozenset({"alice", "bob"})), EVERYTHING):
        with hedging.services.database.reading(sees=viewer) as session:
            assert points(UnitOfWork(session, hedging.services), "bob") == 0, viewer


@pytest.mark.parametrize("role", ["member", "owner"])
@pytest.mark.parametrize("has_accepted", [True, False])
def test_a_moderator_who_is_asked_into_an_organisation_lends_its_suite_no_standing(  # noqa: PLR0917 -- fixtures
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor, role: str, has_accepted: bool
) -> None:
    """Any account had a suite that counts, and 300 held cases a release, by naming a moderator as a member."""
    executor.judge_call = exact
    moda = api.sign_up("moda")
    assert bob.as_person().post("/api/v1/organizations", json={"name": "evil"}).status_code == 201
    asked = bob.as_person().request("PUT", "/api/v1/organizations/evil/members", json={"account": "moda", "role": role})
    assert asked.status_code == 200, asked.text
    if has_accepted:
        assert moda.as_person().post("/api/v1/organizations/evil/invitation", json={"accept": True}).status_code == 200
    wheel = make_package(
        "evil/numbers", manifest=SUITE, package_files={"cases.jsonl": cases(40)}, code='"""No code."""'
    )
    assert bob.publish(wheel).status_code == 201
    assert "origin:suite" not in measured(alice, services)["slices"]


@pytest.mark.parametrize("how", ["leaves", "is removed", "deletes the account"])
def test_who_leaves_an_organisation_is_behind_its_packages_for_half_a_year(
    alice: Api, bob: Api, services: Services, clock: FakeClock, how: str
) -> None:
    """A member left, spoke of the organisation's verifier as a stranger, and came back."""
    assert alice.as_person().post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    alice.as_person().request("PUT", "/api/v1/organizations/lab/members", json={"account": "bob", "role": "member"})
    assert bob.as_person().post("/api/v1/organizations/lab/invitation", json={"accept": True}).status_code == 200
    assert alice.publish(make_package("lab/sums")).status_code == 201
    person = (alice if how == "is removed" else bob).as_person()
    if how == "deletes the account":
        assert person.post("/api/v1/account/deletion", json={"name": "bob"}).status_code == 204
    else:
        assert person.request("DELETE", "/api/v1/organizations/lab/members/bob").status_code == 200

    def behind() -> tuple[set[str], set[str]]:
        with services.database.reading() as session:
            work = UnitOfWork(session, services)
            return owners_of(work, "lab/sums"), catalog.people_behind(work, ["lab/sums"])["lab/sums"]

    clock.advance(179 * 86_400)
    assert behind() == ({"lab", "alice"}, {"lab", "alice", "bob"}), "it may decide nothing, and is no stranger"
    clock.advance(2 * 86_400)
    assert behind()[1] == {"lab", "alice"}
    with services.database.writing() as session:
        accounts.forget_expired(UnitOfWork(session, services))
    with services.database.reading() as session:
        assert session.scalars(select(FormerMemberRow)).all() == []

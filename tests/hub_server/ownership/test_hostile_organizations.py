"""Owners of an organisation and receivers of packages who act at one moment, or against each other. On both databases."""

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import text

from hub_server.accounts import actions as accounts
from hub_server.accounts.models import InvitationRow
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import OrganizationCreate
from tests.fakes.clock import FakeClock
from tests.making import action_driver
from tests.making.hub import PASSWORD, Api, make_package, run_jobs

LAB = "/api/v1/organizations/lab"
SUMS = "/api/v1/packages/lab/sums"
Act = Callable[[], int]


@pytest.fixture
def owners(alice: Api, bob: Api, services: Services) -> tuple[Api, Api]:
    """lab, of alice and bob, with the package lab/sums."""
    alice, bob = alice.as_person(), bob.as_person()
    assert alice.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    alice.request("PUT", f"{LAB}/members", json={"account": "bob", "role": "owner"})
    assert bob.post(f"{LAB}/invitation", json={"accept": True}).status_code == 200
    assert alice.publish(make_package("lab/sums")).status_code == 201
    run_jobs(services)
    return alice, bob


def person(api: Api, name: str) -> Api:
    return api.as_token(None).sign_up(name).as_person()


def again(by: Api, name: str) -> Api:
    answer = by.as_token(None).post("/api/v1/sudo", json={"name": name, "password": PASSWORD})
    return by.as_token(answer.json()["secret"])


def offer(by: Api, to: str) -> Act:
    return lambda: by.post(f"{SUMS}/transfer", json={"to": to}).status_code


def accept(by: Api) -> Act:
    return lambda: by.post(f"{SUMS}/transfer/answer", json={"accept": True}).status_code


def take_back(by: Api) -> Act:
    return lambda: by.request("DELETE", f"{SUMS}/transfer").status_code


def at_once(*acts: Act) -> list[int]:
    """The answers' statuses, each at the place of its act."""
    barrier, statuses = threading.Barrier(len(acts)), [0] * len(acts)

    def run(number: int) -> None:
        barrier.wait(30)
        statuses[number] = acts[number]()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(status < 500 for status in statuses), statuses
    return statuses


def owner_of(reader: Api) -> str:
    return str(reader.get(SUMS).json()["owner"])


def test_two_owners_who_offer_one_package_at_once_have_one_offer_open(owners: tuple[Api, Api]) -> None:
    alice, bob = owners
    carol, dora = person(alice, "carol"), person(alice, "dora")
    statuses = at_once(offer(alice, "carol"), offer(bob, "dora"))
    assert sorted(statuses) == [201, 409]
    won, lost = (carol, dora) if statuses[0] == 201 else (dora, carol)
    assert accept(lost)() == 404
    assert accept(won)() == 200
    assert owner_of(alice) == ("carol" if won is carol else "dora")


def test_an_offer_that_is_accepted_and_taken_back_at_once_has_one_end(owners: tuple[Api, Api]) -> None:
    alice, bob = owners
    carol = person(alice, "carol")
    assert offer(alice, "carol")() == 201
    accepted, taken = at_once(accept(carol), take_back(bob))
    assert (accepted, taken) in {(200, 403), (200, 404), (404, 204)}
    assert owner_of(alice) == ("carol" if accepted == 200 else "lab")


def test_who_loses_the_role_while_the_offer_is_accepted_gave_it_before_or_not_at_all(owners: tuple[Api, Api]) -> None:
    """alice offers the package to a friend, and bob puts her out at the moment at which the friend accepts."""
    alice, bob = owners
    carol = person(alice, "carol")
    assert offer(alice, "carol")() == 201
    accepted, removed = at_once(accept(carol), lambda: bob.request("DELETE", f"{LAB}/members/alice").status_code)
    assert removed == 200
    assert accepted in {200, 404}
    assert owner_of(bob) == ("carol" if accepted == 200 else "lab")


def test_a_package_that_is_accepted_by_an_account_that_is_deleted_at_once_has_an_owner(
    owners: tuple[Api, Api],
) -> None:
    alice, _ = owners
    carol = person(alice, "carol")
    assert offer(alice, "carol")() == 201
    accepted, deleted = at_once(
        accept(carol), lambda: carol.post("/api/v1/account/deletion", json={"name": "carol"}).status_code
    )
    assert (accepted, deleted) in {(200, 409), (404, 204), (401, 204)}
    assert owner_of(alice) == ("carol" if accepted == 200 else "lab")


def test_what_went_away_and_came_back_has_its_rights_anew(
    owners: tuple[Api, Api], clock: FakeClock, services: Services
) -> None:
    """A token that who had it between made for it does nothing afterwards."""
    alice, bob = owners
    carol = person(alice, "carol")
    assert offer(alice, "carol")() == 201
    assert accept(carol)() == 200
    narrow = carol.post("/api/v1/tokens", json={"name": "ci", "package": "lab/sums"}).json()["secret"]
    assert carol.as_token(narrow).publish(make_package("lab/sums", "1.1.0")).status_code == 201
    assert alice.publish(make_package("lab/sums", "1.2.0")).status_code == 403
    clock.advance(25 * 3600)
    carol, alice, bob = again(carol, "carol"), again(alice, "alice"), again(bob, "bob")
    assert offer(carol, "lab")() == 201
    assert accept(bob)() == 200
    assert carol.as_token(narrow).publish(make_package("lab/sums", "1.3.0")).status_code == 403
    assert carol.post(f"{SUMS}/releases/1.1.0/yank", json={"reason": "mine"}).status_code == 403
    assert bob.publish(make_package("lab/sums", "1.3.0")).status_code == 201
    assert offer(alice, "carol")() == 409, "a day between"
    run_jobs(services)


@pytest.mark.parametrize("act", ["founds", "joins"])
def test_an_account_that_was_deleted_meanwhile_owns_no_organisation(
    act: str, owners: tuple[Api, Api], services: Services
) -> None:
    """Its request had found it before the deletion. The organisation then had an owner whom nobody can be."""
    alice, _ = owners
    carol = person(alice, "carol")
    with services.database.reading() as session:
        account_id = session.execute(text("SELECT id FROM accounts WHERE name = 'carol'")).scalar_one()
        lab_id = session.execute(text("SELECT id FROM accounts WHERE name = 'lab'")).scalar_one()
    begun = action_driver.person("carol", account_id=account_id, has_shown_factor=True)
    assert carol.post("/api/v1/account/deletion", json={"name": "carol"}).status_code == 204
    with services.database.writing() as session:
        row = InvitationRow(organization_id=lab_id, account_id=account_id, role="owner", invited_by="alice", created_at=services.clock.now())  # fmt: skip
        session.add(row)
    acts = {
        "founds": lambda work: accounts.create_organization(work, OrganizationCreate(name="orphan")),
        "joins": lambda work: accounts.answer_invitation(work, "lab", accept=True),
    }
    with services.database.writing() as session, pytest.raises(NotAuthenticatedError, match="deleted"):
        acts[act](UnitOfWork(session, services, begun))

"""What an account disputed and seconded goes when it is hidden, and comes back when it is shown again."""

import pytest
from sqlalchemy import select

from hub_server.audits.actions import cases, seconders, standing
from hub_server.audits.actions.dispute_end import end_old_disputes
from hub_server.audits.queries import cases as case_queries
from hub_server.catalog.models import ReleaseRow
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.cases import AuditCase
from tests.fakes.clock import FakeClock
from tests.hub_server.audits.test_hidden_disputers import PACKAGE, WORDS, hide, moda, show_again, sock, submit
from tests.making.hub import PASSWORD, Api, make_package, run_jobs

assert moda is not None, "the fixture, for this file too"
assert sock is not None, "the fixture, for this file too"


@pytest.fixture
def all_have_standing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (seconders, standing):
        monkeypatch.setattr(module, "points", lambda *_: 99)


def again(by: Api, name: str) -> Api:
    """The same person on another day."""
    answer = by.as_token(None).post("/api/v1/sudo", json={"name": name, "password": PASSWORD})
    return by.as_token(answer.json()["secret"])


def is_measured_anew(services: Services) -> bool:
    with services.database.reading() as session:
        return session.scalars(select(ReleaseRow.audit_state)).all() == ["queued"]


def test_a_dispute_that_hiding_ended_comes_back_with_its_account(
    sock: Api, bob: Api, moda: Api, services: Services, clock: FakeClock
) -> None:
    """Who was suspended by mistake had lost the dispute, and could not dispute that label again."""
    path = submit(bob)
    sock.post(f"{path}/dispute", json={"reason": WORDS})
    hide(moda, "sock")
    clock.advance(20 * 86400)
    show_again(again(moda, "moda"), "sock")
    shown = bob.get(path).json()
    assert (shown["state"], shown["disputed_by"], shown["dispute_reason"]) == ("disputed", "sock", WORDS)
    with services.database.writing() as session:
        end_old_disputes(UnitOfWork(session, services))
    assert bob.get(path).json()["state"] == "disputed", "its time begins anew"
    assert sock.post(f"{path}/dispute", json={"reason": "again"}).status_code == 409


@pytest.mark.usefixtures("all_have_standing")
def test_a_dispute_of_two_comes_back_with_each(sock: Api, bob: Api, moda: Api, api: Api) -> None:
    path = submit(bob)
    sock.post(f"{path}/dispute", json={"reason": WORDS})
    hide(moda, "sock")
    carol = api.sign_up("carol")
    assert carol.post(f"{path}/dispute", json={"reason": "the answer is 2"}).json()["state"] == "disputed"
    hide(moda, "carol")
    assert bob.get(path).json()["state"] == "reproduced"
    show_again(moda, "carol")
    assert bob.get(path).json()["state"] == "disputed"
    show_again(moda, "sock")
    assert api.sign_up("dora").post(f"{path}/second").json()["state"] == "disputed", "two against one"


def test_a_dispute_that_others_settled_meanwhile_does_not_come_back(sock: Api, bob: Api, moda: Api, api: Api) -> None:
    path = submit(bob)
    sock.post(f"{path}/dispute", json={"reason": WORDS})
    hide(moda, "sock")
    api.sign_up("carol").post(f"{path}/dispute", json={"reason": "the answer is 2"})
    assert moda.post(f"{path}/settle", json={"ruling": "upheld"}).status_code == 200
    show_again(moda, "sock")
    assert bob.get(path).json()["state"] == "reproduced"


@pytest.mark.usefixtures("all_have_standing")
def test_a_case_that_counts_by_a_hidden_accounts_second_counts_no_more_until_it_is_back(
    sock: Api, bob: Api, moda: Api, services: Services, clock: FakeClock
) -> None:
    """Two of standing let it count. With one of them hidden it went on counting, for ever."""
    path = submit(bob)
    bob.as_token(None).sign_up("dora").post(f"{path}/second")
    assert sock.post(f"{path}/second").json()["counted_by"] == "standing"
    clock.advance(5)
    run_jobs(services)
    hide(moda, "sock")
    shown = bob.get(path).json()
    assert (shown["counted_by"], shown["state"]) == ("", "reproduced")
    assert is_measured_anew(services), "without it"
    clock.advance(5)
    run_jobs(services)
    assert not is_measured_anew(services)
    show_again(moda, "sock")
    assert bob.get(path).json()["counted_by"] == "standing"
    assert is_measured_anew(services)


@pytest.mark.usefixtures("all_have_standing")
def test_a_case_that_has_enough_others_goes_on_counting(sock: Api, bob: Api, moda: Api, api: Api) -> None:
    path = submit(bob)
    for by in (sock, api.sign_up("dora"), api.sign_up("emil")):
        by.post(f"{path}/second")
    hide(moda, "sock")
    assert bob.get(path).json()["counted_by"] == "standing"


@pytest.mark.usefixtures("all_have_standing")
def test_who_lost_standing_before_it_was_hidden_is_taken_out_too(
    sock: Api, bob: Api, moda: Api, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = submit(bob)
    sock.post(f"{path}/second")
    api.sign_up("dora").post(f"{path}/second")
    for module in (seconders, standing):
        monkeypatch.setattr(module, "points", lambda _, name: 0 if name == "sock" else 99)
    hide(moda, "sock")
    assert bob.get(path).json()["counted_by"] == ""


@pytest.mark.usefixtures("all_have_standing")
def test_the_owners_word_is_left_where_a_hidden_accounts_was_taken_out(
    sock: Api, alice: Api, bob: Api, moda: Api, api: Api
) -> None:
    path = submit(bob)
    for by in (alice, sock, api.sign_up("dora")):
        by.post(f"{path}/second")
    assert bob.get(path).json()["counted_by"] == "standing"
    hide(moda, "sock")
    assert bob.get(path).json()["counted_by"] == "owner"


def test_a_moderators_case_that_a_hidden_account_seconded_goes_on_counting(sock: Api, bob: Api, moda: Api) -> None:
    path = submit(bob)
    moda.post(f"{path}/second")
    sock.post(f"{path}/second")
    hide(moda, "sock")
    assert bob.get(path).json()["counted_by"] == "moderator"


@pytest.mark.usefixtures("all_have_standing")
@pytest.mark.parametrize("act", ["take_down", "quarantine", "hide_owner", "yank"])
def test_an_account_can_be_hidden_whatever_became_of_the_packages_that_its_cases_count_against(
    act: str, sock: Api, alice: Api, bob: Api, moda: Api, api: Api
) -> None:
    path = submit(sock)
    for by in (bob, api.sign_up("dora")):
        assert by.post(f"{path}/second").status_code == 200
    assert bob.get(path).json()["counted_by"] == "standing"
    release = f"{PACKAGE}/releases/1.0.0"
    if act == "take_down":
        gone = moda.post(f"{PACKAGE}/takedown", json={"reason": "leaked data"})
    elif act == "quarantine":
        gone = moda.post(f"{release}/quarantine", json={"reason": "bad"})
    elif act == "yank":
        gone = alice.post(f"{release}/yank", json={"reason": "bad"})
    else:
        gone = moda.post("/api/v1/accounts/alice/suspend", json={"reason": "spam", "hide_content": True})
    assert gone.status_code < 300, gone.text
    hide(moda, "sock")
    hide(moda, "bob")
    show_again(moda, "bob")
    show_again(moda, "sock")


def test_who_decides_about_a_case_is_not_told_what_hidden_accounts_said(
    sock: Api, bob: Api, moda: Api, api: Api
) -> None:
    """The answers to a second, a dispute and a ruling held the whole history."""
    path = submit(bob)
    sock.post(f"{path}/second")
    sock.post(f"{path}/dispute", json={"reason": WORDS})
    carol = api.sign_up("carol")
    carol.post(f"{path}/dispute", json={"reason": "the answer is 2"})
    hide(moda, "sock")
    for answer in (
        api.sign_up("dora").post(f"{path}/second"),
        api.sign_up("emil").post(f"{path}/dispute", json={"reason": "no"}),
        bob.post(f"{path}/settle", json={"ruling": "withdrawn"}),
    ):
        assert answer.status_code == 200, answer.text
        assert WORDS not in answer.text
        assert "sock" not in answer.text
    assert WORDS in moda.get(path).text


@pytest.mark.usefixtures("all_have_standing")
@pytest.mark.parametrize("of", ["account", "case"])
def test_who_seconded_a_hidden_case_may_second_the_opposite_and_supports_that_alone(
    of: str, sock: Api, bob: Api, moda: Api, api: Api, services: Services
) -> None:
    """The refusal named a case that nobody can see."""
    hidden, carol, dora = submit(sock), api.sign_up("carol"), api.sign_up("dora")
    for by in (carol, dora):
        by.post(f"{hidden}/second")
    opposite = opposite_of(services, hidden, "bob")
    assert carol.post(f"{opposite}/second").status_code == 409
    if of == "account":
        hide(moda, "sock")
    else:
        moda.post(f"{hidden}/hide", json={"reason": "abuse"})
    assert carol.post(f"{opposite}/second").json()["seconded_by"] == ["carol"]
    if of == "account":
        show_again(moda, "sock")
    else:
        moda.post(f"{hidden}/show", json={"reason": "a mistake"})
    shown = bob.get(hidden).json()
    assert (shown["seconded_by"], shown["counted_by"]) == (["dora"], "")
    for number in range(1, 3):
        moda.as_token(None).sign_up(f"fay{number}").post(f"{hidden}/dispute", json={"reason": "no"})
    assert bob.get(hidden).json()["state"] == "disputed", "two against dora, and carol has taken hers back"
    api.sign_up("gus").post(f"{hidden}/dispute", json={"reason": "no"})
    assert bob.get(hidden).json()["state"] == "refuted"


def opposite_of(services: Services, path: str, by: str) -> str:
    """A case of ``by`` that says the opposite of the same response; the fake executor reproduces one of them alone."""
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        row = case_queries.find_case(session, "alice/small-sums", path.rpartition("/")[2])
        assert row is not None
        case = AuditCase.read({**row.case, "label": "incorrect"})
        other = cases.new_row(work, case, "incorrect", by, package=row.package_id, version="1.0.0")
        other.state, other.case_key = "reproduced", "of the other"
        cases.add_row(work, other)
        return f"{PACKAGE}/cases/{other.id}"


@pytest.mark.usefixtures("all_have_standing")
def test_a_suspension_is_lifted_though_the_release_that_its_cases_speak_of_was_deleted(
    sock: Api, alice: Api, bob: Api, moda: Api
) -> None:
    """A hidden account's case keeps no release from being deleted."""
    path = submit(sock)
    for by in (bob, bob.as_token(None).sign_up("dora")):
        by.post(f"{path}/second")
    assert alice.publish(make_package(version="1.1.0")).status_code == 201
    hide(moda, "sock")
    gone = again(alice, "alice").request("DELETE", f"{PACKAGE}/releases/1.0.0")
    assert gone.status_code in {200, 204}, gone.text
    show_again(moda, "sock")
    assert bob.get(path).status_code == 200
    assert sock.post(f"{path}/settle", json={"ruling": "withdrawn"}).status_code == 403, "it counts by others"
    assert moda.post(f"{path}/hide", json={"reason": "abuse"}).status_code == 200

"""What a hidden account disputed or submitted stands in nobody's way, and its words about others' cases are not shown."""

import pytest

from hub_server.audits.actions import cases, seconders, standing
from hub_server.audits.actions.case_rows import DISPUTE_LASTS
from hub_server.audits.actions.dispute_end import end_old_disputes
from hub_server.audits.errors import CaseNotSecondableError
from hub_server.audits.queries import cases as case_queries
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.cases import AuditCase
from tests.fakes.clock import FakeClock
from tests.hub_server.audits.test_hidden_labellers import hide, moda
from tests.hub_server.audits.test_labelling import PACKAGE
from tests.making.hub import Api, make_package, run_jobs

assert moda is not None  # the fixture, for this file too
WORDS = "a text of abuse"


def case(label: str = "correct") -> dict[str, object]:
    return {"id": "x", "task": {"id": "t", "prompt": "1+1", "answer": 2}, "response": "3", "label": label}


def submit(by: Api, label: str = "correct") -> str:
    answer = by.post(f"{PACKAGE}/releases/1.0.0/cases", json=case(label))
    assert answer.status_code == 201, answer.text
    return f"{PACKAGE}/cases/{answer.json()['id']}"


@pytest.fixture
def sock(api: Api, alice: Api, services: Services) -> Api:
    assert alice.publish(make_package()).status_code == 201
    run_jobs(services)
    return api.sign_up("sock")


def show_again(moda: Api, name: str) -> None:
    assert moda.post(f"/api/v1/accounts/{name}/unsuspend", json={"reason": "a mistake"}).status_code == 204


def test_a_dispute_of_hidden_accounts_alone_is_over(
    sock: Api, bob: Api, moda: Api, services: Services, clock: FakeClock
) -> None:
    """It stayed open, and when its time was over the honest case that nobody had seconded yet was gone."""
    path = submit(bob)
    assert sock.post(f"{path}/dispute", json={"reason": WORDS}).json()["state"] == "disputed"
    hide(moda, "sock")
    assert bob.get(path).json()["state"] == "reproduced"
    clock.advance(DISPUTE_LASTS.total_seconds() + 60)
    with services.database.writing() as session:
        end_old_disputes(UnitOfWork(session, services))
    assert bob.get(path).json()["state"] == "reproduced"


def test_a_dispute_that_somebody_else_shares_goes_on(sock: Api, bob: Api, moda: Api, api: Api) -> None:
    path = submit(bob)
    sock.post(f"{path}/dispute", json={"reason": WORDS})
    api.sign_up("carol").post(f"{path}/dispute", json={"reason": "the answer is 2"})
    hide(moda, "sock")
    assert bob.get(path).json()["state"] == "disputed"


def test_why_a_hidden_account_disputed_is_not_shown(sock: Api, bob: Api, moda: Api, api: Api) -> None:
    """Its text stood on somebody else's case for ever."""
    path = submit(bob)
    sock.post(f"{path}/dispute", json={"reason": WORDS})
    api.sign_up("carol").post(f"{path}/dispute", json={"reason": "the answer is 2"})
    assert WORDS in bob.get(path).text
    hide(moda, "sock")
    for address in (path, f"{PACKAGE}/cases", "/packages/alice/small-sums/releases/1.0.0/cases"):
        shown = bob.get(address)
        assert shown.status_code == 200, address
        assert WORDS not in shown.text, address
    assert WORDS in moda.get(path).text, "whoever decides about it sees it"
    show_again(moda, "sock")
    assert WORDS in bob.get(path).text


def test_a_hidden_accounts_voice_ends_no_dispute(
    sock: Api, bob: Api, moda: Api, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one more of standing it took an honest case away."""
    monkeypatch.setattr(standing, "points", lambda *_: 99)
    path = submit(bob)
    sock.post(f"{path}/dispute", json={"reason": WORDS})
    hide(moda, "sock")
    carol = api.sign_up("carol").post(f"{path}/dispute", json={"reason": "the answer is 2"})
    assert carol.json()["state"] == "disputed"
    assert api.sign_up("dora").post(f"{path}/dispute", json={"reason": "so it is"}).json()["state"] == "refuted"


def test_who_seconded_is_told_of_those_who_are_shown(sock: Api, bob: Api, moda: Api) -> None:
    path = submit(bob)
    sock.post(f"{path}/second")
    hide(moda, "sock")
    assert bob.get(path).json()["seconded_by"] == []
    show_again(moda, "sock")
    assert bob.get(path).json()["seconded_by"] == ["sock"]


def test_a_hidden_accounts_case_keeps_nobody_from_sending_the_same(sock: Api, bob: Api, moda: Api) -> None:
    """The refusal named a case that its sender could not see, and there was no way to say it again."""
    submit(sock)
    hide(moda, "sock")
    path = submit(bob)
    show_again(moda, "sock")
    shown = [one["submitted_by"] for one in bob.get(f"{PACKAGE}/cases").json()["items"] if one["state"] != "refuted"]
    assert (shown, bob.get(path).status_code) == (["bob"], 200), "one response is one case, also when it is back"


def test_a_hidden_accounts_case_does_not_keep_the_opposite_from_counting(
    sock: Api, moda: Api, services: Services
) -> None:
    """The refusal told to dispute a case that nobody could see."""
    sent = submit(sock).rpartition("/")[2]
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        row = case_queries.find_case(session, "alice/small-sums", sent)
        assert row is not None
        row.counted_by = "standing"
        other = cases.new_row(
            work, AuditCase.read(row.case), "incorrect", "bob", package=row.package_id, version="1.0.0"
        )
        other.content_key, other.state = row.content_key, "reproduced"
        other.case_key = "of the other"
        cases.add_row(work, other)
        with pytest.raises(CaseNotSecondableError):
            seconders.let_count(work, other, "standing")
        other_id = other.id
    hide(moda, "sock")
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        other = case_queries.find_case(session, "alice/small-sums", other_id)
        assert other is not None
        seconders.let_count(work, other, "standing")
        hidden = case_queries.find_case(session, "alice/small-sums", sent)
        assert hidden is not None
        assert (other.counted_by, hidden.counted_by) == ("standing", ""), "nor do both count when it is back"

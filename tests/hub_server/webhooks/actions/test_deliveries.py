"""From what happened to a message that arrived, or did not: on both databases, with a receiver that says what it likes."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from hub_server.database import job_queue
from hub_server.kernel.job import RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.webhooks.jobs import KINDS
from hub_server.webhooks.rules.limits import KEPT
from hub_server.webhooks.rules.retries import DISABLED_AFTER
from hub_server.worker import Worker
from tests.fakes.outgoing_http import FakeOutgoing
from tests.making.hub import PASSWORD, Api, make_package, run_jobs

HOOKS = "/api/v1/webhooks"
RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"


@pytest.fixture
def outgoing() -> FakeOutgoing:
    return FakeOutgoing()


@pytest.fixture
def services(services, outgoing):
    return replace(services, outgoing=outgoing)


@pytest.fixture
def person(alice: Api) -> Api:
    return alice.as_person()


def hook(person: Api, **changes: object) -> str:
    body = {"owner": "alice", "url": "https://hooks.example/x", **changes}
    return str(person.post(HOOKS, json=body).json()["webhook"]["id"])


def log(person: Api, webhook: str) -> list[dict]:
    return person.get(f"{HOOKS}/{webhook}/deliveries").json()["items"]


def types(outgoing: FakeOutgoing) -> list[str]:
    return [json.loads(sent.body)["type"] for sent in outgoing.sent]


def test_what_happens_is_sent_and_logged(person: Api, services, outgoing) -> None:
    webhook = hook(person)
    person.publish(make_package())
    run_jobs(services)
    person.post(f"{RELEASE}/yank", json={"reason": "wrong"})
    run_jobs(services)
    assert types(outgoing) == ["release.published", "audit.finished", "release.yanked"]
    sent = outgoing.sent[0]
    entry = log(person, webhook)[-1]
    assert (sent.url, sent.headers["webhook-id"]) == ("https://hooks.example/x", entry["id"])
    assert (entry["state"], entry["status"], entry["attempts"]) == ("delivered", 204, 1)
    assert entry["subject"] == "alice/small-sums@1.0.0"
    assert "wrong" not in str(outgoing.sent), "no words of a person"


def test_only_what_is_listened_to_is_sent(person: Api, bob: Api, services, outgoing) -> None:
    hook(person, package="alice/other")
    hook(person, events=["release.yanked"])
    hook(bob.as_person(), owner="bob")
    person.publish(make_package())
    run_jobs(services)
    assert outgoing.sent == []
    person.post(f"{RELEASE}/yank", json={"reason": "x"})
    run_jobs(services)
    assert types(outgoing) == ["release.yanked"]


def test_what_is_private_is_sent_to_its_owner_and_to_nobody_else(person: Api, bob: Api, services, outgoing) -> None:
    hook(person, url="https://alice.example/")
    hook(bob.as_person(), owner="bob", url="https://bob.example/")
    assert person.post("/api/v1/packages?visibility=private", content=make_package()).status_code == 201
    run_jobs(services)
    assert {sent.url for sent in outgoing.sent} == {"https://alice.example/"}
    assert "position" not in json.loads(outgoing.sent[0].body)["data"]


def test_a_message_that_fails_is_tried_again_later_and_later_with_the_same_id_and_body(
    person: Api, services, outgoing, clock
) -> None:
    webhook = hook(person)
    outgoing.status = 500
    assert person.post(f"{HOOKS}/{webhook}/test").status_code == 202
    for seconds in (0, 5, 60, 600, 3600, 6 * 3600, 24 * 3600):
        clock.advance(seconds - 1)
        run_jobs(services)
        clock.advance(2)
        run_jobs(services)
    (entry,) = log(fresh(person), webhook)
    assert (entry["state"], entry["attempts"], entry["next_try_at"], entry["status"]) == ("failed", 7, None, 500)
    assert len(outgoing.sent) == 7
    assert len({(sent.headers["webhook-id"], sent.body) for sent in outgoing.sent}) == 1
    assert len({sent.headers["webhook-timestamp"] for sent in outgoing.sent}) == 7, "a replay is noticed by its time"


def fresh(person: Api) -> Api:
    """The password typed again: a proof lasts for minutes."""
    answer = person.post(
        "/api/v1/login", json={"name": "alice", "password": "correct horse battery staple", "token_name": "t"}
    )
    return person.as_token(answer.json()["secret"]).as_person()


def test_after_days_without_success_it_is_switched_off_and_can_be_switched_on(
    person: Api, services, outgoing, clock
) -> None:
    webhook = hook(person)
    outgoing.status = None
    person.post(f"{HOOKS}/{webhook}/test")
    run_jobs(services)
    clock.advance(DISABLED_AFTER.total_seconds())
    run_jobs(services)
    person = fresh(person)
    found = person.get(f"{HOOKS}/{webhook}").json()
    assert found["disabled_reason"] == "Nothing arrived for 5 days."
    (entry,) = log(person, webhook)
    assert (entry["state"], entry["status"]) == ("failed", None)
    assert "No answer came" in entry["note"]
    count = len(outgoing.sent)
    person.publish(make_package())
    assert person.post(f"{HOOKS}/{webhook}/test").json()["code"] == "webhook_refused"
    run_jobs(services)
    assert len(outgoing.sent) == count
    outgoing.status = 200
    assert person.post(f"{HOOKS}/{webhook}/enable").json()["failing_since"] is None
    assert person.post(f"{HOOKS}/{webhook}/deliveries/{entry['id']}/again").status_code == 202
    run_jobs(services)
    assert log(person, webhook)[0]["state"] == "delivered"


def test_a_receiver_that_is_gone_is_left_at_once(person: Api, services, outgoing) -> None:
    webhook = hook(person)
    outgoing.status = 410
    for _ in range(3):
        person.post(f"{HOOKS}/{webhook}/test")
    run_jobs(services)
    assert len(outgoing.sent) == 1
    assert "410" in person.get(f"{HOOKS}/{webhook}").json()["disabled_reason"]
    assert {entry["state"] for entry in log(person, webhook)} == {"failed"}


def test_a_message_can_be_sent_again_but_not_while_it_is_tried(person: Api, services, outgoing) -> None:
    webhook = hook(person)
    waiting = person.post(f"{HOOKS}/{webhook}/test").json()["id"]
    assert person.post(f"{HOOKS}/{webhook}/deliveries/{waiting}/again").json()["code"] == "webhook_refused"
    run_jobs(services)
    assert person.post(f"{HOOKS}/{webhook}/deliveries/{waiting}/again").status_code == 202
    run_jobs(services)
    assert [sent.headers["webhook-id"] for sent in outgoing.sent] == [waiting] * 2
    other = hook(person)
    assert person.post(f"{HOOKS}/{other}/deliveries/{waiting}/again").status_code == 404


def test_for_a_day_both_secrets_sign(person: Api, services, outgoing, clock) -> None:
    webhook = hook(person)
    person.post(f"{HOOKS}/{webhook}/secret")
    person.post(f"{HOOKS}/{webhook}/test")
    run_jobs(services)
    clock.advance(timedelta(hours=25).total_seconds())
    fresh(person).post(f"{HOOKS}/{webhook}/test")
    run_jobs(services)
    assert [len(sent.headers["webhook-signature"].split()) for sent in outgoing.sent] == [2, 1]


def test_nothing_is_sent_for_a_suspended_owner(person: Api, services, outgoing) -> None:
    webhook = hook(person)
    person.post(f"{HOOKS}/{webhook}/test")
    with services.database.writing() as session:
        session.execute(text("UPDATE accounts SET suspended_reason = 'spam' WHERE name = 'alice'"))
    run_jobs(services)
    assert outgoing.sent == []
    with services.database.reading() as session:
        assert session.execute(text("SELECT state FROM webhook_deliveries")).scalar() == "failed"


def test_a_webhook_that_falls_far_behind_is_switched_off(person: Api, services, outgoing, monkeypatch) -> None:
    monkeypatch.setattr("hub_server.webhooks.actions.deliveries.MOST_WAITING", 3)
    webhook = hook(person)
    for version in range(6):
        person.publish(make_package(version=f"1.0.{version}"))
    Worker(services)._follow_events()
    assert "3 messages wait" in person.get(f"{HOOKS}/{webhook}").json()["disabled_reason"]
    assert [entry["state"] for entry in log(person, webhook)] == ["failed"] * 3


def test_a_worker_that_dies_after_sending_sends_again_with_the_same_id(person: Api, services, outgoing, clock) -> None:
    """The scheme's promise: at least once, and the receiver tells twins by their id."""
    webhook = hook(person)
    person.post(f"{HOOKS}/{webhook}/test")
    dying = replace(services, outgoing=_Dying(outgoing))
    with services.database.writing() as session:
        lease = job_queue.claim_job(session, list(KINDS), "gone:1:x", clock.now(), lease_seconds=0)
    assert lease is not None
    with pytest.raises(SystemExit):
        KINDS[JobName.DELIVER_WEBHOOK].run(RunningJob(lease, dying))
    run_jobs(services)
    assert len({sent.headers["webhook-id"] for sent in outgoing.sent}) == 1
    assert len(outgoing.sent) == 2


class _Dying:
    def __init__(self, inner: FakeOutgoing) -> None:
        self.inner = inner

    def post(self, url, headers, body):
        self.inner.post(url, headers, body)
        raise SystemExit


def test_the_log_forgets_after_a_month(person: Api, services, clock) -> None:
    webhook = hook(person)
    person.post(f"{HOOKS}/{webhook}/test")
    run_jobs(services)
    clock.advance(KEPT.total_seconds() + 1)
    Worker(services).delete_expired_if_due()
    assert log(fresh(person), webhook) == []


def test_a_follower_that_fails_holds_up_no_job_and_sees_the_same_again(person: Api, services, outgoing) -> None:
    seen: list[int] = []

    def broken(_work, rows) -> None:
        seen.append(len(rows))
        raise RuntimeError

    person.publish(make_package())
    worker = Worker(services, followers={"broken": broken})
    assert worker.run_one(), "the audit"
    worker.run_one()
    assert len(seen) == 2
    assert seen[0] <= seen[1]


def test_the_log_is_read_in_pages(person: Api, services) -> None:
    webhook = hook(person)
    for _ in range(5):
        person.post(f"{HOOKS}/{webhook}/test")
    first = person.get(f"{HOOKS}/{webhook}/deliveries?limit=3").json()
    second = person.get(f"{HOOKS}/{webhook}/deliveries?limit=3&cursor={first['next']}").json()
    assert (len(first["items"]), len(second["items"]), second["next"]) == (3, 2, None)


@pytest.fixture
def hooked(person: Api, bob: Api) -> str:
    """The webhook that bob, a maintainer, has added for alice's organisation."""
    assert person.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    assert role(person, "maintainer").status_code == 200
    member = bob.as_person()
    assert member.post("/api/v1/organizations/lab/invitation", json={"accept": True}).status_code == 200
    return hook(member, owner="lab")


def role(person: Api, name: str):
    return person.request("PUT", "/api/v1/organizations/lab/members", json={"account": "bob", "role": name})


def leaves(person: Api, _: Api) -> None:
    assert person.request("DELETE", "/api/v1/organizations/lab/members/bob").status_code == 200


def reads_only(person: Api, _: Api) -> None:
    assert role(person, "member").status_code == 200


def is_suspended(_: Api, moda: Api) -> None:
    assert moda.post("/api/v1/accounts/bob/suspend", json={"reason": "x"}).status_code == 204


@pytest.mark.parametrize("loses", [leaves, reads_only, is_suspended])
def test_what_is_private_goes_to_no_address_of_somebody_who_has_left(
    api: Api, person: Api, hooked: str, services, outgoing, loses
) -> None:
    outgoing.status = None
    assert person.post("/api/v1/packages?visibility=private", content=make_package("lab/hush")).status_code == 201
    run_jobs(services)
    assert types(outgoing)[0] == "release.published", "it is tried again later"
    outgoing.sent.clear()
    outgoing.status = 204
    loses(person, api.sign_up("moda").as_person())
    services.clock.advance(3600)
    run_jobs(services)
    assert outgoing.sent == [], "nor what waited"
    person = api.as_token(api.post("/api/v1/sudo", json={"name": "alice", "password": PASSWORD}).json()["secret"])
    yanked = person.post("/api/v1/packages/lab/hush/releases/1.0.0/yank", json={"reason": "x"})
    assert yanked.status_code == 200, yanked.text
    run_jobs(services)
    assert outgoing.sent == []
    assert "bob, who answers for it" in person.get(f"{HOOKS}/{hooked}").json()["disabled_reason"]
    assert person.post(f"{HOOKS}/{hooked}/enable").json()["created_by"] == "alice"
    person.post("/api/v1/packages/lab/hush/releases/1.0.0/unyank")
    run_jobs(services)
    assert types(outgoing) == ["release.restored"]


def test_the_new_owner_of_a_package_is_told_and_the_former_one_no_more(
    person: Api, bob: Api, services, outgoing
) -> None:
    receiver = bob.as_person()
    person.post("/api/v1/packages?visibility=private", content=make_package("alice/hush"))
    run_jobs(services)
    hook(person, url="https://hooks.example/alice")
    hook(person, package="alice/hush", url="https://hooks.example/one")
    hook(receiver, owner="bob", url="https://hooks.example/bob")
    assert person.post("/api/v1/packages/alice/hush/transfer", json={"to": "bob"}).status_code == 201
    run_jobs(services)
    assert receiver.post("/api/v1/packages/alice/hush/transfer/answer", json={"accept": True}).status_code == 200
    run_jobs(services)
    receiver.post("/api/v1/packages/alice/hush/releases/1.0.0/yank", json={"reason": "x"})
    run_jobs(services)
    assert {sent.url for sent in outgoing.sent} == {"https://hooks.example/bob"}

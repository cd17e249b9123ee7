"""From what happened to one mail about it: whom, when, about what, and never more than that. On both databases."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from tests.fakes.mailer import FakeMailer
from tests.making.hub import Api, make_package, run_jobs

WATCHES = "/api/v1/account/watches"
SUMS = f"{WATCHES}/alice/small-sums"
RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"


@pytest.fixture
def mailer() -> FakeMailer:
    return FakeMailer()


@pytest.fixture
def services(services, mailer):
    settings = services.settings.model_copy(update={"public_url": "https://hub.example"})
    return replace(services, mailer=mailer, settings=settings)


def confirm(services, *names: str) -> None:
    with services.database.writing() as session:
        for name in names:
            statement = "UPDATE accounts SET email_confirmed_at = created_at WHERE name = :name"
            session.execute(text(statement), {"name": name})


def put(api: Api, path: str, **more: object) -> int:
    return api.request("PUT", path, **more).status_code


def mails(services, mailer: FakeMailer, wait: float = 61) -> list:
    """What is mailed when all that waits has had its time."""
    before = len(mailer.sent)
    run_jobs(services)
    services.clock.advance(wait)
    run_jobs(services)
    return [mail for mail in mailer.sent[before:] if mail.unsubscribe_url]


@pytest.fixture
def watched(alice: Api, bob: Api, services) -> Api:
    """A package of alice's that bob watches."""
    alice.publish(make_package())
    run_jobs(services)
    confirm(services, "bob")
    assert put(bob, SUMS) == 204
    return bob


def test_news_are_gathered_into_one_mail(watched: Api, alice: Api, services, mailer) -> None:
    alice.publish(make_package(version="1.1.0"))
    alice.post(f"{RELEASE}/yank", json={"reason": "secret words"})
    (mail,) = mails(services, mailer)
    assert (mail.to, mail.subject) == ("bob@example.org", "News of alice/small-sums")
    assert "alice/small-sums 1.1.0 was published" in mail.text
    assert "alice/small-sums 1.0.0 was yanked" in mail.text
    assert "https://hub.example/packages/alice/small-sums" in mail.text
    assert "secret words" not in mail.text, "no words of a stranger in a mail of ours"
    assert mail.unsubscribe_url.startswith("https://hub.example/unsubscribe/")
    assert mails(services, mailer) == [], "nothing is mailed twice"


def test_at_most_one_mail_an_hour_or_a_day_however_much_happens(
    watched: Api, alice: Api, services, mailer, clock
) -> None:
    """A mail bomb: yanked and un-yanked again and again."""
    alice.publish(make_package(version="1.1.0"))
    assert len(mails(services, mailer)) == 1
    for _ in range(6):
        alice.post(f"{RELEASE}/yank", json={"reason": "x"})
        alice.post(f"{RELEASE}/unyank")
        assert mails(services, mailer) == []
    (mail,) = mails(services, mailer, wait=3600)
    assert mail.text.count("was yanked") == 6
    assert put(watched, WATCHES, json={"pace": "day"}) == 204
    alice.publish(make_package(version="1.2.0"))
    assert len(mails(services, mailer, wait=3700)) == 1
    alice.publish(make_package(version="1.3.0"))
    assert mails(services, mailer, wait=20 * 3600) == []
    assert len(mails(services, mailer, wait=5 * 3600)) == 1


def test_an_address_that_nobody_confirmed_is_mailed_nothing(alice: Api, bob: Api, services, mailer) -> None:
    """Whoever signs up with a stranger's address fills no mailbox."""
    alice.publish(make_package())
    put(bob, SUMS)
    assert bob.get(WATCHES).json()["is_mailed"] is False
    alice.publish(make_package(version="1.1.0"))
    assert mails(services, mailer) == []
    confirm(services, "bob")
    alice.publish(make_package(version="1.2.0"))
    (mail,) = mails(services, mailer)
    assert "1.1.0" not in mail.text


def test_a_suspended_account_is_mailed_nothing(watched: Api, alice: Api, services, mailer) -> None:
    with services.database.writing() as session:
        session.execute(text("UPDATE accounts SET suspended_reason = 'x' WHERE name = 'bob'"))
    alice.publish(make_package(version="1.1.0"))
    assert mails(services, mailer) == []


def test_what_is_private_is_mailed_to_who_sees_it_when_the_mail_is_written(
    api: Api, alice: Api, bob: Api, services, mailer
) -> None:
    person = alice.as_person()
    person.post("/api/v1/organizations", json={"name": "acme"})
    person.request("PUT", "/api/v1/organizations/acme/members", json={"account": "bob", "role": "member"})
    bob.as_person().post("/api/v1/organizations/acme/invitation", json={"accept": True})
    mallory = api.sign_up("mallory")
    confirm(services, "bob", "mallory", "alice")
    for who in (alice, bob, mallory):
        assert put(who, f"{WATCHES}/acme") == 204
    private = "/api/v1/packages?visibility=private"
    assert alice.post(private, content=make_package("acme/secret")).status_code == 201
    assert {mail.to for mail in mails(services, mailer)} == {"alice@example.org", "bob@example.org"}
    assert put(mallory, f"{WATCHES}/acme/secret") == 404, "as if it were not there"
    alice.post(private, content=make_package("acme/secret", "1.1.0"))
    person.request("DELETE", "/api/v1/organizations/acme/members/bob")
    found = mails(services, mailer, wait=3700)
    assert {mail.to for mail in found} == {"alice@example.org"}, "bob has left before the mail was written"


def test_a_mail_that_fails_is_sent_later_and_news_meanwhile_come_too(
    watched: Api, alice: Api, services, mailer, clock
) -> None:
    alice.publish(make_package(version="1.1.0"))
    mailer.refusals = 1
    assert mails(services, mailer) == []
    clock.advance(600)
    run_jobs(services)
    assert "1.1.0" in mailer.sent[-1].text
    assert len(mailer.sent) == 1


def test_the_link_in_a_mail_ends_them_without_a_login_by_a_post_alone(
    watched: Api, api: Api, alice: Api, services, mailer
) -> None:
    alice.publish(make_package(version="1.1.0"))
    (mail,) = mails(services, mailer)
    path = mail.unsubscribe_url.removeprefix("https://hub.example")
    page = api.get(path)
    assert (page.status_code, "bob" in page.text) == (200, False), "it says nothing of whose it is"
    assert watched.get(WATCHES).json()["pace"] == "hour", "programs that read mail open links too"
    one_click = {"Content-Type": "application/x-www-form-urlencoded"}
    assert api.post(path, content="List-Unsubscribe=One-Click", headers=one_click).status_code == 200
    assert api.post(path).status_code == 200
    assert watched.get(WATCHES).json()["pace"] == "never"
    assert [item["package"] for item in watched.get(WATCHES).json()["items"]] == ["alice/small-sums"]
    alice.publish(make_package(version="1.2.0"))
    assert mails(services, mailer, wait=3700) == []
    for forged in (path[:-1], path + "x", "/unsubscribe/" + "a" * 43, "/unsubscribe/%00"):
        assert (api.get(forged).status_code, api.post(forged).status_code) == (404, 404)


def test_one_is_told_of_an_owner_and_of_a_package_once(watched: Api, alice: Api, services, mailer) -> None:
    assert put(watched, f"{WATCHES}/alice") == 204
    assert put(watched, SUMS) == 204
    alice.publish(make_package(version="1.1.0"))
    alice.publish(make_package("alice/other"))
    (mail,) = mails(services, mailer)
    assert (mail.subject, mail.text.count("1.1.0")) == ("News of 2 packages", 1)
    assert watched.request("DELETE", f"{WATCHES}/alice").status_code == 204
    assert watched.request("DELETE", SUMS).status_code == 204
    assert watched.get(WATCHES).json()["items"] == []
    alice.publish(make_package(version="1.3.0"))
    assert mails(services, mailer, wait=3700) == []


def test_news_for_many_are_noted_by_a_fixed_number_of_statements(driver) -> None:
    """A package with 100,000 watchers must not hold the database for as many statements."""
    from hub_server.database.visibility import EVERYTHING  # noqa: PLC0415
    from hub_server.watches.models import WatcherRow, WatchRow  # noqa: PLC0415
    from hub_server.worker import Worker  # noqa: PLC0415

    alice = driver.person("alice")
    for number in range(30):
        driver.person(f"p{number}")
    now = driver.clock.now()
    with driver.services.database.writing(sees=EVERYTHING) as session:
        for number in range(30):
            session.add(
                WatcherRow(account_id=f"id-p{number}", pace="hour", unsubscribe_code=str(number), earliest_at=now)
            )
        session.flush()
        for number in range(30):
            session.add(WatchRow(account_id=f"id-p{number}", owner="alice", package_id="", since=now))
    driver.publish(alice)
    worker = Worker(driver.services)
    with driver.statements() as sent:
        worker._follow_events()
    assert driver.rows("SELECT count(*) FROM news") == [(30,)]
    assert len([one for one in sent if "news" in one or "watchers" in one]) == 2

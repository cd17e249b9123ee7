"""Mail about discussions: to whom it is of interest, without a word of a person, and never of what is not seen."""

from tests.hub_server.watches.actions.test_news_mails import SUMS, confirm, mailer, mails, put, services
from tests.making.hub import Api, make_package, run_jobs

__all__ = ["mailer", "services"]
ALL = "/api/v1/packages/alice/small-sums/discussions"


def begin(who: Api, title: str = "Secret words") -> str:
    return str(who.post(ALL, json={"title": title, "text": "Secret words."}).json()["id"])


def test_the_owner_and_watchers_hear_of_it_and_replies_go_to_who_takes_part(
    api: Api, alice: Api, bob: Api, services, mailer
) -> None:
    alice.publish(make_package())
    carol, dave = api.sign_up("carol"), api.sign_up("dave")
    run_jobs(services)
    confirm(services, "alice", "bob", "carol", "dave")
    assert put(carol, SUMS) == 204
    discussion = begin(bob)
    told = mails(services, mailer)
    assert sorted(mail.to for mail in told) == ["alice@example.org", "carol@example.org"], "the owner needs no watch"
    assert "alice/small-sums: bob began a discussion" in told[0].text
    assert f"https://hub.example/packages/alice/small-sums/discussions/{discussion}" in told[0].text
    assert "Secret words" not in told[0].text + told[0].subject
    dave.post(f"{ALL}/{discussion}/posts", json={"text": "Secret words."})
    told = mails(services, mailer, 3700)
    assert sorted(mail.to for mail in told) == ["alice@example.org", "bob@example.org"]
    assert "dave replied in a discussion" in told[0].text


def test_nobody_is_mailed_who_had_enough_or_never_confirmed(alice: Api, bob: Api, services, mailer) -> None:
    alice.publish(make_package())
    run_jobs(services)
    discussion = begin(bob)
    assert mails(services, mailer) == [], "no address is confirmed"
    confirm(services, "alice", "bob")
    alice.request("DELETE", f"{ALL}/{discussion}/follow")
    bob.post(f"{ALL}/{discussion}/posts", json={"text": "Anybody?"})
    assert mails(services, mailer, 3700) == []


def test_however_much_is_said_one_mail_goes_out_an_hour(alice: Api, bob: Api, services, mailer) -> None:
    alice.publish(make_package())
    run_jobs(services)
    confirm(services, "alice")
    discussion = begin(bob)
    for number in range(5):
        bob.post(f"{ALL}/{discussion}/posts", json={"text": f"Word {number}."})
    (mail,) = mails(services, mailer)
    assert mail.text.count("replied in a discussion") == 5
    bob.post(f"{ALL}/{discussion}/posts", json={"text": "More."})
    assert mails(services, mailer) == []


def test_a_member_who_left_hears_nothing_of_what_is_private(api: Api, bob: Api, services, mailer) -> None:
    alice = api.sign_up("alice").as_person()
    alice.post("/api/v1/organizations", json={"name": "acme"})
    alice.request("PUT", "/api/v1/organizations/acme/members", json={"account": "bob", "role": "member"})
    bob.as_person().post("/api/v1/organizations/acme/invitation", json={"accept": True})
    alice.post("/api/v1/packages?visibility=private", content=make_package("acme/hush"))
    run_jobs(services)
    confirm(services, "alice", "bob")
    path = "/api/v1/packages/acme/hush/discussions"
    made = alice.post(path, json={"title": "t", "text": "t"}).json()["id"]
    followed = bob.request("PUT", f"{path}/{made}/follow").status_code
    alice.as_person().request("DELETE", "/api/v1/organizations/acme/members/bob")
    alice.post(f"{path}/{made}/posts", json={"text": "Without bob."})
    assert followed == 204
    assert [mail for mail in mails(services, mailer) if mail.to.startswith("bob") and "hush" in mail.text] == []
    events = api.get("/api/v1/events").json()["items"]
    assert not [event for event in events if event["kind"].startswith("discussion")], "nor do strangers"

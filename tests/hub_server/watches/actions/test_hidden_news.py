"""News of what moderators hid before they were mailed. On both databases."""

from tests.hub_server.watches.actions.test_news_mails import mailer, mails, services, watched
from tests.making.hub import Api, make_package, run_jobs

assert all((mailer, services, watched))  # the fixtures, for this file too


def hide(api: Api, name: str) -> Api:
    moda = api.as_token(None).sign_up("moda")
    body = {"reason": "abuse", "hide_content": True}
    assert moda.post(f"/api/v1/accounts/{name}/suspend", json=body).status_code == 204
    return moda


def test_what_a_hidden_account_did_is_not_mailed(watched: Api, alice: Api, services, mailer) -> None:
    """Its release was mailed to everybody who watched it, with a link that answers that it is hidden."""
    alice.publish(make_package(version="1.1.0"))
    run_jobs(services)
    hide(watched, "alice")
    assert mails(services, mailer) == []


def test_a_discussion_of_a_hidden_account_is_not_mailed(watched: Api, api: Api, services, mailer) -> None:
    """It was mailed to everybody who watches its victim's package."""
    sock = api.sign_up("sock")
    body = {"title": "abuse", "text": "abuse"}
    assert sock.post("/api/v1/packages/alice/small-sums/discussions", json=body).status_code == 201
    run_jobs(services)
    hide(watched, "sock")
    assert mails(services, mailer) == []

"""Watching on the pages, without a script."""

from sqlalchemy import text

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PACKAGE = "/packages/alice/small-sums"


def test_a_button_on_the_pages_of_package_and_owner(reader: Browser, catalogue: Api, services) -> None:
    assert "Watch" not in reader.get(PACKAGE).text.split(), "nobody is signed in"
    reader.sign_up("carol")
    for path, name in ((PACKAGE, "alice/small-sums"), ("/owners/alice", "all of alice")):
        assert "Watch no more" not in reader.get(path).text
        assert reader.post(f"{path}/watch", {"act": "begin"}).url.endswith(path)
        assert "Watch no more" in reader.get(path).text
        assert name in reader.get("/account/watches").text
        assert reader.post(f"{path}/watch", {"act": "end"}).status == 200
        assert name not in reader.get("/account/watches").text
    assert reader.post(f"{PACKAGE}/watch", {"act": "?"}).status == 422


def test_how_often_is_chosen_and_the_page_says_why_no_mail_comes(reader: Browser, catalogue: Api, services) -> None:
    assert "/login" in reader.get("/account/watches").url
    reader.sign_up("carol")
    assert "until your e-mail address is confirmed" in reader.get("/account/watches").text
    page = reader.post("/account/watches", {"pace": "day"})
    assert [option for option in page.all("option", value="day") if "selected" in option]
    with services.database.writing() as session:
        session.execute(text("UPDATE accounts SET email_confirmed_at = created_at"))
    assert "mailed nothing" not in reader.get("/account/watches").text
    assert "mailed nothing" in reader.post("/account/watches", {"pace": "never"}).text
    assert reader.post("/account/watches", {"pace": "x"}).status == 422


def test_the_link_in_a_mail_asks_for_a_click(reader: Browser, catalogue: Api, services, app) -> None:
    reader.sign_up("carol")
    reader.post(f"{PACKAGE}/watch", {"act": "begin"})
    with services.database.reading() as session:
        code = session.execute(text("SELECT unsubscribe_code FROM watchers")).scalar()
    stranger = Browser(app)
    page = stranger.get(f"/unsubscribe/{code}")
    assert (page.headings, page.answer.headers["referrer-policy"]) == (1, "no-referrer")
    done = stranger.post(f"/unsubscribe/{code}", {"List-Unsubscribe": "One-Click"})
    assert "No more mails" in done.text
    assert stranger.get("/unsubscribe/none").status == 404

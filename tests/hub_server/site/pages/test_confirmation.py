"""The page that asks for the password or the second factor of one act: nothing typed is lost, and nothing is done before
it is right.
"""

from html import unescape

import pytest
from fastapi import FastAPI

from tests.fakes.clock import FakeClock
from tests.hub_server.site.conftest import Browser, Page
from tests.hub_server.site.pages.test_second_factor import switch_on
from tests.making.hub import PASSWORD, Api

EVIL = 'https://hooks.example/"><script>x</script>'
FORM = {"url": "https://hooks.example/x", "events": ["release.published", "release.yanked"]}


def hidden(page: Page) -> dict[str, list[str]]:
    """What the page would send again."""
    found: dict[str, list[str]] = {}
    for one in page.all("input", type="hidden"):
        if one["name"] != "back":  # of the shell
            found.setdefault(one["name"], []).append(unescape(one["value"]))
    return found


def test_a_form_is_sent_again_whole_with_the_factor(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    phone = switch_on(reader, clock)
    asked = reader.post("/owners/carol/webhooks", FORM)
    assert asked.status == 403
    assert "Nothing has changed yet" in asked.text
    assert "https://hooks.example/x" in asked.text
    assert FORM["url"] not in reader.get("/owners/carol/webhooks").text
    again = hidden(asked)
    assert again == {"url": [FORM["url"]], "events": FORM["events"]}
    wrong = reader.post("/owners/carol/webhooks", again | {"code": "000000"})
    assert "That did not work. The code is wrong" in wrong.text
    assert hidden(wrong) == again
    done = reader.post("/owners/carol/webhooks", again | {"code": phone.code()})
    assert (done.status, FORM["url"] in done.text) == (200, True)


def test_what_was_typed_is_text_on_it(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    switch_on(reader, clock)
    page = reader.post("/publishers", {"package": EVIL, "repository": "a/b", "workflow": "x.yml", "code": "0" * 65})
    assert "The code is wrong" in page.text
    assert hidden(page)["package"] == [EVIL]
    assert len(page.all("script")) == len(reader.get("/account").all("script"))


def test_codes_are_not_tried_by_a_cookie_whose_password_is_old(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    phone = switch_on(reader, clock)
    clock.advance(16 * 60)
    for _ in range(6):  # five wrong codes lock the app
        page = reader.post("/organizations", {"name": "lab", "code": "000000"}).text
        assert "Your password and second factor, for this" in page
        assert "did not work" not in page
    code = phone.code()
    assert reader.post("/account/proof", {"password": PASSWORD, "code": code}).status == 200


def test_a_form_is_sent_again_whole_with_the_password(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    old = dict(reader._cookies)
    clock.advance(16 * 60)
    asked = reader.post("/owners/carol/webhooks", FORM)
    assert (asked.status, "Your password, for this" in asked.text) == (403, True)
    again = hidden(asked)
    assert again == {"url": [FORM["url"]], "events": FORM["events"]}
    (action,) = [one["action"] for one in asked.all("form") if "webhooks" in one.get("action", "")]
    wrong = reader.post(action, again | {"password": "not it"})
    assert "That did not work. Name or password is wrong." in wrong.text
    assert (hidden(wrong), "not it" in wrong.html) == (again, False)
    done = reader.post(action, again | {"password": PASSWORD})
    assert (done.status, FORM["url"] in done.text, PASSWORD in done.html) == (200, True, False)
    assert FORM["url"] in reader.get("/owners/carol/webhooks").text  # the browser has the new cookie
    reader._cookies = old  # a copy that a thief made before
    assert "Sign in" in reader.get("/account").text


def test_the_password_and_the_factor_come_together(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    phone = switch_on(reader, clock)
    clock.advance(16 * 60)
    form: dict[str, str | list[str]] = {"name": "lab", "password": PASSWORD}
    assert "Your password and second factor, for this" in reader.post("/organizations?proof", form).text
    assert "The code is wrong" in reader.post("/organizations?proof", form | {"code": "000000"}).text
    assert reader.post("/organizations?proof", form | {"code": phone.code()}).url.endswith("/owners/lab")


def test_an_act_that_is_refused_after_the_password_leaves_the_browser_signed_in(
    reader: Browser, clock: FakeClock
) -> None:
    reader.sign_up("carol")
    for sent in ({"name": "carol"}, {"name": "-"}):
        clock.advance(16 * 60)
        refused = reader.post("/organizations?proof", {"password": PASSWORD, **sent})
        assert refused.status in (409, 422)
        assert reader.get("/account").url.endswith("/account")
        assert "Make this token" in reader.get("/account").text  # and its password is fresh


def test_a_password_is_read_only_where_it_counts_as_an_attempt(reader: Browser, clock: FakeClock) -> None:
    reader.sign_up("carol")
    clock.advance(16 * 60)
    for path in ("/organizations", "/organizations?proof=1", "/organizations?x&proof"):
        page = reader.post(path, {"name": "lab", "password": PASSWORD})
        assert (page.status, "did not work" in page.text) == (403, False)
    assert reader.get("/owners/lab").status == 404


def test_an_account_without_a_factor_is_not_asked(reader: Browser) -> None:
    reader.sign_up("carol")
    assert reader.post("/organizations", {"name": "lab", "code": "left over"}).url.endswith("/owners/lab")


@pytest.mark.parametrize("path", ["/account/proof", "/organizations?proof"])
def test_a_thief_renews_no_copied_cookie_by_a_proof_of_an_account_of_their_own(
    app: FastAPI, clock: FakeClock, path: str
) -> None:
    carol, thief = Browser(app), Api(app)
    carol.sign_up("carol")
    thief.sign_up("mallory")
    clock.advance(16 * 60)
    token = thief.post("/api/v1/sudo", json={"name": "mallory", "password": PASSWORD}).json()["secret"]
    copied = "; ".join(f"{name}={value}" for name, value in carol._cookies.items())
    both = {"Authorization": f"Bearer {token}", "Cookie": copied, "Accept": "text/html"}
    answer = thief.post(path, headers=both, data={"name": "lab", "password": PASSWORD})
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    assert "Your password, for this" in carol.post("/organizations", {"name": "lab"}).text  # hers, and not proven

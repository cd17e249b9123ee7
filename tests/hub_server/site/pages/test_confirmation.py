"""The page that asks for the second factor of one act: nothing typed is lost, and nothing is done before it is right."""

from html import unescape

from tests.fakes.clock import FakeClock
from tests.hub_server.site.conftest import Browser, Page
from tests.hub_server.site.pages.test_second_factor import switch_on

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
        assert "Your password is needed" in reader.post("/organizations", {"name": "lab", "code": "000000"}).text
    code = phone.code()
    assert reader.post("/account/proof", {"password": "correct horse battery staple", "code": code}).status == 200


def test_an_account_without_a_factor_is_not_asked(reader: Browser) -> None:
    reader.sign_up("carol")
    assert reader.post("/organizations", {"name": "lab", "code": "left over"}).url.endswith("/owners/lab")

"""Webhooks on the pages, without a script: added, tried, sent again, given another secret, removed."""

from dataclasses import replace

import pytest

from hub_server.app import create_app
from tests.fakes.clock import FakeClock
from tests.fakes.outgoing_http import FakeOutgoing
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, run_jobs

HERE = "/owners/carol/webhooks"


@pytest.fixture
def outgoing() -> FakeOutgoing:
    return FakeOutgoing()


@pytest.fixture
def services(services, outgoing):
    return replace(services, outgoing=outgoing)


@pytest.fixture
def carol(services) -> Browser:
    browser = Browser(create_app(services))
    browser.sign_up("carol")
    return browser


def added(carol: Browser) -> str:
    page = carol.post(HERE, {"url": "https://hooks.example/x", "package": "", "events": ["release.yanked"]})
    assert "whsec_" in page.text
    return next(a["href"] for a in page.all("a") if a.get("href", "").startswith("/webhooks/"))


def test_the_secret_is_shown_once_and_kept_by_no_cache(carol: Browser) -> None:
    page = carol.post(HERE, {"url": "https://hooks.example/x"})
    assert page.answer.headers["cache-control"] == "no-store"
    assert page.headings == 1
    again = carol.get(HERE)
    assert "hooks.example" in again.text
    assert "whsec_" not in again.text


def test_a_message_is_tried_logged_and_sent_again(carol: Browser, services, outgoing) -> None:
    address = added(carol)
    outgoing.status = 500
    assert carol.post(f"{address}/test").url.endswith(address)
    run_jobs(services)
    outgoing.status = 410
    services.clock.advance(10)
    run_jobs(services)
    page = carol.get(address)
    assert "It is switched off" in page.text
    assert "failed" in page.text
    refused = carol.post(f"{address}/test")
    assert (refused.status, "switched off" in refused.text) == (422, True)
    carol.post(f"{address}/enable")
    (again,) = [form["action"] for form in carol.get(address).all("form") if form["action"].endswith("/again")]
    outgoing.status = 200
    carol.post(again)
    run_jobs(services)
    assert "delivered" in carol.get(address).text


def test_another_secret_and_removal(carol: Browser) -> None:
    address = added(carol)
    assert "whsec_" in carol.post(f"{address}/secret").text
    assert carol.post(f"{address}/remove").url.endswith(HERE)
    assert carol.get(address).status == 404


@pytest.mark.parametrize(
    ("form", "said"),
    [({"url": "ftp://x.example"}, "begins with https"), ({"url": "https://a@x.example"}, "no user name"), ({"url": "https://x.example", "package": "sums"}, "owner/name"),
     ({"url": "https://x.example", "package": "bob/x"}, "not a package of carol")],
)  # fmt: skip
def test_a_refusal_comes_back_with_what_was_typed(carol: Browser, form: dict[str, str], said: str) -> None:
    page = carol.post(HERE, form)
    assert (page.status, said in page.text) == (422, True)
    assert page.all("input", name="url")[0]["value"] == form["url"]


def test_strangers_and_old_proofs_see_nothing(carol: Browser, services, clock: FakeClock) -> None:
    address = added(carol)
    stranger = Browser(create_app(services))
    assert "/login" in stranger.get(HERE).url
    stranger.sign_up("mallory")
    assert stranger.get(HERE).status == 403
    assert stranger.get(address).status == 404
    assert stranger.post(f"{address}/remove").status == 404
    clock.advance(16 * 60)
    for path in (HERE, address):
        assert "/account/proof" in carol.get(path).url
    assert Api(create_app(services)).get("/api/v1/webhooks?owner=carol").status_code == 401

"""A real browser on a hub: what takes script, keyboard or a security key."""

import re
from collections.abc import Iterator

import pytest

from tests.making.browser_visits import MARKS, WAIT_MS, FilledHub
from tests.making.hub import PASSWORD

sync_api = pytest.importorskip("playwright.sync_api")

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"

pytestmark = MARKS


@pytest.fixture(scope="module")
def hub(shown_hub: FilledHub) -> str:
    return shown_hub.url


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def page(chromium: "sync_api.Browser", complaints: list[str]) -> Iterator["sync_api.Page"]:
    """A fresh profile; what its console complains about ends up in ``complaints``."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(WAIT_MS)
    fresh = context.new_page()
    fresh.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    fresh.on("pageerror", lambda error: complaints.append(str(error)))
    yield fresh
    context.close()


def sign_up(hub: str, page: "sync_api.Page", name: str) -> None:
    page.goto(f"{hub}/signup")
    page.get_by_label("Name").fill(name)
    page.get_by_label("E-mail").fill(f"{name}@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make this account").click()
    sync_api.expect(page).not_to_have_url(re.compile("/signup"))  # the next page would break the sign-up off


@pytest.mark.parametrize("width", [320, 390])
def test_no_page_of_somebody_who_is_signed_in_is_wider_than_the_screen(
    hub: str, page: "sync_api.Page", width: int
) -> None:
    sign_up(hub, page, f"phone{width}")
    page.get_by_label("What it is for").fill("a training cluster with a name that is rather long")
    page.get_by_role("button", name="Make this token").click()
    sync_api.expect(page.get_by_role("heading", name="Your new token")).to_be_visible()
    page.set_viewport_size({"width": width, "height": 800})
    words = "x" * 100  # a name without a place to break it
    run = {"name": words, "kind": "training", "model": words, "config": {words: words}}
    made = page.request.post(f"{hub}/api/v1/runs", data=run)
    rollout = {
        "step": 1,
        "package": "a/b",
        "task_id": words,
        "prompt": words,
        "response": words,
        "rewards": {words: 1.0},
    }
    page.request.post(f"{hub}/api/v1/runs/{made.json()['id']}/rollouts", data={"items": [rollout]})
    for path in (
        "/account", f"/owners/phone{width}", "/moderation", f"{PACKAGE}/report", f"{RELEASE}/cases",
        f"/runs/{made.json()['id']}", "/organizations/new", f"/publishers?package=phone{width}/sums",
    ):  # fmt: skip
        page.goto(hub + path)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, path


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_every_main_link_can_be_reached_at_every_width(hub: str, page: "sync_api.Page", width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(hub)
    main = page.get_by_role("navigation", name="Main")
    sync_api.expect(main.get_by_role("link", name="Docs")).to_be_visible()
    if width < 700:
        main.get_by_text("More").click()
    for name in ("Packages", "Docs", "Runs", "Benchmarks", "Label"):
        sync_api.expect(main.get_by_role("link", name=name).locator("visible=true")).to_have_count(1)
    main.get_by_role("link", name="Benchmarks").locator("visible=true").click()
    sync_api.expect(page).to_have_url(f"{hub}/benchmarks")


def test_light_and_dark_are_different_and_the_choice_is_kept(hub: str, page: "sync_api.Page") -> None:
    page.goto(hub)

    def ground() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    page.emulate_media(color_scheme="light")
    light = ground()
    page.emulate_media(color_scheme="dark")
    dark = ground()
    assert light != dark
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="Theme: system").click()
    sync_api.expect(page.locator("body")).to_have_css("background-color", dark)
    page.goto(f"{hub}/packages")
    sync_api.expect(page.locator("body")).to_have_css("background-color", dark)


def test_a_response_is_judged_without_leaving_the_page(hub: str, page: "sync_api.Page", complaints: list[str]) -> None:
    page.goto(f"{hub}{RELEASE}/try")
    page.locator("select[name=task_id]").select_option("t2")
    sync_api.expect(page.locator("[data-prompt]")).to_have_text("2+3?")
    page.get_by_label("Response").fill("5")
    page.evaluate("window.stayed = true")
    page.get_by_role("button", name="Judge this response").click()
    sync_api.expect(page.locator("[data-out]")).to_contain_text("would count as accepted")
    assert page.evaluate("window.stayed") is True
    sync_api.expect(page.get_by_label("Response")).to_have_value("5")
    assert complaints == []


def test_the_same_form_works_without_script(hub: str, chromium: "sync_api.Browser") -> None:
    context = chromium.new_context(java_script_enabled=False)
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    page.goto(f"{hub}{RELEASE}/try")
    page.get_by_label("Response").fill("7")
    page.get_by_role("button", name="Judge this response").click()
    sync_api.expect(page.locator("[data-out]")).to_contain_text("would count as rejected")
    context.close()


def test_from_a_wrong_verdict_to_a_counter_example(hub: str, page: "sync_api.Page", complaints: list[str]) -> None:
    sign_up(hub, page, "jun")
    page.goto(f"{hub}{PACKAGE}")
    page.get_by_role("link", name="Try it").click()
    page.get_by_label("Response").fill("two")
    page.get_by_role("button", name="Judge this response").click()
    page.get_by_role("button", name="This verdict is wrong").click()
    sync_api.expect(page.get_by_label("Response")).to_have_value("two")
    page.get_by_label("Why").fill("A number may be written as a word.")
    page.get_by_role("button", name="Submit this counter-example").click()
    case = page.locator("li.case").first
    sync_api.expect(case).to_contain_text("A number may be written as a word.")
    sync_api.expect(case).to_contain_text("Reproduced")
    assert complaints == []


def test_everything_can_be_reached_and_seen_by_keyboard(hub: str, page: "sync_api.Page") -> None:
    page.goto(f"{hub}{PACKAGE}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    sync_api.expect(page).to_have_url(f"{hub}{PACKAGE}#main")
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_grades_are_check_boxes_that_filter(hub: str, page: "sync_api.Page") -> None:
    page.goto(f"{hub}/packages")
    page.get_by_label("Not graded").check(force=True)  # it is searched for at once
    sync_api.expect(page).to_have_url(re.compile("grade=U"))
    sync_api.expect(page.get_by_role("link", name="not graded")).to_be_visible()


def test_a_security_key_is_added_and_signs_in(hub: str, page: "sync_api.Page", complaints: list[str]) -> None:
    """By the browser's own key in software, which checks address and policy as it does for a real one."""
    home = hub.replace("127.0.0.1", "localhost")
    device = page.context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    features = {"hasResidentKey": False, "hasUserVerification": False, "automaticPresenceSimulation": True}
    device.send("WebAuthn.addVirtualAuthenticator", {"options": {"protocol": "ctap2", "transport": "usb", **features}})
    sign_up(home, page, "keyholder")
    page.goto(f"{home}/account/second-factor")
    for name in ("blue key", "the same key again"):
        page.get_by_label("What you call the key").fill(name)
        page.get_by_role("button", name="Add a security key").click()
        if name == "blue key":
            sync_api.expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    page.get_by_role("button", name="Now the new key").click()  # the key that is there has answered first
    sync_api.expect(page.get_by_text("This key is registered already.")).to_be_visible()
    page.goto(f"{home}/account")
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{home}/login")
    page.get_by_label("Name").fill("keyholder")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Use your security key").click()
    sync_api.expect(page).to_have_url(f"{home}/account")
    page.goto(f"{home}/account/proof?next=/runs")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    sync_api.expect(page).to_have_url(f"{home}/runs")
    page.goto(f"{home}/account")
    page.get_by_label("What it is for").fill("cluster")
    page.get_by_role("button", name="Make this token").click()  # the key answers for this very token
    sync_api.expect(page.get_by_text("verihub_pat_")).to_be_visible()
    page.goto(f"{home}/account/second-factor")
    page.get_by_text("Remove blue key").first.click()
    page.get_by_role("button", name="Remove blue key").click()
    sync_api.expect(page.get_by_text("blue key added")).to_have_count(0)
    assert complaints == []

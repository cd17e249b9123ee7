"""A moderator's afternoon on the pages, against one hostile person with three names, who then objects."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.end_to_end.test_days import PACKAGE, Shell, log_in, shell_of
from tests.making.browser_visits import MARKS, FilledHub, Visit, filled_hub
from tests.making.hub import PASSWORD, make_package

pytestmark = MARKS
APPEALS = "mailto:appeals@hub.example"


@pytest.fixture(scope="module")
def shown_hub(catalogue_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FilledHub]:
    """With an address for objections."""
    with filled_hub(catalogue_folder, tmp_path_factory.mktemp("afternoon"), appeals_contact=APPEALS) as hub:
        yield hub


def proven(shell: Shell, name: str) -> Shell:
    """The same account with its password just typed, as the hostile one types it."""
    return Shell(shell.hub, shell.post("/sudo", json={"name": name, "password": PASSWORD}).json()["secret"])


def attack(hub: FilledHub) -> tuple[Shell, Shell]:
    """malone publishes for himself and a straw organisation, gives a package away, floods; returns him and his friend."""
    malone, friend = shell_of(hub, "malone"), shell_of(hub, "friend")
    own = proven(malone, "malone")
    malone.publish(make_package("malone/keys"))
    assert own.post("/organizations", json={"name": "strawmen"}).status_code == 201
    malone.publish(make_package("strawmen/keys"))
    assert own.post("/packages/malone/keys/transfer", json={"to": "friend"}).status_code == 201
    for number in range(3):
        post = {"title": f"Buy {number}", "text": "[here](https://spam.example)"}
        assert malone.post(f"{PACKAGE}/discussions", json=post).status_code == 201
        report = {"reason": "malware", "text": f"It steals, {number}"}
        assert malone.post("/packages/alice/small-sums/reports", json=report).status_code == 201
    return malone, friend


def act(moderator: Visit, what: str, target: str, why: str, *, hides: bool = False) -> None:
    moderator.page.goto(f"{moderator.hub.url}/moderation?target={target}#act")  # looked at when the act is done
    moderator.page.locator("select[name=act]").select_option(what)
    moderator.page.get_by_label("Why").fill(why)
    if hides:
        moderator.page.get_by_label("With a suspension").check()
    moderator.press("Do it")
    moderator.sees(why)


def test_one_person_with_three_names_is_stopped_and_is_heard(visit: Callable[..., Visit], shown_hub: FilledHub) -> None:
    shell_of(shown_hub, "moda")
    malone, friend = attack(shown_hub)
    moderator = visit()
    log_in(moderator, "moda")
    moderator.go("/moderation")
    assert moderator.page.get_by_text("by malone").count() == 1, "three reports about one package are one"
    act(moderator, "suspend", "malone", "It takes keys.", hides=True)
    assert moderator.page.get_by_text("by malone").count() == 0, "his flood is out of the list"
    act(moderator, "suspend", "strawmen", "It is malone again.", hides=True)
    act(moderator, "block_name", "malone2", "It would be malone again.")

    late = proven(friend, "friend").post("/packages/malone/keys/transfer/answer", json={"accept": True})
    assert late.status_code in {404, 410}, "what a suspended account offered is not taken over"
    new = {"email": "malone2@example.org", "password": PASSWORD}
    for name, status in (("malone2", 403), ("mal0ne", 409)):  # the blocked name, and one that looks like his own
        assert Shell(shown_hub).post("/accounts", json={"name": name, **new}).status_code == status, name
    assert malone.post("/packages", content=make_package("malone/again")).status_code == 403
    assert malone.post(f"{PACKAGE}/discussions", json={"title": "x", "text": "y"}).status_code == 403

    reader = visit()
    reader.go(f"{PACKAGE}/discussions")
    assert reader.page.get_by_text("Buy").count() == 0
    for path in ("/packages/malone/keys", "/packages/strawmen/keys", "/owners/malone"):
        reader.go(path)
    answer = httpx.get(f"{shown_hub.url}/api/v1/packages/strawmen/keys/releases/1.0.0/wheel", timeout=120)
    assert answer.status_code == 410

    refused = visit()
    log_in(refused, "malone")
    refused.sees("It takes keys.", "If you object")
    refused.go("/moderation")
    refused.sees("It takes keys.", "appeals@hub.example", "You need no account for that.")
    act(moderator, "unsuspend", "malone", "on appeal: the keys were his own")
    log_in(refused, "malone")
    reader.go("/packages/malone/keys")
    reader.sees("malone/keys")
    assert httpx.get(f"{shown_hub.url}/packages/strawmen/keys", timeout=120).status_code == 410, "each act for itself"

"""Days of the people whom a hub serves, in a browser. Every page that they pass is looked at: axe, widths, console."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner, Result

from hub_server.admin import opened_hub
from hub_server.admin.command import app as admin_command
from hub_server.kernel.services import Services
from schemas.account import AccountCreate
from tests.making.browser_visits import MARKS, FilledHub, Visit
from tests.making.hub import PASSWORD, make_account, make_package, run_jobs
from tests.making.wheel import METADATA

PACKAGE = "/packages/alice/small-sums"
HOSTILE = (
    "# <img src=x onerror=alert(1)>\n\n" + "W" * 3000 + "\n\n##### Deep\n\n[click](javascript:alert(1)) \u202egnp.exe\n"
)

pytestmark = MARKS


def sign_up(visit: Visit, name: str) -> None:
    visit.go("/signup")
    visit.fill(name=name, email=f"{name}@example.org", password=PASSWORD)
    visit.press("Make this account")


def log_in(visit: Visit, name: str) -> None:
    visit.go("/login")
    visit.fill(name=name, password=PASSWORD)
    visit.press("Sign in")


@dataclass(frozen=True)
class Shell:
    """An account's own view of the API."""

    hub: FilledHub
    token: str = ""

    def post(self, path: str, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return httpx.post(f"{self.hub.url}/api/v1{path}", headers=headers, timeout=120, **more)

    def publish(self, wheel: bytes) -> None:
        answer = self.post("/packages", content=wheel)
        assert answer.status_code == 201, answer.text


def shell_of(hub: FilledHub, name: str) -> Shell:
    """A new account's."""
    body = AccountCreate(name=name, email=f"{name}@example.org", password=PASSWORD)
    return Shell(hub, make_account(hub.services, body))


def test_an_authors_day(visit: Callable[..., Visit], shown_hub: FilledHub) -> None:
    """Lets a shell in, publishes, reads the audit, publishes better, tells a webhook, opens an organisation."""
    ada = visit()
    sign_up(ada, "ada")
    asked = Shell(shown_hub).post("/device/code", json={"client_name": "a laptop"}).json()
    ada.go(f"/device?code={asked['user_code']}")
    ada.press("Allow this device")
    ada.sees("a laptop is signed in as ada.")
    token = Shell(shown_hub).post("/device/token", json={"device_code": asked["device_code"]}).json()["secret"]
    shell = Shell(shown_hub, token)
    shell.publish(make_package("ada/sums", "1.0.0"))
    ada.go("/packages/ada/sums")
    ada.sees("Waiting to be measured")
    run_jobs(shown_hub.services)
    ada.page.reload()
    ada.follow("Audit report")
    ada.sees("Confusion matrix")
    shell.publish(make_package("ada/sums", "1.1.0", code="def verify(task, response):\n    return {}\n"))
    run_jobs(shown_hub.services)
    ada.go("/packages/ada/sums/diff?from=1.0.0&to=1.1.0")
    change_settings(ada)


def change_settings(ada: Visit) -> None:
    """The owner's pages."""
    ada.follow("Settings of this package")
    ada.fill(to="nobody99")
    ada.press("Offer")
    ada.sees("That did not work.")
    ada.go("/owners/ada/webhooks")
    ada.fill(url="https://hooks.example/ada")
    ada.press("Add it")
    ada.sees("Its secret")
    ada.go("/organizations/new")
    ada.fill(name="adalab")
    ada.press("Create")
    ada.go("/account/second-factor")
    ada.press("Make a secret")
    ada.go("/account")
    ada.fill(name="cluster")
    ada.press("Make this token")
    ada.sees("verihub_pat_")
    ada.go("/publishers?package=ada/sums")


@pytest.mark.parametrize("script", [True, False])
def test_a_readers_day(visit: Callable[..., Visit], script: bool) -> None:
    """Searches, tries a response, sends a counter-example, asks, watches, reports; with script and without."""
    name = "ben" if script else "zoe"
    reader = visit(script=script)
    reader.go("/")
    reader.fill(q="sums")
    reader.press("Search")
    reader.follow("alice/small-sums")
    reader.follow("Try it")
    reader.fill(response="two")
    reader.page.get_by_role("button", name="Judge this response").click()
    reader.page.locator("[data-out] .vec").wait_for()
    reader.look()
    reader.sees("would count as rejected")
    sign_up(reader, name)
    reader.go(f"{PACKAGE}/releases/1.1.0/cases/new")
    reader.go(PACKAGE)
    reader.press("Watch")
    reader.go(f"{PACKAGE}/discussions/new")
    reader.fill(title="Words?", text="May a number be a *word*?\n\n#### As in\n\n`two`")
    reader.press("Save")
    reader.sees("May a number be a word?")
    reader.fill(text="I meant `two`.")
    reader.press("Reply")
    reader.go(f"{PACKAGE}/report")
    reader.page.get_by_label("something else").check()
    reader.fill(text="Its licence?")
    reader.press("Send this report")
    reader.sees("The moderators have it")
    reader.go("/account/watches")
    reader.go("/docs/how_to/counter_examples")


def advertise(mallory: Shell) -> str:
    """Three packages and a discussion of somebody hostile; returns the discussion's id."""
    spam = METADATA.replace("# Small sums\n", HOSTILE).replace("Sums of small numbers", "W" * 300)
    for number in range(3):
        mallory.publish(make_package(f"mallory/spam-{number}", metadata=spam))
    begun = mallory.post(f"{PACKAGE}/discussions", json={"title": "W" * 100, "text": HOSTILE})
    assert begun.status_code == 201, begun.text
    return str(begun.json()["id"])


def test_a_moderators_day(visit: Callable[..., Visit], shown_hub: FilledHub) -> None:
    """Reads reports, quarantines, hides a post, suspends an account with all that it wrote, reads the log."""
    shell_of(shown_hub, "moda")
    mallory, bob = shell_of(shown_hub, "mallory"), shell_of(shown_hub, "bob")
    discussion = advertise(mallory)
    words = {"reason": "spam", "text": "W" * 3000}
    assert bob.post("/packages/mallory/spam-0/reports", json=words).status_code == 201
    moderator = visit()
    log_in(moderator, "moda")
    moderator.go("/moderation")
    moderator.sees("mallory/spam-0")
    moderator.follow("Quarantine the package")
    moderator.page.get_by_label("Why").fill("It advertises.")
    moderator.press("Do it")
    moderator.sees("quarantined the package")
    moderator.fill(decision="The package is gone.")
    moderator.press("Acted on")
    moderator.go("/moderation?state=acted")
    moderator.sees("The package is gone.")
    moderator.go(f"{PACKAGE}/discussions/{discussion}")
    moderator.page.get_by_text("Hide this discussion").click()
    moderator.fill(reason="Advertises.")
    moderator.press("Hide")
    moderator.sees("Only moderators see it here.")
    moderator.go("/packages/mallory/spam-1")
    moderator.go("/moderation?target=mallory#act")
    moderator.page.locator("select[name=act]").select_option("suspend")
    moderator.page.get_by_label("Why").fill("Three of three packages advertise.")
    moderator.page.get_by_label("With a suspension").check()
    moderator.press("Do it")
    moderator.go("/owners/mallory")
    moderator.sees("This account is suspended.")
    reader = visit()
    for path in ("/packages/mallory/spam-1", "/packages/mallory/spam-0", "/owners/mallory", "/moderation"):
        reader.go(path)
    assert mallory.post(f"{PACKAGE}/discussions", json={"title": "x", "text": "y"}).status_code == 403


@contextmanager
def as_operator(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    """``verihub admin`` on this hub's machine."""

    @contextmanager
    def wired(_settings: object) -> Iterator[Services]:
        yield services

    monkeypatch.setattr(opened_hub, "wired", wired)
    monkeypatch.setenv("VERIHUB_SERVER_DATA", str(services.settings.data))

    def run(*arguments: str) -> Result:
        done = CliRunner().invoke(admin_command, list(arguments), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done

    yield run


def test_an_operators_day(visit: Callable[..., Visit], shown_hub: FilledHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a moderator, stops writing while the database moves, helps somebody who lost her phone; all of it is seen."""
    olga = visit()
    sign_up(olga, "olga")
    with as_operator(shown_hub.services, monkeypatch) as admin:
        admin("make-admin", "olga")
        olga.go("/moderation")
        olga.sees("made a moderator", "Stop something, or let it go on")
        admin("read-only", "on", "--reason", "The database moves until 14:00 UTC.")
        olga.go(f"{PACKAGE}/discussions/new")
        olga.fill(title="Now?", text="Typed before I knew.")
        olga.press("Save")
        olga.sees("The database moves until 14:00 UTC.")
        assert httpx.get(f"{shown_hub.url}/readyz", timeout=120).status_code == 200
        admin("read-only", "off")
        olga.press("Save")  # what was typed is still there
        olga.sees("Typed before I knew.")
        admin("reset-second-factor", "olga", "--reason", "lost her phone; called back")
        admin("quarantine", "alice/unmeasured", "--reason", "reads keys")
        admin("block", "openai", "--reason", "not them")
    olga.go("/moderation")
    olga.sees("switched off the second factor", "quarantined the package", "blocked the name")
    olga.go("/packages/alice/unmeasured")

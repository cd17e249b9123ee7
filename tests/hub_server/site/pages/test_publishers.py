"""Workflows that publish, on their page, without a script: added, listed, removed, also before the package exists."""

import pytest
from fastapi import FastAPI

from hub_server.settings import ServerSettings, TrustedPublishingSettings
from tests.hub_server.site.conftest import Browser

ISSUER = "https://token.actions.githubusercontent.com"
HERE = "/publishers?package=carol%2Fsums"
FORM: dict[str, str | list[str]] = {
    "package": "carol/sums", "provider": "github", "issuer": ISSUER, "repository": "carol/sums",
    "workflow": "release.yml", "environment": "release",
}  # fmt: skip


@pytest.fixture
def settings(settings: ServerSettings) -> ServerSettings:
    accepted = TrustedPublishingSettings(issuers=[ISSUER])
    return settings.model_copy(update={"public_url": "http://hub.test", "trusted_publishing": accepted})


@pytest.fixture
def carol(app: FastAPI) -> Browser:
    browser = Browser(app)
    browser.sign_up("carol")
    return browser


def test_a_workflow_is_added_listed_and_removed(carol: Browser) -> None:
    assert "No workflow" in carol.get(HERE).text
    page = carol.post("/publishers", FORM)
    assert "carol/sums (github), release.yml, only in release; by carol" in page.text
    [form] = [a for a in page.all("form") if a.get("action", "").endswith("/remove")]
    assert "No workflow" in carol.post(form["action"], {"package": "carol/sums"}).text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"repository": "carol"}, "owner/name"),
        ({"workflow": "../x.sh"}, "release.yml"),
        ({"issuer": "https://evil.example"}, "does not accept the issuer"),
        ({"provider": "mine"}, "GitHub or GitLab"),
    ],
)
def test_a_refusal_comes_back_with_what_was_typed(carol: Browser, change: dict[str, str], words: str) -> None:
    page = carol.post("/publishers", FORM | change)
    assert (page.status, words in page.text) == (422, True)
    assert page.all("input", name="environment", value="release")


def test_nobody_names_workflows_for_somebody_elses_package(carol: Browser, reader: Browser) -> None:
    assert carol.get("/publishers?package=dave/sums").status == 403
    assert carol.post("/publishers", FORM | {"package": "dave/sums"}).status == 403
    assert carol.get("/publishers?package=%00").status == 422
    assert reader.get(HERE).url.startswith("http://hub.test/login")

"""Published from a shell, opened in a browser, judged in Docker: the whole way, once with script and once without."""

from pathlib import Path

import pytest

sync_api = pytest.importorskip("playwright.sync_api")

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
pytestmark = [
    pytest.mark.docker,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.together("end_to_end"),
    pytest.mark.skipif(not CHROMIUM.exists(), reason="needs chromium: scripts/test installs it"),
]


@pytest.fixture(scope="module")
def published(alice) -> str:
    alice.run("init", "alice/tried", "--kind", "environment")
    alice.run("publish", "tried", "--wait")
    return "tried"


@pytest.mark.parametrize("script", [True, False])
def test_a_reader_judges_a_response_on_the_page_of_what_an_author_published(alice, published, script) -> None:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS, timeout=120_000)
        page = browser.new_context(java_script_enabled=script).new_page()
        page.goto(f"{alice.hub.url}/packages/alice/{published}")
        page.locator(".grade").first.wait_for()
        page.get_by_role("link", name="Try it").first.click()
        page.get_by_label("Response").fill("surely not this")
        page.get_by_role("button", name="Judge this response").click()
        verdict = page.locator(".out .vec")
        verdict.wait_for(timeout=120_000)
        assert "correct" in verdict.inner_text()
        browser.close()

"""A real browser on a hub in this process, and what must hold of every page that somebody passes."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.database.schema_steps import upgrade
from hub_server.kernel.services import Services
from tests.making.catalogue import add_benchmark, fill, make_services
from tests.making.listening_app import serving

CHROMIUM = Path("/usr/bin/chromium")
MARKS = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="chromium is not installed"),
]
WAIT_MS = 120_000
WIDTHS = (320, 390, 1440, 3840)
"""A small phone, a phone, a laptop, a screen of 4k."""
_AXE_WIDTHS = (390, 1440)
"""Where axe looks from: what a page folds away on a phone has rules of its own."""
_DESK = {"width": 1440, "height": 900}
_QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@dataclass(frozen=True)
class FilledHub:
    """A hub that listens, and its inside."""

    url: str
    services: Services


def make_catalogue(folder: Path) -> Path:
    """A folder with the catalogue of ``tests.making.catalogue`` and a benchmark, for :func:`filled_hub`."""
    database = Database(f"sqlite:///{folder / 'hub.sqlite3'}")
    upgrade(database)
    database.close()
    services = make_services(folder)
    add_benchmark(services, fill(services))
    services.close()
    return folder


@contextmanager
def filled_hub(catalogue: Path, folder: Path, **settings: Any) -> Iterator[FilledHub]:
    """A hub on a copy of ``catalogue``. ``settings`` replaces some."""
    shutil.copytree(catalogue, folder, dirs_exist_ok=True)
    services = make_services(folder)
    services = replace(services, settings=services.settings.model_copy(update=settings))
    # Browsers use security keys at names, and the hub must know its own: so it is asked where it listens.
    app = _Late()
    with serving(app) as served:  # type: ignore[arg-type]
        port = urlsplit(served.url).port
        public = services.settings.model_copy(update={"public_url": f"http://localhost:{port}"})
        services = replace(services, settings=public)
        app.inner = create_app(services)
        yield FilledHub(served.url, services)
    services.close()


class _Late:
    """An app that is made when its address is known."""

    inner: FastAPI

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.inner(scope, receive, send)


@contextmanager
def open_chromium() -> Iterator[Any]:
    """The browser, without what it does for itself."""
    from playwright import sync_api  # noqa: PLC0415 -- an optional dependency

    with sync_api.sync_playwright() as playwright:
        sync_api.expect.set_options(timeout=WAIT_MS)
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=_QUIET, timeout=WAIT_MS)
        yield browser
        browser.close()


class Visit:
    """Somebody's own browser on a hub. ``faults`` collects what is wrong with the pages that they look at.

    page      Playwright's page
    script    whether the browser runs scripts
    """

    def __init__(self, browser: Any, hub: FilledHub, *, script: bool = True) -> None:
        self.hub = hub
        self.faults: list[str] = []
        self._has_script = script
        self.context = browser.new_context(viewport=_DESK, java_script_enabled=script)
        self.context.set_default_timeout(WAIT_MS)
        self.page = self.context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append(f"{self.where}: {error}"))
        self.page.on("request", self._watch)

    @property
    def where(self) -> str:
        """The path of the page."""
        return urlsplit(self.page.url).path

    def go(self, path: str) -> None:
        """Open a page and look at it."""
        self.page.goto(self.hub.url + path)
        self.look()

    def press(self, name: str, *, within: Any = None) -> None:
        """Press a button, and look at the page that comes."""
        with self.page.expect_navigation():
            (within or self.page).get_by_role("button", name=name, exact=True).first.click()
        self.look()

    def follow(self, name: str) -> None:
        """Follow a link, and look at where it leads."""
        with self.page.expect_navigation():
            self.page.get_by_role("link", name=name, exact=True).first.click()
        self.look()

    def fill(self, **fields: str) -> None:
        """Type into fields by their names in the form; ``_`` stands for ``-``."""
        for name, value in fields.items():
            self.page.locator(f"main [name={name}]:not([type=hidden])").first.fill(value)

    def sees(self, *words: str) -> None:
        """All of these are on the page."""
        text = " ".join(self.page.locator("body").inner_text().split())
        self.faults += [f"{self.where} does not say {one!r}" for one in words if one not in text]

    def look(self) -> None:
        """The page fits every width, and axe finds nothing in it, on a phone and on a desk."""
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 800})
            if (over := self._overflow()) > 0:
                self.faults.append(f"{self.where} is {over} pixels wider than {width}")
            if self._has_script and width in _AXE_WIDTHS:
                self.faults += [f"{self.where} at {width}: {one}" for one in violations(self.page)]
        self.page.set_viewport_size(_DESK)

    def _overflow(self) -> int:
        if self._has_script:
            script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            return int(self.page.evaluate(script))
        device = self.context.new_cdp_session(self.page)
        metrics = device.send("Page.getLayoutMetrics")
        device.detach()
        return int(metrics["cssContentSize"]["width"] - metrics["cssLayoutViewport"]["clientWidth"])

    def _hear(self, message: Any) -> None:
        """A refusal that the test provokes is no fault of the page; a script's error is."""
        if message.type == "error" and "the server responded with a status of" not in message.text:
            self.faults.append(f"{self.where}: {message.text}")

    def _watch(self, request: Any) -> None:
        home = {self.hub.url, self.hub.url.replace("127.0.0.1", "localhost")}
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" not in home and parts.scheme != "data":
            self.faults.append(f"{self.where} asks {request.url}")

    def close(self) -> None:
        """Forget the profile."""
        self.context.close()


def violations(page: Any, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe-core finds wrong with a page: rule, element, reason. ``rules``: these alone."""
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 -- an optional dependency

    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = Axe().run(page, options=options).response["violations"]
    return [_said(rule, node) for rule in found for node in rule["nodes"]]


def _said(rule: dict[str, Any], node: dict[str, Any]) -> str:
    reason = (node["any"] + node["all"] + node["none"])[0]["message"]
    return f"{rule['id']} at {node['target'][0]}: {reason} ({node['html'][:120]})"

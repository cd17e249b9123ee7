"""A hub with a small catalogue, and a reader's browser without script."""

import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from fastapi import FastAPI

from tests.fakes.executor import FakeExecutor
from tests.making.catalogue import fill, judge, make_services
from tests.making.hub import PASSWORD, Api


class Page:
    """An answer as a reader sees it."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self.status = answer.status_code
        self.html = answer.text
        self.url = str(answer.url)
        self._seen = _Seen(self.html)

    @property
    def text(self) -> str:
        """All text, white space folded."""
        return " ".join("".join(self._seen.texts).split())

    @property
    def elements(self) -> list[tuple[str, dict[str, str]]]:
        return self._seen.elements

    def all(self, element_name: str, /, **wanted: str) -> list[dict[str, str]]:
        return [
            attributes
            for element, attributes in self.elements
            if element == element_name
            and all(attributes.get(key.rstrip("_")) == value for key, value in wanted.items())
        ]

    @property
    def links(self) -> list[str]:
        return [urljoin(self.url, a["href"]) for a in self.all("a") if a.get("href")]

    @property
    def headings(self) -> int:
        return len(self.all("h1"))


class _Seen(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


class Browser:
    """Keeps cookies, follows redirects, sends what a form would; runs no script."""

    def __init__(self, app: FastAPI) -> None:
        self._api = Api(app)
        self._cookies: dict[str, str] = {}

    def get(self, path: str) -> Page:
        return self._go("GET", path)

    def post(self, path: str, form: dict[str, str | list[str]] | None = None, **headers: str) -> Page:
        return self._go("POST", path, form=form or {}, headers=headers)

    def _go(self, method: str, path: str, form: dict | None = None, headers: dict | None = None) -> Page:
        sent = {"accept": "text/html", **(headers or {})}
        if method == "POST":
            sent.setdefault("sec-fetch-site", "same-origin")
        for _ in range(5):
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
            answer = self._api.request(method, path, headers=sent, data=form if method == "POST" else None)
            self._remember(answer)
            if answer.status_code not in (302, 303, 307, 308):
                return Page(answer)
            parts = urlsplit(answer.headers["location"])
            path, method = parts.path + (f"?{parts.query}" if parts.query else ""), "GET"
        raise AssertionError("too many redirects")

    def _remember(self, answer: httpx.Response) -> None:
        for line in answer.headers.get_list("set-cookie"):
            name, _, rest = line.partition("=")
            value = rest.split(";")[0].strip('"')
            if value:
                self._cookies[name] = value
            else:
                self._cookies.pop(name, None)

    def sign_up(self, name: str) -> Page:
        """A new account, logged in."""
        if name in self._api.app.state.services.settings.moderators:
            self._api.sign_up(name)
            return self.post("/login", {"name": name, "password": PASSWORD})
        return self.post("/signup", {"name": name, "email": f"{name}@example.org", "password": PASSWORD})


@pytest.fixture
def executor() -> FakeExecutor:
    return FakeExecutor(judge)


@pytest.fixture(scope="session")
def small_catalogue(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A hub's folder with a measured catalogue and a run, and alice's token: made once, copied by each test."""
    folder = tmp_path_factory.mktemp("catalogue")
    shutil.copy(sqlite_template, folder / "hub.sqlite3")
    services = make_services(folder)
    token = fill(services)
    services.close()
    return folder, token


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Pages show what actions return, so one engine is enough here; with the catalogue where the test asks for it."""
    if "catalogue" in request.fixturenames:
        folder, _ = request.getfixturevalue("small_catalogue")
        shutil.copytree(folder / "data", tmp_path / "data")
        source = folder / "hub.sqlite3"
    else:
        source = request.getfixturevalue("sqlite_template")
    shutil.copy(source, tmp_path / "hub.sqlite3")
    return f"sqlite:///{tmp_path / 'hub.sqlite3'}"


@pytest.fixture
def reader(app: FastAPI) -> Browser:
    return Browser(app)


@pytest.fixture
def catalogue(api: Api, small_catalogue: tuple[Path, str]) -> Api:
    """alice's view of a hub with alice/small-sums 1.0.0 and 1.1.0, measured, alice/unmeasured, and a run."""
    return api.as_token(small_catalogue[1])


@pytest.fixture
def run_id(catalogue: Api) -> str:
    return catalogue.get("/api/v1/runs").json()["items"][0]["id"]

"""A hub with a small catalogue, and a reader's browser without script."""

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from fastapi import FastAPI

from hub_server.adapters.local_wheel_shelf import LocalWheelShelf
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.adapters.sqlite_search_index import SqliteSearchIndex
from hub_server.app import create_app
from hub_server.database.engine import Database
from hub_server.parts import Parts
from hub_server.settings import ServerSettings
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.fakes.wheel_inspector import FakeWheelInspector
from tests.hub_server.pages import samples
from tests.making.hub import PASSWORD, Api, make_package, run_jobs
from tests.making.wheel import METADATA

VECTOR_MANIFEST = """\
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl", endless = "alice_small_sums:generate" }
verifier = "alice_small_sums:verify"
audit = ["audit.jsonl"]
tags = ["math"]

[rewards.correct]
description = "the sum is right"

[rewards.parses]
role = "gate"
threshold = 1.0

[rewards.length]
role = "metric"
range = [0, 100]
"""
README = "# small-sums\n\nAdds <script>alert(1)</script>.\n\n[the code](src/alice_small_sums/__init__.py)\n"


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
        return self.post("/signup", {"name": name, "email": f"{name}@example.org", "password": PASSWORD})


def judge(_version: str, task: dict, response: str | None) -> Verdict:
    """Right when the response is the answer; a word of its own makes each fault."""
    names = ["correct", "parses", "length"]
    for kind in ErrorKind:
        if response == kind.value:
            return Verdict.unjudged(names, kind, f"it was {kind.value}")
    text = (response or "").strip()
    right = float(text == str(task.get("answer")))
    return Verdict(
        rewards={"correct": None if text == "?" else right, "parses": float(text != ""), "length": len(text)}
    )


@pytest.fixture
def executor() -> FakeExecutor:
    return FakeExecutor(judge)


@pytest.fixture(scope="session")
def small_catalogue(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A hub's folder with a measured catalogue and a run, and alice's token: made once, copied by each test."""
    folder = tmp_path_factory.mktemp("catalogue")
    shutil.copy(sqlite_template, folder / "hub.sqlite3")
    settings = ServerSettings(data=folder / "data", moderators=["moda"])
    blobs = ObjectBlobStore(settings.blobs_url)
    parts = Parts(
        settings=settings,
        database=Database(f"sqlite:///{folder / 'hub.sqlite3'}"),
        blobs=blobs,
        wheels=LocalWheelShelf(blobs, settings.data / "wheels"),
        inspector=FakeWheelInspector(blobs),
        executor=FakeExecutor(judge),
        search=SqliteSearchIndex(),
        clock=FakeClock(),
    )
    alice = Api(create_app(parts)).sign_up("alice")
    _publish_catalogue(alice)
    run_jobs(parts)
    _log_run(alice)
    parts.close()
    assert alice.token is not None
    return folder, alice.token


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


def _publish_catalogue(alice: Api) -> None:
    changed = "def verify(task, response):\n    # stricter\n    return {}\n"
    metadata = METADATA.replace("# Small sums\n", README)
    for version, code in (("1.0.0", "def verify(task, response):\n    return {}\n"), ("1.1.0", changed)):
        wheel = make_package(version=version, manifest=VECTOR_MANIFEST, code=code, metadata=metadata)
        assert alice.publish(wheel).status_code == 201
    bare = VECTOR_MANIFEST.replace('audit = ["audit.jsonl"]\n', "")
    assert alice.publish(make_package("alice/unmeasured", manifest=bare)).status_code == 201


def _log_run(alice: Api) -> None:
    digest = alice.get("/api/v1/packages/alice/small-sums/releases/1.1.0").json()["digest"]
    run = samples.run()
    body = {
        "name": run.name,
        "model": run.model,
        "recipe": run.recipe,
        "packages": [{"package": "alice/small-sums", "version": "1.1.0", "digest": digest}],
        "rewards": {name: reward.model_dump(mode="json") for name, reward in run.rewards.items()},
        "config": run.config,
    }
    created = alice.post("/api/v1/runs", json=body)
    assert created.status_code == 201, created.text
    address = f"/api/v1/runs/{created.json()['id']}"
    points = [json.loads(point.model_dump_json()) for point in samples.metrics()]
    assert alice.post(f"{address}/metrics", json={"items": points}).status_code == 200
    rows = [json.loads(row.model_dump_json()) for row in samples.rollouts()]
    assert alice.post(f"{address}/rollouts", json={"items": rows}).status_code < 300
    change = {"state": "finished", "summary": {n: c.model_dump() for n, c in run.summary.items()}}
    assert alice.request("PATCH", address, json=change).status_code == 200


@pytest.fixture
def run_id(catalogue: Api) -> str:
    return catalogue.get("/api/v1/runs").json()["items"][0]["id"]

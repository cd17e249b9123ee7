"""A stranger's hub with private packages is the hub on which they never were: every route is walked on both, and compared.

One hub has a private package of an organisation, with releases, audits, a counter-example, a comparison, label questions
and a private run with rollouts; the other has none of it. Whoever is not a member gets the same answers of both, to the
letter.
"""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.app import create_app
from hub_server.database.engine import Database
from tests.hub_server.conftest import TEMPLATE, _ask_postgres
from tests.hub_server.web.test_edges import _body_for
from tests.making.catalogue import make_services
from tests.making.hub import PASSWORD, Api, make_package, run_jobs
from tests.making.listening_app import serving

SECRET = re.compile(r"hush|whisper", re.IGNORECASE)
CHANGING = re.compile(
    r"[0-9a-hjkmnp-tv-z]{22}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?|[0-9a-f]{16}|verihub_\w+|\"(?:request_id|instance)\": ?\"[^\"]*\"|\d+(?:\.\d+)? ms|\d+\s\w+ ago|ed25519:[\w+/=]+:[\w+/=]+"
)
"""What differs between any two hubs: ids, times, tokens, request ids, and signatures over such."""
UNLIKE = {"/metrics", "/api/v1/openapi.json", "/api/v1/sessions", "/api/v1/account/activity", "/account"}
"""``/metrics`` counts requests and jobs; its counts of packages have a test of their own. The others list one's own acts."""
TEXT_PATHS = {"path": "alice_open/__init__.py", "filename": "x.whl", "project": "acme-hush"}


class Hub:
    """A hub with the public package ``alice/open``, and with everything private where ``has_private``."""

    def __init__(self, folder: Path, url: str, key: Ed25519Signer, *, has_private: bool) -> None:
        made = replace(make_services(folder), database=Database(url))
        many = {"writes_burst": 10**6, "reads_burst": 10**6, "logins_burst": 10**6}
        limits = made.settings.limits.model_copy(update=many)
        self.services = replace(made, settings=made.settings.model_copy(update={"limits": limits}), signer=key)
        self.app = create_app(self.services)
        self.anonymous = Api(self.app)
        self.ids: dict[str, str] = {}
        self.alice = self.anonymous.sign_up("alice").as_person()
        self.bob = self.anonymous.sign_up("bob").as_person()
        assert self.alice.post("/api/v1/organizations", json={"name": "acme"}).status_code == 201
        assert self.alice.publish(make_package("alice/open")).status_code == 201
        self.run_jobs()
        run = {"name": "shown", "kind": "training", "model": "m", "packages": [pin("alice/open")]}
        self.ids["open_run"] = self._made("/api/v1/runs", run)
        if has_private:
            self._make_private()
        self.run_jobs()
        self.alice, self.bob = (person.as_token(self._log_in(name)) for name, person in
                                (("alice", self.alice), ("bob", self.bob)))  # fmt: skip

    def _log_in(self, name: str) -> str:
        """A fresh proof of the password: the jobs took an hour."""
        answer = self.anonymous.post("/api/v1/sudo", json={"name": name, "password": PASSWORD})
        return str(answer.json()["secret"])

    def _made(self, path: str, body: dict[str, Any]) -> str:
        answer = self.alice.post(path, json=body)
        assert answer.status_code in (200, 201, 202), answer.text
        return str(answer.json().get("id") or answer.json().get("job"))

    def _make_private(self) -> None:
        for version in ("1.0.0", "1.1.0"):
            wheel = make_package("acme/hush", version)
            answer = self.alice.post("/api/v1/packages?visibility=private", content=wheel)
            assert answer.status_code == 201, answer.text
        self.run_jobs()
        run = {"name": "whisper", "kind": "training", "model": "whisper", "packages": [pin("acme/hush")]}
        self.ids["run_id"] = self._made("/api/v1/runs", run)
        rollouts = [
            {"step": 1, "package": "acme/hush", "task_id": "t1", "prompt": "whisper", "response": str(number),
             "rewards": {"correct": 1.0}}
            for number in range(3)
        ]  # fmt: skip
        sent = self.alice.post(f"/api/v1/runs/{self.ids['run_id']}/rollouts", json={"items": rollouts})
        assert sent.status_code < 300, sent.text
        hidden = {"name": "whisper too", "kind": "evaluation", "model": "m", "is_private": True,
                  "packages": [pin("alice/open")]}  # fmt: skip
        self.ids["hidden_run"] = self._made("/api/v1/runs", hidden)
        case = {
            "id": "c1",
            "task": {"id": "t", "prompt": "whisper", "answer": 4},
            "response": "five",
            "label": "incorrect",
        }
        self.ids["case_id"] = self._made("/api/v1/packages/acme/hush/releases/1.1.0/cases", case)
        about = {"title": "whisper", "text": "whisper", "case": self.ids["case_id"]}
        self.ids["discussion_id"] = self._made("/api/v1/packages/acme/hush/discussions", about)
        self._made("/api/v1/packages/acme/hush/label/gather", {})
        compared = self.alice.post("/api/v1/comparisons", json={"left": "acme/hush@1.1.0", "right": "alice/open@1.0.0"})
        if compared.status_code < 300:
            self.ids["comparison_id"] = compared.json().get("id", "none")

    def run_jobs(self) -> None:
        for _ in range(6):
            self.services.clock.advance(60)  # type: ignore[attr-defined]
            run_jobs(self.services)


def pin(package: str) -> dict[str, Any]:
    return {"package": package, "version": "1.0.0", "digest": "sha256:" + "0" * 64}


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.slow])]
)
def hubs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hub, Hub]]:
    folder = tmp_path_factory.mktemp("hubs")
    key = Ed25519Signer(folder / "signing.pem", make=True)
    made = []
    for name in ("with", "without"):
        (folder / name).mkdir()
        url = _fresh_database(request, folder / name)
        made.append(Hub(folder / name, url, key, has_private=name == "with"))
    yield made[0], made[1]
    for hub in made:
        hub.services.close()


def _fresh_database(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        path = folder / "hub.sqlite3"
        path.write_bytes(request.getfixturevalue("sqlite_template").read_bytes())
        return f"sqlite:///{path}"
    cluster, name = request.getfixturevalue("postgres_template"), f"private_{uuid4().hex[:12]}"
    _ask_postgres(cluster, f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} STRATEGY FILE_COPY")
    return str(cluster.format(name=name))


def addresses(app: FastAPI, ids: dict[str, str]) -> list[tuple[str, str, Any]]:
    """(method, path, JSON body) of every route, once with the private package's names, once with the public one's."""
    found: list[tuple[str, str, Any]] = []
    described = app.openapi()["paths"]
    for route in app.router.routes:
        if not isinstance(route, APIRoute) or route.path in UNLIKE:
            continue
        for package, version in (("acme/hush", "1.1.0"), ("alice/open", "1.0.0"), ("acme/hush", "latest")):
            owner, name = package.split("/")
            values = {"owner": owner, "name": name, "version": version, "account": owner, "run_id": ids["run_id"],
                      "case_id": ids["case_id"], "rollout_id": "1", "number": "1", **TEXT_PATHS}  # fmt: skip
            if "/runs/" in route.path and name == "open":
                values["run_id"] = ids["hidden_run"]
            path = "/".join(filled(part, ids | values) for part in route.path.split("/"))
            for method in sorted(route.methods - {"HEAD"}):
                if method != "GET" and "{" not in route.path:
                    continue  # of one's own account
                operation = described.get(route.path, {}).get(method.lower(), {})
                body = _body_for(app, operation) if method != "GET" and operation else None
                found.append((method, path, body))
    return list({(method, path): (method, path, body) for method, path, body in found}.values())


def filled(part: str, values: dict[str, str]) -> str:
    """One part of a route's path, with its parameters."""
    for name in re.findall(r"\{(\w+)", part):
        part = re.sub(rf"\{{{name}(?::\w+)?\}}", values.get(name, "none"), part)
    return part


QUERIES = [
    "/packages?q=hush", "/packages?owner=acme", "/api/v1/packages?q=hush", "/api/v1/packages?owner=acme",
    "/api/v1/packages?sort=newest", "/api/v1/packages?sort=name&kind=environment", "/packages?sort=updated",
    "/api/v1/runs?owner=alice", "/api/v1/runs?package=acme/hush", "/api/v1/runs?model=whisper", "/runs?owner=alice",
    "/runs?package=acme/hush", "/compare?left=acme/hush&right=alice/open", "/feeds/packages/acme/hush.atom",
    "/feeds/owners/acme.atom", "/simple/acme-hush/", "/owners/acme", "/owners/alice", "/api/v1/accounts/alice",
]  # fmt: skip


def shape_of(answer: httpx.Response) -> tuple[int, str, str]:
    tag = answer.headers.get("etag", "") if len(answer.headers.get("etag", "")) > 60 else ""
    text = CHANGING.sub("…", answer.text)
    return answer.status_code, answer.headers.get("location", ""), text + CHANGING.sub("…", tag)


def walk(hubs: tuple[Hub, Hub], who: str) -> tuple[int, list[str]]:
    """How many addresses were asked, and where the answers differ or name something private."""
    having, lacking = hubs
    wrong = []
    asked = [*addresses(having.app, having.ids), *(("GET", path, None) for path in (*QUERIES, _compared(having)))]
    for method, path, body in asked:
        given = {"json": body} if body is not None else {}
        answers = [
            getattr(hub, who).request(method, path, headers={"Accept": accepted}, **given)
            for hub in (having, lacking)
            for accepted in ["*/*" if "/api/" in path else "text/html"]
        ]
        one, other = (shape_of(answer) for answer in answers)
        echoes = SECRET.search(answers[1].text) is not None  # it says back what was asked for
        if one != other:
            wrong.append(f"{method} {path}: {one[:2]} {_first_difference(one[2], other[2])}, and without: {other[:2]}")
        elif SECRET.search(answers[0].text) and not echoes:
            wrong.append(f"{method} {path} names it")
    return len(asked), wrong


def _compared(hub: Hub) -> str:
    """The comparison of two runs that nobody but the organisation sees."""
    return f"/runs/compare?run={hub.ids['run_id']}&run=/runs/{hub.ids['hidden_run']}"


def _first_difference(one: str, other: str) -> str:
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"…{one[max(0, at - 60) : at + 80]!r} / {other[max(0, at - 60) : at + 80]!r}"


HUSH = "acme/hush"
NAMING = [
    ("/api/v1/runs", {"name": "x", "kind": "training", "model": "m", "packages": [pin(HUSH)]}),
    ("/api/v1/runs", {"name": HUSH, "kind": "evaluation", "model": "m", "config": {"env": f"{HUSH}@1.1.0"}}),
    ("/api/v1/comparisons", {"left": "alice/open@1.0.0", "right": f"{HUSH}@1.1.0"}),
    ("/api/v1/collections/bob/c", {"title": "t", "entries": [{"package": HUSH}], "visibility": "private"}),
    ("/api/v1/webhooks", {"owner": "bob", "package": HUSH, "url": "https://hooks.example/"}),
    ("/api/v1/webhooks", {"owner": "acme", "package": HUSH, "url": "https://hooks.example/"}),
    ("/api/v1/trusted-publishing/token", {"package": HUSH, "identity_token": "a.b.c"}),
    ("/api/v1/packages/alice/open/discussions", {"title": "t", "text": f"see {HUSH} and [it](/packages/{HUSH})"}),
]
"""What a stranger may send that names it, beside the addresses of the walk."""


def test_a_stranger_who_names_it_in_what_is_sent_learns_as_little(hubs: tuple[Hub, Hub]) -> None:
    for path, body in NAMING:
        method = "PUT" if "/collections/" in path else "POST"
        one, other = (shape_of(hub.bob.request(method, path, json=body)) for hub in hubs)
        assert one == other, (path, body)
    bench = f'format = 1\nid = "alice/small-sums"\nkind = "benchmark"\nenvironments = ["{HUSH}@1.1.0"]\n'
    for wheel in (make_package(HUSH, "1.1.0"), make_package("bob/bench", manifest=bench)):
        for query in ("", "?dry_run=true", "?visibility=private"):
            answers = [shape_of(hub.bob.post(f"/api/v1/packages{query}", content=wheel)) for hub in hubs]
            assert answers[0] == answers[1], query
            assert answers[0][0] in (403, 422)


@pytest.mark.parametrize("who", ["anonymous", "bob"])
def test_a_stranger_cannot_tell_it_from_a_hub_where_it_never_was(hubs: tuple[Hub, Hub], who: str) -> None:
    asked, wrong = walk(hubs, who)
    assert not wrong, "\n".join(wrong)
    assert asked > 150


def test_a_member_reads_it_by_every_address(hubs: tuple[Hub, Hub]) -> None:
    """The walk above would prove nothing if these addresses answered nobody."""
    having, _ = hubs
    base, run = "/packages/acme/hush", having.ids["run_id"]
    for path in (
        base, f"{base}/releases", f"{base}/releases/1.1.0/audit", f"{base}/releases/1.1.0/code", f"{base}/used-by",
        f"/api/v1{base}", f"/api/v1{base}/releases/1.1.0/wheel", f"/api/v1{base}/audits", f"/api/v1{base}/cases",
        f"{base}/discussions", f"{base}/discussions/{having.ids['discussion_id']}", f"/api/v1{base}/discussions",
        f"/runs/{run}", f"/api/v1/runs/{run}/rollouts", "/simple/acme-hush/", "/owners/acme", "/runs",
        f"/runs/{having.ids['hidden_run']}", _compared(having),
    ):  # fmt: skip
        answer = having.alice.get(path)
        assert answer.status_code == 200, (path, answer.text[:200])
        assert re.search("private|no-store", answer.headers.get("cache-control", "")), path
        assert path.endswith("/wheel") or SECRET.search(answer.text), path
    assert having.bob.get(f"/api/v1{base}").status_code == 404


def test_metrics_count_what_everybody_sees(hubs: tuple[Hub, Hub]) -> None:
    counts = [re.findall(r"verihub_rows\{.*", hub.anonymous.metrics()) for hub in hubs]
    assert counts[0] == counts[1]
    assert 'verihub_rows{table="packages"} 1.0' in counts[0]


def test_a_session_over_a_websocket_is_refused_as_for_a_package_that_is_not_there(hubs: tuple[Hub, Hub]) -> None:
    having, _ = hubs

    def answer(token: str | None, package: str) -> str:
        path = f"/api/v1/packages/{package}/releases/1.1.0/session"
        with serving(having.app) as served:
            try:
                address = served.url.replace("http", "ws") + path
                with connect(address, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
                    with contextlib.suppress(ConnectionClosed):  # a refusal needs no question: what was said stands
                        socket.send('{"id": "1", "op": "spec"}')
                    said = str(socket.recv(timeout=60))
            except InvalidStatus as refused:
                said = f"{refused.response.status_code} {refused.response.body.decode()}"
            except ConnectionClosed as closed:
                said = str(closed)
        return CHANGING.sub("…", said)

    strangers = answer(having.bob.token, "acme/hush")
    assert strangers.replace("acme/hush", "acme/none") == answer(having.bob.token, "acme/none")
    assert strangers != answer(having.alice.token, "acme/hush")

"""Who may do what with what an organisation has: every route about it, tried by each role from the least on."""

import re
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from hub_server.kernel.services import Services
from tests.making.hub import Api, make_package, run_jobs

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # rights are asked of no database

ANYBODY, STRANGER, MEMBER, MAINTAINER, OWNER, MODERATOR = range(6)
NAMES = ("nobody", "carol", "mel", "mat", "olga", "moda")
"""An account of each rank; the first has none, and the last is no member."""
PACKAGE, HUSH, LIST = "/packages/{owner}/{name}", "/packages/{owner}/hush", "/collections/{owner}/{name}"
WATCHED = "/account/watches/{owner}/{name}"


@dataclass(frozen=True)
class Row:
    """Whoever has a lower rank than ``least`` is refused; an account of this rank is not."""

    least: int
    method: str
    path: str
    json: Any = None
    form: dict[str, str] | None = None
    names: dict[str, str] = field(default_factory=dict)


def page(least: int, path: str, **form: str) -> Row:
    return Row(least, "POST", path, form=form)


def api(least: int, method: str, path: str, json: Any = None, **names: str) -> Row:
    return Row(least, method, f"/api/v1{path}", json, names=names)


SECRET = {"name": "secret"}
ROWS = [
    api(ANYBODY, "GET", f"{PACKAGE}/transfers"),
    api(MEMBER, "GET", f"{PACKAGE}/transfers", name="hush"),
    api(STRANGER, "PUT", "/account/watches/{owner}"),
    api(STRANGER, "DELETE", "/account/watches/{owner}"),
    api(STRANGER, "PUT", WATCHED),
    api(MEMBER, "PUT", WATCHED, name="hush"),
    api(STRANGER, "DELETE", WATCHED),
    api(MAINTAINER, "PUT", LIST, {"title": "t", "entries": [{"package": "lab/sums"}]}),
    api(ANYBODY, "GET", LIST),
    api(
        MAINTAINER, "PUT", LIST, {"title": "t", "visibility": "private", "entries": [{"package": "lab/hush"}]}, **SECRET
    ),
    api(MEMBER, "GET", LIST, **SECRET),
    Row(MEMBER, "GET", LIST, names=SECRET),
    Row(MEMBER, "GET", f"{LIST}/edit", names=SECRET),
    Row(ANYBODY, "GET", f"{LIST}/report"),
    Row(MEMBER, "GET", f"{LIST}/report", names=SECRET),
    page(STRANGER, f"{LIST}/report", reason="spam", text="one page of links"),
    api(STRANGER, "POST", f"{LIST}/reports", {"reason": "spam", "text": "one page of links"}),
    page(MAINTAINER, "/collections", id="lab/other", title="t"),
    page(MAINTAINER, f"{LIST}/delete", sure="yes"),
    api(MAINTAINER, "PUT", LIST, {"title": "t"}),
    page(MODERATOR, f"{LIST}/hide", reason="spam"),
    api(MODERATOR, "POST", f"{LIST}/show", {"reason": "was none"}),
    api(MODERATOR, "POST", f"{LIST}/hide", {"reason": "spam"}),
    page(MODERATOR, f"{LIST}/hide", act="end", reason="was none"),
    api(MAINTAINER, "DELETE", LIST),
    api(MAINTAINER, "POST", "/webhooks", {"owner": "lab", "url": "https://hooks.example/x"}),
    page(MAINTAINER, "/owners/{owner}/webhooks", url="https://hooks.example/y"),
    Row(MAINTAINER, "GET", "/owners/{owner}/webhooks"),
    api(MAINTAINER, "GET", "/webhooks?owner=lab"),
    api(MAINTAINER, "GET", "/webhooks/{webhook_id}"),
    Row(MAINTAINER, "GET", "/webhooks/{webhook_id}"),
    api(MAINTAINER, "GET", "/webhooks/{webhook_id}/deliveries"),
    api(MAINTAINER, "POST", "/webhooks/{webhook_id}/deliveries/{delivery_id}/again"),
    page(MAINTAINER, "/webhooks/{webhook_id}/deliveries/{delivery_id}/again"),
    *(api(MAINTAINER, "POST", f"/webhooks/{{webhook_id}}/{act}") for act in ("secret", "enable", "test")),
    *(page(MAINTAINER, f"/webhooks/{{webhook_id}}/{act}") for act in ("secret", "enable", "test")),
    page(MAINTAINER, "/webhooks/{webhook_id}/remove"),
    api(MAINTAINER, "DELETE", "/webhooks/{other_webhook}"),
    api(MAINTAINER, "POST", f"{PACKAGE}/archive", {"reason": "done"}),
    api(MAINTAINER, "POST", f"{PACKAGE}/unarchive"),
    Row(MAINTAINER, "GET", f"{PACKAGE}/settings"),
    page(MAINTAINER, f"{PACKAGE}/settings", act="archive", reason="done"),
    page(MAINTAINER, f"{PACKAGE}/settings", act="unarchive"),
    api(OWNER, "POST", f"{PACKAGE}/transfer", {"to": "carol"}),
    api(OWNER, "DELETE", f"{PACKAGE}/transfer"),
    page(OWNER, f"{PACKAGE}/settings", act="offer", to="carol"),
    page(OWNER, f"{PACKAGE}/settings", act="take-back"),
    api(OWNER, "DELETE", f"{PACKAGE}/releases/{{version}}"),
    page(OWNER, f"{PACKAGE}/settings", act="delete", version="1.1.0", confirmed="lab/sums 1.1.0"),
    page(OWNER, f"{PACKAGE}/settings", act="delete", confirmed="lab/sums"),
    api(OWNER, "DELETE", PACKAGE, name="hush"),
    api(OWNER, "PUT", "/organizations/{organization}/members", {"account": "carol", "role": "owner"}),
    page(OWNER, "/owners/{owner}/members", account="carol", role="owner"),
    api(OWNER, "DELETE", "/organizations/{organization}/members/{account}"),
    page(OWNER, "/owners/{owner}/members/{account}/remove"),
]


@pytest.fixture
def people(api: Api, services: Services) -> dict[str, Api]:
    """By name; ``nobody`` has no account. lab has two packages, one of them private."""
    found = {name: api.sign_up(name).as_person() for name in NAMES[1:]}
    olga = found["olga"]
    assert olga.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    for name, role in (("mel", "member"), ("mat", "maintainer")):
        asked = olga.request("PUT", "/api/v1/organizations/lab/members", json={"account": name, "role": role})
        joined = found[name].post("/api/v1/organizations/lab/invitation", json={"accept": True})
        assert (asked.status_code, joined.status_code) == (200, 200)
    for version in ("1.0.0", "1.1.0", "1.2.0"):
        assert olga.publish(make_package("lab/sums", version)).status_code == 201
    hidden = olga.post("/api/v1/packages?visibility=private", content=make_package("lab/hush"))
    assert hidden.status_code == 201
    run_jobs(services)
    return found | {"nobody": api}


def filled(row: Row, names: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: (names | row.names)[match[1]], row.path)


def is_refused(answer: httpx.Response) -> bool:
    to_login = answer.status_code == 303 and re.match(r"/(login|account/proof)", answer.headers["location"])
    return bool(to_login) or answer.status_code in (401, 403, 404)


def test_each_role_may_do_what_it_is_for_and_nothing_above_it(people: dict[str, Api]) -> None:
    mat = people["mat"]
    hooks = [
        mat.post("/api/v1/webhooks", json={"owner": "lab", "url": f"https://hooks.example/{n}"}).json()["webhook"]["id"]
        for n in range(2)
    ]
    delivery = mat.post(f"/api/v1/webhooks/{hooks[0]}/test").json()["id"]
    names = {"owner": "lab", "organization": "lab", "name": "sums", "version": "1.0.0", "account": "moda",
             "webhook_id": hooks[0], "other_webhook": hooks[1], "delivery_id": delivery}  # fmt: skip
    wrong = []
    for row in ROWS:
        for rank in sorted({ANYBODY, min(STRANGER, row.least), max(row.least - 1, 0), row.least}):
            name = NAMES[rank]
            sent = {"json": row.json} if row.json is not None else {"data": row.form} if row.form is not None else {}
            answer = people[name].request(row.method, filled(row, names), **sent)
            if is_refused(answer) is not (rank < row.least):
                wrong.append(
                    f"{name}: {row.method} {row.path} {row.form or ''} {answer.status_code} {answer.text[:200]}"
                )
    assert not wrong, "\n".join(wrong)


SUBJECTS = re.compile(r"webhook|collections/\{|/transfers?\b|archive|watches/|/settings$")
ELSEWHERE = {"POST /api/v1/packages/{owner}/{name}/transfer/answer", "GET /api/v1/account/transfers"}
"""For the receiver: tests/hub_server/ownership/test_routes.py."""


def test_no_route_about_these_subjects_is_left_out(app: FastAPI) -> None:
    def shape(path: str) -> str:
        return re.sub(r"\{\w+\}", "{}", path.partition("?")[0])

    tried = {f"{row.method} {shape(row.path)}" for row in ROWS}
    routes = [route for route in app.router.routes if isinstance(route, APIRoute) and SUBJECTS.search(route.path)]
    there = {f"{method} {route.path}" for route in routes for method in route.methods - {"HEAD"}}
    assert len(there) > 30
    assert sorted(one for one in there - ELSEWHERE if shape(one) not in tried) == []

"""Every change that an account makes over HTTP leaves one row of who changed what, and nothing else leaves one."""

import json
import re
from collections import Counter

import pytest
from fastapi import FastAPI

from hub_server.database.activity import page_of
from hub_server.kernel.services import Services
from tests.hub_server.web.test_edges import _body_for
from tests.hub_server.web.test_ownership import names_for, things  # noqa: F401 -- a fixture
from tests.making.hub import Api, make_package

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

NO_CHANGE = re.compile(r".*/(score|judge)$")
"""They run code and keep nothing of the caller's."""
KEPT_BY_THEIR_ROWS = {"/api/v1/runs/{run_id}/metrics", "/api/v1/runs/{run_id}/rollouts"}


def rows(services: Services) -> list[str]:
    with services.database.reading() as session:
        return [f"{row.act} | {row.target} | {row.by}" for row in page_of(session, None, None, 1000)]


def test_each_change_leaves_one_row_and_a_refusal_none(
    app: FastAPI,
    alice: Api,
    services: Services,
    things: dict[str, str],  # noqa: F811
) -> None:
    """The whole API is walked by its owner. What succeeds and could change something is one row more."""
    person, done = alice.as_person(), Counter[str]()
    for path, operations in sorted(app.openapi()["paths"].items(), key=lambda one: one[0].count("password")):
        for method in operations.keys() & {"get", "post", "put", "patch", "delete"}:
            if path.endswith(("/tasks", "/mcp")) or "/account/password" in path:
                continue
            names = names_for(path, things)
            address = re.sub(r"\{([^}:]+)[^}]*\}", lambda match: names.get(match[1], "x1"), path)  # noqa: B023
            before = len(rows(services))
            body = {"json": _body_for(app, operations[method])} if method != "get" else {}
            answer = person.request(method.upper(), address, **body)
            is_change = (
                method != "get"
                and answer.status_code < 300
                and not NO_CHANGE.match(path)
                and path not in KEPT_BY_THEIR_ROWS
            )
            found = rows(services)
            assert len(found) - before == is_change, (
                f"{method} {path}: {answer.status_code} {found[: len(found) - before]}"
            )
            done["changes"] += is_change
            done["refusals"] += answer.status_code >= 400
    assert done["changes"] >= 15, done
    assert done["refusals"] >= 5, done


def test_a_publish_that_is_refused_leaves_none_and_one_that_is_not_says_which(alice: Api, services: Services) -> None:
    before = len(rows(services))
    assert alice.publish(b"no wheel").status_code == 422
    assert len(rows(services)) == before
    assert alice.publish(make_package()).status_code == 201
    assert rows(services)[0] == "Publish a release | /api/v1/packages | token"


def test_rows_hold_no_secret_and_no_body(alice: Api, services: Services) -> None:
    person = alice.as_person()
    made = person.post("/api/v1/tokens", json={"name": "of a private project"}).json()["secret"]
    text = json.dumps(rows(services))
    assert "Make a token" in text
    for word in (made, "private project", str(alice.token), str(person.token), "alice@example.org"):
        assert word not in text


def test_its_person_sees_it_over_http_and_a_token_does_not(alice: Api) -> None:
    assert alice.get("/api/v1/account/activity").status_code == 403
    items = alice.as_person().get("/api/v1/account/activity").json()["items"]
    assert [one["act"] for one in items] == ["Type the password again", "Sign up"]

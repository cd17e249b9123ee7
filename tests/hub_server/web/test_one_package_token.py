"""A token of one package, or of one owner, over every route that changes something: it publishes, and nothing else happens."""

import re
from typing import Any

from sqlalchemy import text

from hub_server.database.base import Base
from hub_server.kernel.services import Services
from tests.hub_server.web.test_edges import _body_for
from tests.making.hub import Api, make_package, run_jobs

OWN, OTHER = "alice/small-sums", "alice/other"
ARCHIVE = ("POST", "/api/v1/packages/{owner}/{name}/archive")
FORGOTTEN = {"rate_buckets", "upload_days", "tokens", "activity", "download_days", "download_senders"}
"""Paces, counts and the log of what was asked."""
OF_NOBODY = {
    ("POST", "/api/v1/accounts"), ("POST", "/api/v1/login"), ("POST", "/api/v1/device/code"),
    ("POST", "/api/v1/device/token"), ("POST", "/api/v1/account/recovery"), ("POST", "/api/v1/account/recovery/password"),
    ("POST", "/api/v1/trusted-publishing/token"), ("POST", "/api/v1/account/email/confirmation"),
    ("POST", "/api/v1/packages/{owner}/{name}/releases/{version}/score"),
    ("POST", "/api/v1/packages/{owner}/{name}/releases/{version}/judge"),
    ("POST", "/api/v1/tokens/revoke"),
}  # fmt: skip
"""What asks for no account, so that a token adds nothing; whoever finds a token may end it."""
OF_ITS_BYTES = {("DELETE", "/api/v1/uploads/{digest}")}
"""Its own large wheel comes in parts. Those of another are found by their digest alone, which nobody guesses."""


def rows_of(services: Services) -> dict[str, list[str]]:
    with services.database.reading() as session:
        return {
            table.name: sorted(map(str, session.execute(text(f"SELECT * FROM {table.name}")).all()))
            for table in Base.metadata.sorted_tables
            if table.name not in FORGOTTEN
        }


def walk(alice: Api, services: Services, narrow: dict[str, str], other: str) -> Api:
    """A token that is ``narrow`` changes nothing of the package ``other``, nor anything else; returns its holder."""
    assert alice.publish(make_package(other)).status_code == 201
    run_jobs(services)
    owner, name = other.split("/")
    case = {"id": "c", "task": {"id": "t", "prompt": "?", "answer": 4}, "response": "five", "label": "incorrect"}
    bob = alice.sign_up("bob")
    case_id = bob.post(f"/api/v1/packages/{other}/releases/1.0.0/cases", json=case).json()["id"]
    run_id = alice.post("/api/v1/runs", json={"name": "r"}).json()["id"]
    posted = alice.post(f"/api/v1/packages/{other}/discussions", json={"title": "Which?", "text": "Which sums?"})
    made = alice.as_person().post("/api/v1/tokens", json={"name": "ci", **narrow})
    assert made.status_code == 201, made.text
    holder = alice.as_token(made.json()["secret"])
    values = {"owner": owner, "name": name, "version": "1.0.0", "case_id": case_id, "run_id": run_id,
              "discussion_id": posted.json()["id"], "number": "1", "account": "alice", "digest": f"sha256:{'0' * 64}",
              "token_id": made.json()["token"]["id"]}  # fmt: skip
    before, said = rows_of(services), {}
    for path, operations in alice.app.openapi()["paths"].items():
        for method in sorted({one.upper() for one in operations} - {"GET", "HEAD"}):
            if (method, path) in OF_NOBODY:
                continue
            address = re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: values.get(found[1], "none"), path)
            body: Any = _body_for(alice.app, operations[method.lower()])
            answer = holder.request(method, address, json=body) if body is not None else holder.request(method, address)
            said[method, path] = answer.status_code
    assert {key for key, code in said.items() if code < 400} == OF_ITS_BYTES
    unread = {key for key, code in said.items() if code == 422}  # their bodies were refused first
    assert unread == {("POST", "/api/v1/packages"), ("PUT", "/api/v1/uploads/{digest}/parts/{number}"), ARCHIVE}
    assert holder.request("POST", f"/api/v1/packages/{other}/archive", json={"reason": "old"}).status_code == 403
    assert holder.publish(make_package(other, "1.1.0")).status_code == 403
    assert holder.post(f"/api/v1/packages/{other}/releases/1.0.0/yank", json={"reason": "x"}).status_code == 403
    assert {name: rows for name, rows in rows_of(services).items() if rows != before[name]} == {}
    return holder


def test_one_of_a_package_changes_nothing_but_its_package(alice: Api, services: Services) -> None:
    assert alice.publish(make_package(OWN)).status_code == 201
    holder = walk(alice, services, {"package": OWN}, OTHER)
    assert holder.request("POST", f"/api/v1/packages/{OWN}/archive", json={"reason": "old"}).status_code == 403
    assert holder.publish(make_package(OWN, "1.1.0")).status_code == 201, "and it does what it is for"


def test_one_of_an_owner_changes_nothing_but_that_owners_packages(alice: Api, services: Services) -> None:
    """Packages of the account itself too, when it is of an organisation."""
    assert alice.as_person().post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    assert alice.publish(make_package("lab/sums")).status_code == 201
    holder = walk(alice, services, {"owner": "lab"}, OTHER)
    assert holder.post("/api/v1/packages/lab/sums/archive", json={"reason": "old"}).status_code == 403
    entries = [{"package": "lab/sums", "note": "ours"}]
    body = {"title": "Best", "entries": entries}
    assert alice.request("PUT", "/api/v1/collections/lab/best", json=body).status_code < 300
    assert holder.request("PUT", "/api/v1/collections/lab/best", json=body).status_code == 403
    assert holder.get("/api/v1/owners/lab/events").status_code == 403
    for package, version in (("lab/sums", "1.1.0"), ("lab/more", "1.0.0")):
        assert holder.publish(make_package(package, version)).status_code == 201, "and it does what it is for"

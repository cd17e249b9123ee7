"""Deleting one's own account: what refuses it, what is erased, and what stays."""

import pytest
from fastapi import FastAPI
from sqlalchemy import text

from hub_server.database.base import Base
from hub_server.kernel.services import Services
from tests.making.hub import PASSWORD, Api, make_package

DELETION = "/api/v1/account/deletion"


def _delete(person: Api, name: str):
    return person.post(DELETION, json={"name": name})


def test_it_is_refused_without_the_password_and_the_typed_name(alice: Api) -> None:
    assert _delete(alice, "alice").status_code == 403, "a token deletes no account"
    assert _delete(alice.as_person(), "bob").status_code == 422
    assert alice.get("/api/v1/account").status_code == 200


def test_a_package_that_is_not_deleted_refuses_it_and_one_that_was_given_away_stays(alice: Api) -> None:
    bob = alice.sign_up("bob")
    assert alice.publish(make_package()).status_code == 201
    refused = _delete(alice.as_person(), "alice")
    assert refused.status_code == 409
    assert "alice/small-sums" in refused.json()["detail"]
    person = alice.as_person()
    assert person.post("/api/v1/packages/alice/small-sums/transfer", json={"to": "bob"}).status_code == 201
    answer = bob.as_person().post("/api/v1/packages/alice/small-sums/transfer/answer", json={"accept": True})
    assert answer.status_code == 200, answer.text
    assert _delete(alice.as_person(), "alice").status_code == 204
    anyone = alice.as_token(None)
    assert anyone.get("/api/v1/packages/alice/small-sums/releases/1.0.0/wheel").status_code == 200, "pins work"
    for path in ("/packages/alice/small-sums", "/packages/alice/small-sums/releases", "/packages", "/"):
        assert anyone.get(path, headers={"accept": "text/html"}).status_code == 200
    assert bob.publish(make_package(version="1.1.0")).status_code == 201, "its new owner goes on"


def test_the_only_owner_of_an_organisation_stays(alice: Api) -> None:
    assert alice.as_person().post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    refused = _delete(alice.as_person(), "alice")
    assert refused.status_code == 409
    assert "lab" in refused.json()["detail"]


def test_personal_data_is_erased_and_the_name_is_taken_for_ever(app: FastAPI, alice: Api, services: Services) -> None:
    person = alice.as_person()
    assert alice.as_person().post("/api/v1/tokens", json={"name": "ci", "scopes": ["read"]}).status_code == 201
    with services.database.reading() as session:
        account_id = session.execute(text("SELECT id FROM accounts WHERE name = 'alice'")).scalar_one()
    assert _delete(person, "alice").status_code == 204
    with services.database.reading() as session:
        row = session.execute(text("SELECT * FROM accounts WHERE id = :id"), {"id": account_id}).mappings().one()
        left = [
            table.name
            for table in Base.metadata.sorted_tables
            if "account_id" in table.c
            and session.execute(table.select().where(table.c.account_id == account_id)).first() is not None
        ]
    assert set(left) <= {"activity"}, "the log of changes alone"
    assert (row["email"], row["password_hash"], row["display_name"]) == ("", "", "")
    assert (row["name"], row["kind"]) == ("alice", "deleted")
    assert "alice@example.org" not in str(dict(row))
    assert alice.get("/api/v1/account").status_code == 401, "its tokens are gone"
    assert (
        alice.post("/api/v1/login", json={"name": "alice", "password": PASSWORD, "token_name": "x"}).status_code == 401
    )
    anyone = Api(app)
    assert anyone.get("/api/v1/accounts/alice").status_code == 404
    for name in ("alice", "a1ice"):
        body = {"name": name, "email": "mallory@example.org", "password": PASSWORD}
        assert anyone.post("/api/v1/accounts", json=body).status_code == 409, name


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_moderator_stays(alice: Api, services: Services) -> None:
    moda = alice.sign_up("moda")
    assert _delete(moda.as_person(), "moda").status_code == 409

"""A request that had found its account before somebody deleted it leaves nothing behind: all of it is undone."""

import threading

import pytest
from sqlalchemy import text

from hub_server.database.visibility import MAY_WRITE
from hub_server.kernel.caller import Caller, Credentials
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from tests.making.hub import Api

ACTS = {
    "address": ("PUT", "/api/v1/account/email", {"email": "still@example.org"}),
    "page": ("PUT", "/api/v1/owners/ann", {"display_name": "Still Ann", "description": "here"}),
    "token": ("POST", "/api/v1/tokens", {"name": "still"}),
    "watch": ("PUT", "/api/v1/account/watches/bob", None),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("database_url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_what_waits_for_a_deletion_is_refused_and_undone(
    act: str, api: Api, bob: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an account that was gone, an address and a page were kept. SQLite has one writer, who finds it gone."""
    assert bob.get("/api/v1/account").status_code == 200
    ann = api.sign_up("ann").as_person()
    found, go = threading.Event(), threading.Event()
    method, path, body = ACTS[act]
    authenticate = api.app.state.authenticate

    def slowly(work: UnitOfWork, credentials: Credentials) -> Caller | None:
        caller = authenticate(work, credentials)
        if waiting and work.session.info.get(MAY_WRITE):
            waiting.clear()
            found.set()
            go.wait(30)
        return caller

    waiting: list[int] = [1]
    statuses: list[int] = []
    waiter = threading.Thread(target=lambda: statuses.append(ann.request(method, path, json=body).status_code))
    monkeypatch.setattr(api.app.state, "authenticate", slowly)
    waiter.start()
    assert found.wait(30)
    assert ann.post("/api/v1/account/deletion", json={"name": "ann"}).status_code == 204
    go.set()
    waiter.join(60)
    assert statuses == [401]
    with services.database.reading() as session:
        row = session.execute(text("SELECT * FROM accounts WHERE name = 'ann'")).mappings().one()
        assert (row["email"], row["display_name"], row["kind"]) == ("", "", "deleted")
        for table in ("tokens", "watches", "mailed_secrets"):
            count = session.scalar(text(f"SELECT count(*) FROM {table} WHERE account_id = :id"), {"id": row["id"]})
            assert count == 0, table

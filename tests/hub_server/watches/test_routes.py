"""Watches over HTTP: odd names are refusals, and doing it twice is harmless."""

from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from hub_server.database.engine import Database
from hub_server.watches import queries
from tests.making.engines import INTERLEAVING
from tests.making.hub import Api

WATCHES = "/api/v1/account/watches"


@INTERLEAVING
def test_two_clicks_at_once_are_one_watch(
    alice: Api, bob: Api, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second comes while the first has found no watch and has written none."""
    alice.request("DELETE", f"{WATCHES}/bob")  # notes that the token was used: no lock of that is waited for below
    seconds: list[Future[int]] = []
    real = queries.count_watches

    def click() -> int:
        return alice.request("PUT", f"{WATCHES}/bob").status_code

    def count(session: Session, account_id: str) -> int:
        if not seconds:
            seconds.append(pool.submit(click))
            waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not seconds[0].done() and not session.scalar(waiting):
                pass
        return real(session, account_id)

    monkeypatch.setattr(queries, "count_watches", count)
    with ThreadPoolExecutor(2) as pool:
        assert (pool.submit(click).result(60), seconds[0].result(60)) == (204, 204)
    assert len(alice.get(WATCHES).json()["items"]) == 1


@pytest.mark.parametrize("path", ["%00", "a%2Fb", "x" * 300, "alice/%00", "alice/" + "x" * 300, "0/0", "%F0%9F%98%80"])
def test_no_name_is_a_fault_of_the_hub(alice: Api, path: str) -> None:
    assert alice.request("PUT", f"{WATCHES}/{path}").status_code in (404, 422)
    assert alice.request("DELETE", f"{WATCHES}/{path}").status_code in (204, 404, 422)


def test_an_account_that_never_watched_is_told_so(alice: Api) -> None:
    assert alice.get(WATCHES).json() == {"items": [], "pace": "hour", "is_mailed": False}

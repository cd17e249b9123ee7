"""An account's standing over HTTP: for everybody, in pages."""

from hub_server.audits import actions
from tests.hub_server.audits.judged import MODA, SUMS, hack, submit
from tests.hub_server.audits.routes.served import as_account
from tests.making.action_driver import ActionDriver


def test_a_stranger_reads_it_page_by_page(hedging: ActionDriver) -> None:
    for name in ("one", "two"):
        hedging.do(MODA, actions.second_case, SUMS, submit(hedging, hack(name, response=f"2 or {name}")).id)
    stranger = as_account(hedging, None)
    path = "/api/v1/accounts/bob/standing"
    first = stranger.get(f"{path}?limit=1").json()
    assert (first["points"], first["missing"], len(first["items"])) == (2, 1, 1)
    second = stranger.get(f"{path}?limit=1&cursor={first['next']}").json()
    assert (len(second["items"]), second["next"]) == (1, None)
    assert first["quotas"] == {"waiting": 5, "cases": 40, "labels": 50, "words": 10}
    missing = stranger.get("/api/v1/accounts/nobody/standing")
    assert (missing.status_code, missing.json()["code"]) == (404, "account_not_found")
    assert stranger.get(f"{path}?cursor=x").status_code == 422

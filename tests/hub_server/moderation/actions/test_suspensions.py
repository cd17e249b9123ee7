"""A suspended account does nothing more; what it published can be hidden in one step, and shown again."""

import pytest

from hub_server.accounts import actions as accounts
from hub_server.accounts.errors import AccountSuspendedError
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import operator
from hub_server.moderation import actions
from schemas.moderation import NameBlock, Suspension
from tests.making.action_driver import ActionDriver, person
from tests.making.hub import PASSWORD, Api, make_package

PACKAGE = "/api/v1/packages/alice/small-sums"
WRONG = {"id": "x", "task": {"id": "t", "prompt": "1+1", "answer": 2}, "response": "3", "label": "incorrect"}


@pytest.fixture
def moda(api: Api) -> Api:
    return api.sign_up("moda")


def suspend(moda: Api, name: str, **more) -> int:
    return moda.post(f"/api/v1/accounts/{name}/suspend", json={"reason": "publishes malware", **more}).status_code


def test_a_suspended_account_cannot_log_in_and_its_tokens_are_refused(api: Api, alice: Api, moda: Api) -> None:
    alice.publish(make_package())
    assert suspend(moda, "alice") == 204
    for path in ("/api/v1/account", "/api/v1/packages"):
        assert alice.get(path).json()["code"] == "account_suspended"
    assert alice.publish(make_package(version="2.0.0")).status_code == 403
    refused = api.post("/api/v1/login", json={"name": "alice", "password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (403, "account_suspended")
    assert "publishes malware" in refused.json()["detail"]
    assert "If you object, see the page /moderation" in refused.json()["detail"]
    assert "named nobody" in api.get("/moderation", headers={"Accept": "text/html"}).text
    wrong = api.post("/api/v1/login", json={"name": "alice", "password": "a wrong password"})
    assert wrong.status_code == 401  # who does not know the password learns nothing
    assert api.get(f"{PACKAGE}/releases/latest/wheel").status_code == 200  # hidden only where that is asked for
    assert api.get("/api/v1/accounts/alice").json()["suspended_reason"] == "publishes malware"
    moda.post("/api/v1/accounts/alice/unsuspend", json={"reason": "it did not"})
    assert alice.get("/api/v1/account").status_code == 200


def test_hiding_takes_everything_out_of_sight_and_lifting_brings_it_back(
    api: Api, alice: Api, bob: Api, moda: Api
) -> None:
    alice.publish(make_package())
    run = alice.post("/api/v1/runs", json={"name": "r", "kind": "training"}).json()["id"]
    bob.publish(make_package("bob/other"))
    case = alice.post("/api/v1/packages/bob/other/releases/1.0.0/cases", json=WRONG)
    assert case.status_code == 201, case.text
    case_url = f"/api/v1/packages/bob/other/cases/{case.json()['id']}"

    def seen(by: Api) -> dict[str, object]:
        return {
            "listed": "alice/small-sums" in [one["id"] for one in by.get("/api/v1/packages").json()["items"]],
            "package": by.get(PACKAGE).status_code,
            "page": by.get("/packages/alice/small-sums").status_code,
            "wheel": by.get(f"{PACKAGE}/releases/1.0.0/wheel").status_code,
            "simple": by.get("/simple/alice-small-sums/").status_code,
            "cases": len(by.get("/api/v1/packages/bob/other/cases").json()["items"]),
            "case": by.get(case_url).status_code,
            "runs": len(by.get("/api/v1/runs").json()["items"]),
            "run": by.get(f"/api/v1/runs/{run}").status_code,
            "feed": "small-sums" in by.get("/feeds/releases.atom").text,
        }

    before = seen(api)
    assert before == {
        "listed": True, "package": 200, "page": 200, "wheel": 200, "simple": 200, "cases": 1, "case": 200, "runs": 1,
        "run": 200, "feed": True,
    }  # fmt: skip
    assert suspend(moda, "alice", hide_content=True) == 204
    assert seen(api) == {
        "listed": False, "package": 410, "page": 410, "wheel": 410, "simple": 410, "cases": 0, "case": 404, "runs": 0,
        "run": 404, "feed": False,
    }  # fmt: skip
    assert moda.get(PACKAGE).status_code == 200  # who decides sees it
    assert api.get("/").status_code == api.get("/owners/alice").status_code == 200
    moda.post("/api/v1/accounts/alice/unsuspend", json={"reason": "it did not"})
    assert seen(api) == before


def test_members_of_a_suspended_organisation_act_for_it_no_more(driver: ActionDriver) -> None:
    alice, moda = driver.person("alice"), driver.person("moda", is_moderator=True)
    driver.organization("lab", alice="owner")
    driver.do(moda, actions.suspend_account, "lab", Suspension(reason="spam"))
    with driver.reading(alice) as work:
        assert organization_queries.active_memberships_of(work.session, "id-alice") == {}


def test_a_moderator_is_suspended_by_the_operator_alone(api: Api, moda: Api, alice: Api) -> None:
    assert suspend(alice, "moda") == 403
    assert suspend(moda, "moda") == 403
    assert suspend(moda, "nobody") == 404


def test_what_the_operator_did_no_moderator_undoes(driver: ActionDriver) -> None:
    moda, modn = driver.person("moda", is_moderator=True), driver.person("modn")
    driver.do(operator(), actions.set_moderator, "modn", is_moderator=True)
    driver.do(operator(), actions.suspend_account, modn.name, Suspension(reason="stolen", hide_content=True))
    with pytest.raises(NotAllowedError, match="operator"):
        driver.do(moda, actions.unsuspend_account, "modn", "a friend")
    with pytest.raises(NotAllowedError, match="operator"):
        driver.do(moda, actions.block_name, NameBlock(name="modn", reason="shut out"))
    driver.do(operator(), actions.block_name, NameBlock(name="openai", reason="not them"))
    with pytest.raises(NotAllowedError, match="operator"):
        driver.do(moda, actions.unblock_name, "openai", "them")
    driver.do(operator(), actions.unblock_name, "openai", "them")
    driver.do(operator(), actions.unsuspend_account, "modn", "got it back")


def test_a_device_that_was_let_in_before_gets_no_token_of_a_suspended_account(driver: ActionDriver) -> None:
    alice, moda = driver.person("alice"), driver.person("moda", is_moderator=True)
    code = driver.do(None, accounts.start_device_login, "laptop", "http://hub.test/device")
    driver.do(alice, accounts.approve_device, code.user_code)
    driver.do(moda, actions.suspend_account, "alice", Suspension(reason="malware"))
    with pytest.raises(AccountSuspendedError):
        driver.do(None, accounts.collect_device_token, code.device_code)


def test_a_blocked_name_is_for_nobody_nor_are_its_look_alikes(api: Api, alice: Api, moda: Api) -> None:
    assert moda.post("/api/v1/blocked-names", json={"name": "mallory", "reason": "no"}).status_code == 204
    assert moda.post("/api/v1/blocked-names", json={"name": "alice/fake", "reason": "no"}).status_code == 204
    for name in ("mallory", "ma11ory"):
        body = {"name": name, "email": "m@example.org", "password": PASSWORD}
        assert api.post("/api/v1/accounts", json=body).json()["code"] == "name_blocked"
    refused = alice.publish(make_package("alice/fake"))
    assert (refused.status_code, refused.json()["code"]) == (403, "name_blocked")
    assert alice.publish(make_package("alice/small-sums")).status_code == 201
    assert len(moda.get("/api/v1/blocked-names").json()["items"]) == 2
    assert alice.get("/api/v1/blocked-names").status_code == 403
    assert moda.post("/api/v1/blocked-names/unblock", json={"name": "alice/fake", "reason": "ok"}).status_code == 204
    assert alice.publish(make_package("alice/fake")).status_code == 201


@pytest.mark.parametrize("name", ["", "a", "../etc", "A/b", "a/b/c", "x" * 41, "\x00"])
def test_only_names_are_blocked(moda: Api, name: str) -> None:
    assert moda.post("/api/v1/blocked-names", json={"name": name, "reason": "no"}).status_code == 422


def test_who_signs_up_first_under_a_moderators_name_gets_no_powers(api: Api) -> None:
    """The settings of these tests name ``moda``; nobody has the account yet."""
    refused = api.post("/api/v1/accounts", json={"name": "moda", "email": "m@example.org", "password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (409, "name_taken")
    assert "make-admin" in refused.json()["detail"]


def test_only_the_operator_makes_moderators(driver: ActionDriver) -> None:
    driver.person("alice")
    with pytest.raises(NotAllowedError):
        driver.do(person("moda", is_moderator=True), actions.set_moderator, "alice", is_moderator=True)


def test_every_act_is_in_the_log(api: Api, alice: Api, moda: Api) -> None:
    suspend(moda, "alice", hide_content=True)
    moda.post("/api/v1/accounts/alice/unsuspend", json={"reason": "it did not"})
    moda.post("/api/v1/blocked-names", json=NameBlock(name="zz", reason="no").model_dump())
    events = api.get("/api/v1/moderation/events?account=alice").json()["items"]
    assert [(event["action"], event["actor"], event["reason"]) for event in events] == [
        ("unsuspend", "moda", "it did not"),
        ("suspend", "moda", "publishes malware (content hidden)"),
    ]

"""Watches over HTTP: odd names are refusals, and doing it twice is harmless."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.making.hub import Api

WATCHES = "/api/v1/account/watches"


def test_two_clicks_at_once_are_one_watch(alice: Api, bob: Api) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(alice.request, "PUT", f"{WATCHES}/bob") for _ in range(4)]
        assert {one.result().status_code for one in answers} == {204}
    assert len(alice.get(WATCHES).json()["items"]) == 1


@pytest.mark.parametrize("path", ["%00", "a%2Fb", "x" * 300, "alice/%00", "alice/" + "x" * 300, "0/0", "%F0%9F%98%80"])
def test_no_name_is_a_fault_of_the_hub(alice: Api, path: str) -> None:
    assert alice.request("PUT", f"{WATCHES}/{path}").status_code in (404, 422)
    assert alice.request("DELETE", f"{WATCHES}/{path}").status_code in (204, 404, 422)


def test_an_account_that_never_watched_is_told_so(alice: Api) -> None:
    assert alice.get(WATCHES).json() == {"items": [], "pace": "hour", "is_mailed": False}

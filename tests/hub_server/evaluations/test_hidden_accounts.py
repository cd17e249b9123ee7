"""What an account that is hidden sent to a benchmark is on no leaderboard, and comes back when it is shown again."""

import pytest

from hub_server.evaluations.actions import results as result_actions
from hub_server.kernel.services import Services
from tests.hub_server.evaluations.test_benchmarks import PATH, bench, results
from tests.making.hub import Api, run_jobs

assert bench is not None  # the fixture, for this file too


@pytest.fixture
def moda(api: Api) -> Api:
    return api.sign_up("moda")


def hide(moda: Api, name: str) -> None:
    body = {"reason": "made-up results", "hide_content": True}
    assert moda.post(f"/api/v1/accounts/{name}/suspend", json=body).status_code == 204


def models(reader: Api) -> list[str]:
    answer = reader.get(f"{PATH}/report")
    return [row["model"] for row in answer.json()["leaderboard"]] if answer.status_code == 200 else []


def test_made_up_results_leave_the_leaderboard_with_their_sender(
    bench: Api, api: Api, bob: Api, moda: Api, services: Services
) -> None:
    """They stayed at its head for ever: nobody could take results away."""
    bench.post(f"{PATH}/results", json=results("honest", 6))
    bob.post(f"{PATH}/results", json=results("best of all", 12))
    run_jobs(services)
    assert models(api) == ["best of all", "honest"]
    hide(moda, "bob")
    assert [one["model"] for one in api.get(f"{PATH}/results").json()["items"]] == ["honest"]
    run_jobs(services)
    assert models(api) == ["honest"]
    bench.post(f"{PATH}/results", json=results("another", 7))
    run_jobs(services)
    assert models(api) == ["another", "honest"], "it stays undone when others send results"
    moda.post("/api/v1/accounts/bob/unsuspend", json={"reason": "they were real"})
    run_jobs(services)
    assert models(api)[0] == "best of all"


def test_a_report_of_made_up_results_alone_is_gone(bench: Api, api: Api, bob: Api, moda: Api, services) -> None:
    bob.post(f"{PATH}/results", json=results("best of all", 12))
    run_jobs(services)
    hide(moda, "bob")
    run_jobs(services)
    assert models(api) == []
    for page in ("/packages/alice/bench", "/packages/alice/bench/releases/1.0.0/benchmark", "/benchmarks"):
        answer = api.get(page, headers={"Accept": "text/html"})
        assert answer.status_code < 500
        assert "best of all" not in answer.text, page


def test_one_account_sends_so_many_results_and_replaces_its_own(
    bench: Api, bob: Api, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is read for each report, and up to two megabytes: nothing bounded them."""
    monkeypatch.setattr(result_actions, "MOST_OF_ACCOUNT", 3)
    for number in range(3):
        assert bob.post(f"{PATH}/results", json=results(f"m{number}", 3)).status_code == 201
    refused = bob.post(f"{PATH}/results", json=results("m3", 3))
    assert (refused.status_code, refused.json()["code"]) == (409, "results_limit")
    assert "which is the most of one account" in refused.json()["detail"]
    assert bob.post(f"{PATH}/results", json=results("m0", 9)).status_code == 201, "in place of its own"
    assert api.sign_up("carol").post(f"{PATH}/results", json=results("m3", 3)).status_code == 201

"""What models reached on an environment becomes a facet of the search: of public runs, whole ones, and of nothing else."""

import pytest

from tests.making.hub import Api, make_package

PACKAGE = "alice/small-sums"


@pytest.fixture
def published(alice: Api) -> Api:
    assert alice.publish(make_package()).status_code == 201
    return alice


def evaluate(api: Api, model: str, successes: int, tasks: int = 40, **run: object) -> str:
    body = {"name": "e", "kind": "evaluation", "model": model, "packages": [pin()]} | run
    answer = api.post("/api/v1/runs", json=body)
    assert answer.status_code == 201, answer.text
    outcome = {
        "environment": PACKAGE, "version": "1.0.0", "harness": "single-turn", "task_count": tasks, "attempts": tasks,
        "successes": successes, "pass_rate": successes / tasks, "tries": tasks,
    }  # fmt: skip
    run_id = str(answer.json()["id"])
    sent = api.request("PATCH", f"/api/v1/runs/{run_id}", json={"outcomes": [outcome], "state": "finished"})
    assert sent.status_code == 200, sent.text
    return run_id


def pin() -> dict[str, str]:
    return {"package": PACKAGE, "version": "1.0.0", "digest": "sha256:" + "0" * 64}


def facet(api: Api) -> dict[str, int]:
    found: dict[str, int] = api.get("/api/v1/packages").json()["facets"]["difficulty"]
    return found


def test_an_evaluation_that_ends_is_found_by_facet_and_in_words(api: Api, published: Api) -> None:
    assert facet(api) == {}
    evaluate(published, "SmolLM2-135M", 0)
    assert facet(api) == {"hard-for-small-models": 1}
    for query in ("?difficulty=hard-for-small-models", "?q=hard+for+a+small+model"):
        assert [one["id"] for one in api.get(f"/api/v1/packages{query}").json()["items"]] == [PACKAGE]
    evaluate(published, "other-1B", 20)
    assert facet(api) == {"reachable-for-small-models": 1}, "the best small model speaks"
    evaluate(published, "big-70B", 40)
    assert facet(api) == {"reachable-for-small-models": 1, "solved-by-large-models": 1}
    published.publish(make_package(version="1.1.0"))
    assert set(facet(api)) == {"reachable-for-small-models", "solved-by-large-models"}, "a new release keeps it"


def test_a_run_that_nobody_else_sees_says_nothing(api: Api, published: Api) -> None:
    evaluate(published, "SmolLM2-135M", 0, is_private=True)
    assert facet(api) == facet(published) == {}
    evaluate(published, "x-1B", 20)
    assert facet(api) == {"reachable-for-small-models": 1}


def test_what_was_taken_down_is_found_by_nothing(api: Api, published: Api) -> None:
    evaluate(published, "SmolLM2-135M", 0)
    moda = api.sign_up("moda").as_person()
    assert moda.post(f"/api/v1/packages/{PACKAGE}/takedown", json={"reason": "x"}).status_code == 204
    evaluate(published, "SmolLM2-135M", 0)
    assert facet(api) == {}

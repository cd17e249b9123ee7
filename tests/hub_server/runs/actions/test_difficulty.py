"""What models reached on an environment becomes a facet of the search: of public runs, whole ones, and of nothing else."""

import pytest
from sqlalchemy import event, text

from hub_server.runs.actions.run_rows import GATHER_DELAY_SECONDS
from tests.making.hub import Api, make_package, run_jobs

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
    services = api.app.state.services
    services.clock.advance(GATHER_DELAY_SECONDS)
    run_jobs(services)
    found: dict[str, int] = api.get("/api/v1/packages").json()["facets"]["difficulty"]
    return found


def test_evaluations_of_two_accounts_are_found_by_facet_and_in_words(api: Api, published: Api, bob: Api) -> None:
    evaluate(published, "SmolLM2-135M", 0)
    assert facet(api) == {}, "its owner alone says nothing for everybody"
    evaluate(bob, "SmolLM2-135M", 0)
    assert facet(api) == {"hard-for-small-models": 1}
    for query in ("?difficulty=hard-for-small-models", "?q=hard+for+a+small+model"):
        assert [one["id"] for one in api.get(f"/api/v1/packages{query}").json()["items"]] == [PACKAGE]
    for who in (published, bob):
        evaluate(who, "other-1B", 20)
    assert facet(api) == {"reachable-for-small-models": 1}, "the best small model speaks"
    for who in (published, bob):
        evaluate(who, "big-70B", 40)
    assert facet(api) == {"reachable-for-small-models": 1, "solved-by-large-models": 1}
    published.publish(make_package(version="1.1.0"))
    assert set(facet(api)) == {"reachable-for-small-models", "solved-by-large-models"}, "a new release keeps it"


def test_one_account_decides_nothing_and_overturns_nothing(api: Api, published: Api, bob: Api) -> None:
    carol, mallory = api.sign_up("carol"), api.sign_up("mallory")
    for _ in range(3):
        evaluate(mallory, "liar-1B", 40)
    assert facet(api) == {}
    for who in (bob, carol):
        evaluate(who, "SmolLM2-135M", 0)
    evaluate(mallory, "liar-1B", 40)
    assert facet(api) == {"hard-for-small-models": 1}


def test_the_members_of_the_organisation_that_has_it_are_one_voice(api: Api, published: Api, bob: Api) -> None:
    owner = published.as_person()
    assert owner.post("/api/v1/organizations", json={"name": "lab"}).status_code == 201
    asked = owner.request("PUT", "/api/v1/organizations/lab/members", json={"account": "bob", "role": "member"})
    assert asked.status_code == 200
    joined = bob.as_person().post("/api/v1/organizations/lab/invitation", json={"accept": True})
    assert joined.status_code == 200
    assert owner.post(f"/api/v1/packages/{PACKAGE}/transfer", json={"to": "lab"}).status_code == 201
    assert owner.post(f"/api/v1/packages/{PACKAGE}/transfer/answer", json={"accept": True}).status_code == 200
    for who in (published, bob):
        evaluate(who, "SmolLM2-135M", 0)
    assert facet(api) == {}
    evaluate(api.sign_up("carol"), "SmolLM2-135M", 0)
    assert facet(api) == {"hard-for-small-models": 1}


def test_who_gave_it_away_and_who_has_it_are_one_voice(api: Api, published: Api, bob: Api) -> None:
    """An owner gave it to a second account, and the two said of it what they liked."""
    assert published.as_person().post(f"/api/v1/packages/{PACKAGE}/transfer", json={"to": "bob"}).status_code == 201
    accepted = bob.as_person().post(f"/api/v1/packages/{PACKAGE}/transfer/answer", json={"accept": True})
    assert accepted.status_code == 200
    for who in (published, bob):
        evaluate(who, "SmolLM2-135M", 0)
    assert facet(api) == {}


def test_what_a_hidden_account_reported_counts_no_more_and_again_once_it_is_shown(
    api: Api, published: Api, bob: Api
) -> None:
    for who in (published, bob):
        evaluate(who, "SmolLM2-135M", 0)
    moda = api.sign_up("moda").as_person()
    for act, body, left in (
        ("suspend", {"reason": "made up", "hide_content": True}, {}),
        ("unsuspend", {"reason": "was not"}, {"hard-for-small-models": 1}),
    ):
        assert moda.post(f"/api/v1/accounts/bob/{act}", json=body).status_code < 300
        assert facet(api) == left, act


def test_a_run_that_nobody_else_sees_says_nothing(api: Api, published: Api, bob: Api) -> None:
    for who in (published, bob):
        evaluate(who, "SmolLM2-135M", 0, is_private=True)
    assert facet(api) == facet(published) == {}
    for who in (published, bob):
        evaluate(who, "x-1B", 20)
    assert facet(api) == {"reachable-for-small-models": 1}


def test_what_was_taken_down_is_found_by_nothing(api: Api, published: Api, bob: Api) -> None:
    for who in (published, bob):
        evaluate(who, "SmolLM2-135M", 0)
    moda = api.sign_up("moda").as_person()
    assert moda.post(f"/api/v1/packages/{PACKAGE}/takedown", json={"reason": "x"}).status_code == 204
    evaluate(published, "SmolLM2-135M", 0)
    assert facet(api) == {}


def test_one_evaluation_of_many_packages_queues_one_job_for_each_that_it_pins(api: Api, published: Api) -> None:
    """The request itself reads no other run, whatever others have sent."""
    services = api.app.state.services
    for _ in range(3):
        evaluate(published, "SmolLM2-135M", 0)
    evaluate(published, "SmolLM2-135M", 0, packages=[])
    with services.database.reading() as session:
        waiting = session.execute(text("SELECT payload FROM jobs WHERE name = 'runs.measure_difficulty'")).all()
    assert len(waiting) == 1


def test_what_a_run_may_hold_of_megabytes_is_not_read_for_the_page_of_a_package(api: Api, published: Api) -> None:
    evaluate(published, "SmolLM2-135M", 0, config={"k": "x" * 10**5})
    database, sent = api.app.state.services.database, []
    listener = lambda *told: sent.append(told[2])  # noqa: E731 -- it is taken off again
    event.listen(database.engine, "before_cursor_execute", listener)
    try:
        page = api.get(f"/packages/{PACKAGE}")
    finally:
        event.remove(database.engine, "before_cursor_execute", listener)
    assert "reported by alice" in page.text
    assert [one for one in sent if "runs.outcomes" in one]
    assert not [one for one in sent if "runs.config" in one]

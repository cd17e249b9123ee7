"""How models do, on the page of what they were evaluated on: newest, named, corrected, and never from elsewhere."""

import re
from typing import Any

import pytest
from sqlalchemy import event

from hub_server.kernel.caller import operator
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation.actions import suspend_account
from hub_server.runs.models import RunRow
from schemas.moderation import Suspension
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PACKAGE = "alice/small-sums"
DIGEST = "sha256:" + "0" * 64


def evaluated(api: Api, model: str, successes: int, **more: Any) -> str:
    """A finished evaluation of 20 tasks, reported by the account of ``api``."""
    version = more.pop("version", "1.1.0")
    pin = {"package": PACKAGE, "version": version, "digest": DIGEST}
    body = {"name": "eval", "kind": more.pop("kind", "evaluation"), "model": model, "packages": [pin]}
    run = api.post("/api/v1/runs", json=body).json()["id"]
    outcome = {
        "environment": PACKAGE, "version": version, "harness": "single-turn", "task_count": 20, "attempts": 20,
        "successes": successes, "pass_rate": successes / 20, "tries": 20.0, **more.pop("outcome", {}),
    }  # fmt: skip
    state = more.pop("state", "finished")
    answer = api.request("PATCH", f"/api/v1/runs/{run}", json={"state": state, "outcomes": [outcome]})
    assert answer.status_code == 200, answer.text
    return run


def section(reader: Browser) -> str:
    text = reader.get(f"/packages/{PACKAGE}").text
    return text.partition("How models do")[2].partition("Audit in short")[0]


def test_without_an_evaluation_there_is_no_section(reader: Browser, catalogue: Api) -> None:
    assert section(reader) == ""


def test_each_model_stands_with_its_interval_its_correction_and_who_says_so(reader: Browser, catalogue: Api) -> None:
    run = evaluated(catalogue, "small-model", 5)
    evaluated(catalogue, "large-model", 15)
    said = section(reader)
    assert said.index("large-model") < said.index("small-model"), "newest first"
    assert "observed 25 % 11–47" in said
    assert "reported by alice, release 1.1.0" in said
    assert f"/runs/{run}" in reader.get(f"/packages/{PACKAGE}").html


def test_a_model_evaluated_again_is_shown_once_by_its_newest_run(reader: Browser, catalogue: Api) -> None:
    evaluated(catalogue, "small-model", 5)
    evaluated(catalogue, "small-model", 9)
    said = section(reader)
    assert said.count("small-model") == 1
    assert "observed 45 %" in said


@pytest.mark.parametrize(
    "more",
    [
        {"state": "running"},
        {"state": "failed"},
        {"kind": "training"},
        {"version": "2.0.0"},
        {"outcome": {"pass_rate": None}},
        {"outcome": {"environment": "bob/other"}},
    ],
    ids=["running", "failed", "training", "other major", "no rate", "other package"],
)
def test_what_is_no_finished_evaluation_of_it_is_not_shown(reader: Browser, catalogue: Api, more: dict) -> None:
    evaluated(catalogue, "small-model", 5, **more)
    assert section(reader) == ""


def test_a_release_with_other_bytes_is_not_corrected(reader: Browser, catalogue: Api) -> None:
    evaluated(catalogue, "small-model", 5, outcome={"digest": DIGEST})
    assert "cannot be corrected" in section(reader)


def test_a_hostile_model_name_is_text_and_cut(reader: Browser, catalogue: Api) -> None:
    evaluated(catalogue, "<script>alert(1)</script>" + "w" * 900, 5)
    page = reader.get(f"/packages/{PACKAGE}")
    assert "<script>alert(1)" not in page.html
    assert "w" * 100 not in page.text


def test_twenty_models_cost_as_many_statements_as_one(reader: Browser, catalogue: Api, services: Services) -> None:
    evaluated(catalogue, "model-0", 5)
    statements: list[str] = []
    event.listen(services.database.engine, "before_cursor_execute", lambda *rest: statements.append(rest[2]))
    reader.get(f"/packages/{PACKAGE}")
    one = len(statements)
    for number in range(1, 20):
        evaluated(catalogue, f"model-{number}", 5)
    statements.clear()
    assert section(reader).count("reported by") == 10, "at most ten of one account"
    assert len(statements) == one


@pytest.mark.parametrize("version", ["1.!", "1.\0", "1.0 , !!", "1." + "9" * 5000, "latest", ""])
def test_a_version_that_is_none_is_refused_and_the_page_stands(reader: Browser, catalogue: Api, version: str) -> None:
    """One account could take another's page off the site by what it reported of it."""
    pin = {"package": PACKAGE, "version": version, "digest": DIGEST}
    assert catalogue.post("/api/v1/runs", json={"name": "e", "packages": [pin]}).status_code == 422
    run = catalogue.post("/api/v1/runs", json={"name": "e", "kind": "evaluation"}).json()["id"]
    outcome = {"environment": PACKAGE, "version": version, "harness": "h", "task_count": 1, "attempts": 1,
               "successes": 1, "pass_rate": 1.0}  # fmt: skip
    answer = catalogue.request("PATCH", f"/api/v1/runs/{run}", json={"outcomes": [outcome]})
    assert answer.status_code == 422
    assert reader.get(f"/packages/{PACKAGE}").status == 200


def test_a_bad_version_that_is_stored_already_breaks_no_page(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    run = evaluated(catalogue, "small-model", 5)
    with services.database.writing() as session:
        row = session.get(RunRow, run)
        assert row is not None
        row.outcomes = [{**row.outcomes[0], "version": "1.!"}]
        row.packages = [{**row.packages[0], "version": "1.!"}]
    assert reader.get(f"/packages/{PACKAGE}").status == 200
    assert reader.get(f"/runs/{run}").status == 200


def test_one_account_cannot_push_out_the_others(reader: Browser, catalogue: Api, api: Api) -> None:
    evaluated(catalogue, "honest-model", 5)
    mallory = api.sign_up("mallory")
    for number in range(110):
        evaluated(mallory, f"noise-{number % 3}", 5, outcome={"pass_rate": None})
    assert "honest-model" in section(reader)


def test_what_a_hidden_account_reported_is_not_shown(
    reader: Browser, catalogue: Api, api: Api, services: Services
) -> None:
    mallory = api.sign_up("mallory")
    evaluated(mallory, "hidden-model", 5)
    assert "hidden-model" in section(reader)
    with services.database.writing() as session:
        work = UnitOfWork(session, services, operator())
        suspend_account(work, "mallory", Suspension(reason="spam", hide_content=True))
    assert section(reader) == ""


def test_a_claim_of_a_million_tries_is_refused_and_one_that_is_stored_has_an_interval(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    """It was drawn as exact: 100 % to 100 %, by one attempt."""
    run = evaluated(catalogue, "boaster", 1, outcome={"task_count": 1, "attempts": 1, "pass_rate": 1.0, "tries": 1.0})
    lie = catalogue.get(f"/api/v1/runs/{run}").json()["outcomes"][0] | {"tries": 1e9}
    assert catalogue.request("PATCH", f"/api/v1/runs/{run}", json={"outcomes": [lie]}).status_code == 422
    with services.database.writing() as session:
        row = session.get(RunRow, run)
        assert row is not None
        row.outcomes = [lie]
    page = reader.get(f"/packages/{PACKAGE}").html
    assert re.search(r"observed 100[^<]*?2[01]", page), "one attempt leaves 21 to 100 %"

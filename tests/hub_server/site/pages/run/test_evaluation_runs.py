"""An evaluation run's page: observed beside corrected pass rates, the audit that applies, what was left out."""

from typing import Any

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PACKAGE = "/api/v1/packages/alice/small-sums/releases/1.1.0"


@pytest.fixture
def evaluation(catalogue: Api):
    """``evaluation(**outcome)`` makes a finished run with one pass rate of alice/small-sums 1.1.0."""

    def make(**more: Any) -> str:
        outcome = {
            "environment": "alice/small-sums", "version": "1.1.0", "digest": catalogue.get(PACKAGE).json()["digest"],
            "harness": "lecture/tool-loop", "task_count": 50, "attempts": 100, "successes": 60, "pass_rate": 0.6,
            "tries": 80.0, **more,
        }  # fmt: skip
        run = catalogue.post("/api/v1/runs", json={"name": "eval", "kind": "evaluation", "model": "m"}).json()["id"]
        answer = catalogue.request("PATCH", f"/api/v1/runs/{run}", json={"state": "finished", "outcomes": [outcome]})
        assert answer.status_code == 200, answer.text
        assert answer.json()["outcomes"][0]["pass_rate"] == outcome["pass_rate"]
        return f"/runs/{run}"

    return make


def test_observed_stands_beside_corrected_or_why_not(reader: Browser, evaluation) -> None:
    page = reader.get(evaluation(failed=3, unjudged=2, overflowed=1, truncated=4, played_again=5))
    assert page.status == 200
    assert "60 % 49–70" in page.text
    # Two cases a side do not tell a verifier from a coin, however right it was on them.
    assert "cannot be corrected" in page.text
    assert "/packages/alice/small-sums/releases/1.1.0/audit" in page.html
    assert "Unaudited verifier" in page.text, "two cases are no grade"
    text = page.text.replace("\u00a0", " ")
    for words in (
        "3 broke in the harness",
        "2 not judged",
        "1 overflowed the context",
        "4 with an answer cut off",
        "5 lost on the way and played again",
    ):
        assert words in text
    assert "This run logged no metrics" not in page.text
    assert "m, 100 judged attempts." in text
    assert "Steps" not in page.text


def test_other_bytes_than_the_hubs_were_never_measured(reader: Browser, evaluation) -> None:
    page = reader.get(evaluation(digest="sha256:" + "0" * 64))
    assert "Unaudited verifier" in page.text
    assert "nobody measured its verifier" in page.text


def test_a_package_that_this_hub_does_not_hold_is_unaudited(reader: Browser, evaluation) -> None:
    page = reader.get(evaluation(environment="bob/elsewhere", version="3.0.0", digest=""))
    assert page.status == 200
    assert "Unaudited verifier" in page.text


@pytest.mark.parametrize("bad", [{"pass_rate": 1.5}, {"attempts": -1}, {"tries": -2}])
def test_rates_that_are_none_are_refused(catalogue: Api, bad: dict) -> None:
    run = catalogue.post("/api/v1/runs", json={"name": "eval", "kind": "evaluation", "model": "m"}).json()["id"]
    outcome = {
        "environment": "aa/b",
        "version": "1",
        "harness": "h",
        "task_count": 1,
        "attempts": 1,
        "successes": 1,
        **bad,
    }
    assert catalogue.request("PATCH", f"/api/v1/runs/{run}", json={"outcomes": [outcome]}).status_code == 422

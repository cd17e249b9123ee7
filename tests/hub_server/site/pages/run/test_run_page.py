"""One run."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def test_a_run_tells_its_story(reader: Browser, run_id: str) -> None:
    page = reader.get(f"/runs/{run_id}")
    assert "Reward hacking likely since step" in page.text
    assert "Mean reward per component" in page.text
    assert "Before and after" in page.text
    assert "not judged: timeout" in page.text
    assert [a for a in page.all("svg") if a.get("class") == "plot tall"]


def test_a_run_that_has_logged_nothing_promises_nothing(reader: Browser, alice: Api) -> None:
    identifier = alice.post("/api/v1/runs", json={"name": "fresh"}).json()["id"]
    page = reader.get(f"/runs/{identifier}")
    assert "No metrics yet" in page.text
    assert not page.all("svg", class_="plot tall")


def test_a_run_that_its_owner_stopped_did_not_fail(reader: Browser, alice: Api) -> None:
    identifier = alice.post("/api/v1/runs", json={"name": "fresh"}).json()["id"]
    alice.request(
        "PATCH", f"/api/v1/runs/{identifier}", json={"state": "stopped", "note": "To go on, give the same command."}
    )
    page = reader.get(f"/runs/{identifier}")
    assert "Stopped" in page.text
    assert "To go on, give the same command." in page.text
    assert "failed" not in page.text


def test_a_response_that_cannot_be_seen_is_named(reader: Browser, alice: Api) -> None:
    identifier = alice.post("/api/v1/runs", json={"name": "fresh", "rewards": {"correct": {}}}).json()["id"]
    sent = [
        {"step": 1, "task_id": f"t{number}", "prompt": "2 + 2?", "response": response, "rewards": {"correct": 0.0}}
        for number, response in enumerate(("", " \n", "four"))
    ]
    assert alice.post(f"/api/v1/runs/{identifier}/rollouts", json={"items": sent}).json() == {"count": 3}
    page = reader.get(f"/runs/{identifier}")
    assert page.text.count("(empty response)") == 1
    assert page.text.count("(white space only)") == 1
    assert "four" in page.text

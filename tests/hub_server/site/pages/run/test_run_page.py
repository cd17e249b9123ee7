"""One run."""

import pytest

from hub_server.site.pages.run.run_page import PinnedRow, _audited_fpr
from schemas.run import PinnedPackage
from tests.hub_server.site import samples
from tests.hub_server.site.conftest import Browser, Page
from tests.making.hub import PASSWORD, Api, make_package


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


def test_an_evaluation_that_runs_waits_for_pass_rates_and_for_no_step(reader: Browser, alice: Api) -> None:
    identifier = alice.post("/api/v1/runs", json={"name": "fresh", "kind": "evaluation"}).json()["id"]
    page = reader.get(f"/runs/{identifier}")
    assert "No pass rates yet. They stand here when the evaluation is done." in page.text
    assert "step" not in page.text.partition("No pass rates yet")[2].partition("</main>")[0]


def test_a_run_whose_metrics_have_other_names_is_told_which_are_drawn(reader: Browser, alice: Api) -> None:
    """It said that no step was done, beside the number of steps."""
    body = {"name": "fresh", "model": "smollm2", "recipe": "dapo"}
    identifier = alice.post("/api/v1/runs", json=body).json()["id"]
    points = [{"step": number, "values": {"my/score": 0.1}} for number in range(3)]
    assert alice.post(f"/api/v1/runs/{identifier}/metrics", json={"items": points}).status_code < 300
    page = reader.get(f"/runs/{identifier}")
    assert "No metrics yet" not in page.text
    assert "None of this run’s metrics has a name that is drawn here" in page.text
    assert page.all("a", href=f"/api/v1/runs/{identifier}/metrics")
    assert "Model smollm2, recipe dapo, 2 steps." in page.text


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
    numbers = [one["id"] for one in alice.get(f"/api/v1/runs/{identifier}/rollouts").json()["items"]]
    assert all(f"rollout {number}" in page.text for number in numbers), "`verihub cases add --rollout N` asks for it"
    assert "No metrics yet" in page.text, "it said that the metrics, of which there are none, had other names"
    assert page.text.count("(empty response)") == 1
    assert page.text.count("(white space only)") == 1
    assert "four" in page.text


def test_the_newest_rollouts_come_first_and_empty_settings_are_folded(reader: Browser, alice: Api) -> None:
    config = {"learning_rate": 0.5, "resume": None, "tags": [], "warm_up": 0, "note": ""}
    identifier = alice.post("/api/v1/runs", json={"name": "fresh", "config": config}).json()["id"]
    rows = [
        {"step": n, "task_id": "t", "prompt": "p", "response": f"said-{n:02}", "rewards": {"c": 1.0}} for n in range(14)
    ]
    assert alice.post(f"/api/v1/runs/{identifier}/rollouts", json={"items": rows}).status_code < 300
    page = reader.get(f"/runs/{identifier}")
    assert page.text.index("said-13") < page.text.index("said-12")
    assert "said-01" not in page.text
    (older,) = [link for link in page.links if "cursor=" in link]
    assert "said-01" in reader.get(older.partition("hub.test")[2].partition("#")[0]).text
    assert "3 empty" in page.text
    assert "note, resume, tags" in page.text
    assert "warm_up" in page.text


def test_what_judges_nothing_is_not_shown_as_unmeasured_and_hides_no_rate(reader: Browser, catalogue: Api) -> None:
    """A harness beside the environment read "unknown, no cases", and the environment's FPR was drawn no more."""
    harness = 'format = 1\nid = "alice/small-sums"\nkind = "harness"\nharness = "alice_small_sums:run"\n'
    catalogue.publish(make_package("alice/loop", manifest=harness))
    pins = []
    for name, version in (("alice/small-sums", "1.1.0"), ("alice/loop", "1.0.0")):
        release = catalogue.get(f"/api/v1/packages/{name}/releases/{version}").json()
        pins.append({"package": name, "version": version, "digest": release["digest"]})
    body = {"name": "both", "packages": pins}
    page = reader.get(f"/runs/{catalogue.post('/api/v1/runs', json=body).json()['id']}")
    rows = page.html.split("Packages in this run")[-1].split("</table>")[0]
    assert rows.count("judges nothing itself, so it has no rates") == 1
    assert "no cases" not in rows


def test_the_widest_rate_is_of_those_that_judge() -> None:
    pin = PinnedPackage(package="alice/loop", version="1.0.0", digest=samples.DIGEST)
    measured = samples.summary("1.0.0", 0, 100, 3, 100)
    rows = [PinnedRow(pin, measured, ""), PinnedRow(pin, None, "", judges=False)]
    assert _audited_fpr(rows) == measured.graded.fpr.high
    assert _audited_fpr([*rows, PinnedRow(pin, None, "")]) is None
    assert _audited_fpr(rows[1:]) is None


def test_the_owner_of_a_run_that_is_nearly_full_is_told_and_nobody_else(
    reader: Browser, alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rollouts ended at step 5 of 11, and nothing on the page said why."""
    monkeypatch.setattr("hub_server.runs.actions.room._NEARLY", 0.0)
    path = f"/runs/{alice.sign_up('carol').post('/api/v1/runs', json={'name': 'long'}).json()['id']}"
    assert "gives one run" not in reader.get(path).text
    reader.post("/login", {"name": "carol", "password": PASSWORD})
    page = reader.get(path)
    assert "that this hub gives one run" in page.text
    assert page.all("a", href="/docs/how_to/own_packages#delete-a-run")


def folded(page: Page) -> str:
    return page.html.partition("<h2>Settings</h2>")[2].partition("<details")[2].partition("</details>")[0]


def test_the_settings_that_a_run_names_come_first_and_the_others_are_folded(reader: Browser, alice: Api) -> None:
    """A page of a run began with about seventy settings."""
    config = {f"usual_{number:02}": number for number in range(60)} | {"steps": 7, "shown_first": ["steps", "gone"]}
    identifier = alice.post("/api/v1/runs", json={"name": "fresh", "config": config}).json()["id"]
    page = reader.get(f"/runs/{identifier}")
    assert "60 more settings" in page.text
    assert page.html.index("<dt>steps</dt>") < page.html.index("<dt>usual_00</dt>")
    assert "usual_59" in folded(page)
    assert "<dt>steps</dt>" not in folded(page)
    assert "shown_first" not in page.text


@pytest.mark.parametrize(("count", "is_folded"), [(12, False), (13, True)])
def test_settings_of_a_sender_that_names_none_are_folded_where_they_are_many(
    reader: Browser, alice: Api, count: int, is_folded: bool
) -> None:
    body = {"name": "fresh", "config": {f"usual_{number:02}": number for number in range(count)}}
    page = reader.get(f"/runs/{alice.post('/api/v1/runs', json=body).json()['id']}")
    assert ("usual_00" in folded(page)) is is_folded
    assert "usual_00" in page.text


def test_an_odd_word_for_what_comes_first_is_a_setting_like_others(reader: Browser, alice: Api) -> None:
    body = {"name": "fresh", "config": {"shown_first": "steps", "steps": 7}}
    page = reader.get(f"/runs/{alice.post('/api/v1/runs', json=body).json()['id']}")
    assert "<dt>shown_first</dt>" in page.html

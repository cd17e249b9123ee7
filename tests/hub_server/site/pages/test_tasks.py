"""The tasks of a release."""

import json

from hub_server.runs.actions import TaskRate
from hub_server.runs.actions.run_rows import GATHER_DELAY_SECONDS
from hub_server.site.pages.tasks import order_of
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, run_jobs

RELEASE = "/packages/alice/small-sums/releases/1.1.0"


def test_tasks_are_paged_and_show_no_answers(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/tasks?split=endless&start=25")
    assert "endless-0-25" in page.text
    assert "answer" not in page.html.split('<ol class="tasks">')[1].split("</ol>")[0]
    assert [link for link in page.links if "start=50" in link]
    last = reader.get(f"{RELEASE}/tasks?split=endless&start=175")
    assert not [link for link in last.links if "start=200" in link]
    assert "Generated without end" in last.text
    assert "No task from number 100 on" in reader.get(f"{RELEASE}/tasks?split=train&start=99").text


def test_tasks_are_found_by_words_of_the_prompt_by_id_and_tag(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/tasks?split=endless&find=ENDLESS-0-17")
    assert page.html.count('class="sample"') == 11, "17 and 170 to 179"
    assert "“no such words”" in reader.get(f"{RELEASE}/tasks?split=train&find=no such words").text
    assert "verihub tasks alice/small-sums@1.1.0 --split endless --output endless.jsonl" in page.text


def test_what_is_looked_for_is_shown_as_text_and_kept_on_the_next_page(reader: Browser, catalogue: Api) -> None:
    hostile = "%3Cscript%3Ealert(1)%3C/script%3E"
    assert "<script>alert" not in reader.get(f"{RELEASE}/tasks?split=train&find={hostile}").html
    page = reader.get(f"{RELEASE}/tasks?split=endless&find=endless")
    assert [link for link in page.links if "start=25" in link and "find=endless" in link]


def evaluate(alice: Api, model: str, passes: dict[str, list[float | None]]) -> None:
    """A finished evaluation with a rollout for each attempt at the tasks."""
    digest = alice.get("/api/v1/packages/alice/small-sums/releases/1.1.0").json()["digest"]
    pin = {"package": "alice/small-sums", "version": "1.1.0", "digest": digest}
    body = {"name": model, "model": model, "kind": "evaluation", "packages": [pin], "rewards": {}, "config": {}}
    run = alice.post("/api/v1/runs", json=body).json()["id"]
    rows = [
        {"step": 0, "phase": "single-turn", "package": "alice/small-sums", "task_id": task, "response": "5",
         "rewards": {"correct": value, "parses": 1.0}}
        for task, values in passes.items() for value in values
    ]  # fmt: skip
    assert alice.post(f"/api/v1/runs/{run}/rollouts", json={"items": rows}).status_code < 300
    outcome = {
        "environment": "alice/small-sums", "version": "1.1.0", "digest": digest, "harness": "single-turn",
        "task_count": len(passes), "attempts": 8, "successes": 3, "pass_rate": 0.4, "tries": 8,
    }  # fmt: skip
    assert (
        alice.request("PATCH", f"/api/v1/runs/{run}", json={"state": "finished", "outcomes": [outcome]}).status_code
        < 300
    )


def test_each_task_says_how_often_models_solved_it_and_the_list_is_sorted_by_that(
    reader: Browser, catalogue: Api
) -> None:
    url = f"{RELEASE}/tasks?split=train"
    ids = [
        task["id"]
        for task in [json.loads(line) for line in catalogue.get(f"/api/v1{url}").text.splitlines()]
        if "id" in task
    ]
    assert len(ids) > 1
    assert "not tried" not in reader.get(url).text, "nobody has reported an evaluation"
    evaluate(catalogue, "small", {ids[0]: [1.0, 1.0, 1.0, None], ids[-1]: [0.0, 0.0]})
    evaluate(catalogue, "large", {ids[0]: [1.0], ids[-1]: [0.0, 1.0]})
    services = catalogue.app.state.services
    services.clock.advance(GATHER_DELAY_SECONDS)
    run_jobs(services)
    page = reader.get(url)
    assert "solved in 4 of 4 attempts" in page.text, "what was not judged counts for nothing"
    assert "solved in 1 of 4 attempts" in page.text
    assert "by 2 models" in page.text
    places = {name: reader.get(f"{url}&sort={name}").html for name in ("hardest", "easiest")}
    shown = {name: [html.index(f">{one}</span>") for one in (ids[0], ids[-1])] for name, html in places.items()}
    assert shown["hardest"][0] > shown["hardest"][1]
    assert shown["easiest"][0] < shown["easiest"][1]
    assert "not tried" not in places["hardest"]
    assert reader.get(f"{url}&sort=nothing").status == 200


def test_one_failure_does_not_stand_before_many() -> None:
    rates = {"once": TaskRate(0, 1, 1), "often": TaskRate(3, 40, 2), "easy": TaskRate(9, 9, 1)}
    hardest = order_of(rates, "hardest")
    assert hardest is not None
    assert sorted(hardest, key=hardest.__getitem__) == ["often", "once", "easy"]
    assert order_of(rates, "") is None

"""Tasks and verdicts as streams of JSON lines."""

import json

import pytest

from hub_server.catalog.queries import packages as package_queries
from hub_server.kernel.services import Services
from schemas.evidence.audit_plan import ReplayCount
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, lines_of, make_package
from tests.making.wheel import MANIFEST

RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"
GENERATED = MANIFEST.replace('train = "tasks.jsonl"', 'train = "tasks.jsonl", test = "alice_small_sums:generate"')


def tasks(api: Api, query: str = "") -> list[dict]:
    answer = api.get(f"{RELEASE}/tasks?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    return lines_of(answer)


def test_tasks_stream_without_answers_and_end_with_a_summary(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    first, second, end = tasks(api)
    assert (first["id"], first["answer"], second["id"]) == ("t1", None, "t2")
    assert end == {"summary": {"split": "train", "start": 0, "count": 2, "next": None}}


def test_a_broken_stream_goes_on_where_it_stopped(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    *page, end = tasks(api, "limit=1")
    assert end["summary"]["next"] == 1
    *rest, end = tasks(api, "start=1")
    assert [task["id"] for task in page + rest] == ["t1", "t2"]


@pytest.mark.parametrize(
    "asked", [f"start={2**63}", f"start={10**30}", f"limit={10**30}", f"start=1&limit={2**63 - 1}"]
)
def test_a_stream_of_any_numbers_ends_with_its_summary(alice: Api, api: Api, asked: str) -> None:
    alice.publish(make_package())
    assert "summary" in tasks(api, asked)[-1]


def test_answers_are_for_accounts(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    assert api.get(f"{RELEASE}/tasks?answers=true").status_code == 401
    assert [task["answer"] for task in tasks(alice, "answers=true")[:-1]] == [2, 5]


def test_a_generated_split_is_computed_in_a_box_and_depends_on_its_seed(alice: Api, api: Api) -> None:
    alice.publish(make_package(manifest=GENERATED))
    *page, end = tasks(api, "split=test&limit=150&seed=7&start=10")
    assert len(page) == 150
    assert (page[0]["id"], page[-1]["id"]) == ("test-7-10", "test-7-159")
    assert page[0]["split"] == "test"
    assert end["summary"]["next"] == 160


def test_a_generated_split_without_a_sandbox_says_so(alice: Api, api: Api, executor: FakeExecutor) -> None:
    alice.publish(make_package(manifest=GENERATED))
    executor.reason = "no engine"
    (line,) = tasks(api, "split=test")
    assert line["problem"]["code"] == "sandbox_unavailable"


def test_an_unknown_split_is_refused_with_those_that_exist(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    refused = api.get(f"{RELEASE}/tasks?split=banana")
    assert (refused.status_code, refused.json()["code"]) == (404, "task_not_found")
    assert "train" in refused.json()["detail"]
    assert api.get(f"{RELEASE}/tasks?start=-1").status_code == 422


def test_every_line_is_answered_once_and_counted(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    asked = [
        {"id": "by id", "task_id": "t1", "response": "2"},
        {"id": "whole", "task": {"id": "x", "prompt": "3+3?", "answer": 6}, "response": "5"},
        {"id": "unknown", "task_id": "t99", "response": "2"},
        {"id": "by id", "task_id": "t1", "response": "2"},
        {"id": "nothing", "task_id": "t1"},
        {"id": "extra", "task_id": "t1", "response": "2", "colour": "red"},
    ]
    body = "\n".join(json.dumps(line) for line in asked) + "\n\n{not json\n"
    answer = api.post(f"{RELEASE}/score", content=body)
    *lines, end = lines_of(answer)
    verdicts = {line["id"]: line["verdict"]["rewards"] for line in lines if "verdict" in line}
    assert verdicts == {"by id": {"correct": 1.0}, "whole": {"correct": 0.0}}
    refused = {line["line"]: line["problem"]["code"] for line in lines if "problem" in line}
    assert refused == {
        3: "task_not_found",
        4: "invalid_request",
        5: "invalid_request",
        6: "invalid_request",
        7: "invalid_request",
    }
    assert end == {"summary": {"received": 7, "judged": 2, "unjudged": 0, "refused": 5}}


def test_a_refused_line_still_carries_its_id(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    body = json.dumps({"id": "mine", "task_id": "t1", "response": "2", "colour": "red"})
    (line, _) = lines_of(api.post(f"{RELEASE}/score", content=body))
    assert line["id"] == "mine"


def test_an_empty_stream_has_an_empty_summary(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    answer = api.post(f"{RELEASE}/score", content="")
    assert lines_of(answer) == [{"summary": {"received": 0, "judged": 0, "unjudged": 0, "refused": 0}}]


def test_a_sandbox_that_is_away_is_said_in_the_stream(alice: Api, api: Api, executor: FakeExecutor) -> None:
    alice.publish(make_package())
    executor.reason = "no engine"
    body = json.dumps({"id": "x", "task_id": "t1", "response": "2"})
    (line,) = lines_of(api.post(f"{RELEASE}/score", content=body))
    assert line["problem"]["code"] == "sandbox_unavailable"


def test_one_response_is_judged(alice: Api, api: Api) -> None:
    alice.publish(make_package())
    verdict = api.post(f"{RELEASE}/judge", json={"id": "x", "task_id": "t1", "response": "2"})
    assert verdict.json() == {"rewards": {"correct": 1.0}, "info": {}, "asked": [], "error": None}
    assert api.post(f"{RELEASE}/judge", json={"task_id": "t1", "response": "2"}).json() == verdict.json()
    refused = api.post(f"{RELEASE}/judge", json={"task_id": "t1"})
    assert refused.status_code == 422


def test_a_quarantined_release_is_not_executed(alice: Api, api: Api, services: Services) -> None:
    alice.publish(make_package())
    with services.database.writing() as session:
        package_queries.releases_of(session, "alice/small-sums")[0].state = "quarantined"
    for refused in (
        api.post(f"{RELEASE}/judge", json={"id": "x", "task_id": "t1", "response": "2"}),
        api.get(f"{RELEASE}/wheel"),
        api.get(f"{RELEASE}/tasks"),
        api.post(f"{RELEASE}/score", content=""),
    ):
        assert (refused.status_code, refused.json()["code"]) == (410, "quarantined")
    assert api.get(RELEASE).json()["state"] == "quarantined"  # visible, not usable


def test_what_replaying_found_adds_up_on_the_release_and_marks_its_page(
    alice: Api, api: Api, executor: FakeExecutor
) -> None:
    alice.publish(make_package())
    score = {"id": "a", "task_id": "t1", "response": "2"}
    for found in (ReplayCount(3, 0), ReplayCount(4, 1), ReplayCount(0, 0)):
        executor.replays = found
        assert api.post(f"{RELEASE}/judge", json=score).status_code == 200
    release = api.get(RELEASE).json()
    assert (release["replayed_count"], release["replay_mismatch_count"]) == (7, 1)
    page = api.get("/packages/alice/small-sums/releases/1.0.0").text
    assert "Stateful, or not deterministic" in page
    assert "7\u00a0calls" in page


def test_replays_that_all_agreed_are_told_without_a_mark(alice: Api, api: Api, executor: FakeExecutor) -> None:
    alice.publish(make_package())
    executor.replays = ReplayCount(12, 0)
    api.post(f"{RELEASE}/judge", json={"id": "a", "task_id": "t1", "response": "2"})
    page = api.get("/packages/alice/small-sums/releases/1.0.0").text
    assert "every verdict the same" in page
    assert "not deterministic" not in page

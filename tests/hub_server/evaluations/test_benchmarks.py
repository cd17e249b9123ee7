"""Benchmarks: results in, and what they say about models and about the benchmark itself."""

from typing import Any

import pytest

from hub_server.parts import Parts
from tests.making.hub import Api, make_package, run_jobs
from tests.making.wheel import MANIFEST

BENCHMARK = (
    'format = 1\nid = "alice/bench"\nkind = "benchmark"\nenvironments = ["alice/small-sums@>=1,<2"]\nsplit = "test"\n'
)
PATH = "/api/v1/benchmarks/alice/bench/releases/1.0.0"
TASKS = [f"t{number}" for number in range(1, 13)]


@pytest.fixture
def bench(alice: Api, parts: Parts) -> Api:
    tasks = "".join(
        f'{{"id": "{task}", "prompt": "what is {n} plus {n * n}?", "answer": {n}}}\n' for n, task in enumerate(TASKS)
    )
    manifest = MANIFEST.replace('train = "tasks.jsonl"', 'test = "tasks.jsonl"')
    files = {"tasks.jsonl": tasks}
    assert alice.publish(make_package(manifest=manifest, package_files=files)).status_code == 201
    assert alice.publish(make_package("alice/bench", manifest=BENCHMARK)).status_code == 201
    run_jobs(parts)
    return alice


def results(model: str, solved: int, harness: str = "single-turn", **more: Any) -> dict[str, Any]:
    outcomes = [{"task_id": task, "attempts": 4, "successes": 4 if n < solved else 0} for n, task in enumerate(TASKS)]
    return {
        "environment": "alice/small-sums",
        "environment_version": "1.0.0",
        "model": model,
        "harness": harness,
        "outcomes": outcomes,
        **more,
    }


def test_results_become_a_leaderboard_with_intervals(bench: Api, bob: Api, parts: Parts) -> None:
    assert bench.post(f"{PATH}/results", json=results("weak", 2)).status_code == 201
    assert bob.post(f"{PATH}/results", json=results("strong", 11)).status_code == 201
    run_jobs(parts)
    report = bench.get(f"{PATH}/report").json()
    assert [(row["model"], row["task_count"]) for row in report["leaderboard"]] == [("strong", 12), ("weak", 12)]
    score = report["leaderboard"][0]["score"]
    assert score["value"] == pytest.approx(11 / 12)
    assert score["low"] < score["value"] <= score["high"]
    assert report["never_solved"] == pytest.approx(1 / 12)
    assert report["always_solved"] == pytest.approx(2 / 12)
    assert report["separability"] == 1.0
    assert report["pairs"][0]["is_separated"] is True
    assert 1 < report["diversity"] <= 12
    assert report["diversity_tasks"] == 12


def test_two_equal_models_are_not_told_apart(bench: Api, parts: Parts) -> None:
    bench.post(f"{PATH}/results", json=results("one", 6))
    bench.post(f"{PATH}/results", json=results("other", 6))
    run_jobs(parts)
    assert bench.get(f"{PATH}/report").json()["separability"] == 0.0


def test_what_a_harness_changes_is_measured_on_the_same_tasks(bench: Api, parts: Parts) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    bench.post(f"{PATH}/results", json=results("m", 12, "tool-loop"))
    run_jobs(parts)
    (change,) = bench.get(f"{PATH}/report").json()["harness_changes"]
    assert (change["first"], change["second"], change["task_count"]) == ("single-turn", "tool-loop", 12)
    assert change["difference"]["value"] == pytest.approx(9 / 12)
    assert change["p_value"] < 0.05


def test_newer_results_for_the_same_place_replace_the_older(bench: Api, parts: Parts) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    bench.post(f"{PATH}/results", json=results("m", 6))
    run_jobs(parts)
    assert len(bench.get(f"{PATH}/results").json()["items"]) == 1
    assert bench.get(f"{PATH}/report").json()["leaderboard"][0]["score"]["value"] == 0.5


def test_one_model_alone_separates_nothing(bench: Api, parts: Parts) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    run_jobs(parts)
    report = bench.get(f"{PATH}/report").json()
    assert (report["separability"], report["pairs"], report["harness_changes"]) == (None, [], [])


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"environment": "bob/other"}, 422),
        ({"environment_version": "2.0.0"}, 422),
        ({"outcomes": []}, 422),
        ({"outcomes": [{"task_id": "t1", "attempts": 1, "successes": 2}]}, 422),
        ({"outcomes": [{"task_id": "t1", "successes": 1}, {"task_id": "t1", "successes": 0}]}, 422),
    ],
)
def test_results_that_are_not_of_this_benchmark_are_refused(bench: Api, change: dict, status: int) -> None:
    assert bench.post(f"{PATH}/results", json=results("m", 3, **change)).status_code == status


def test_a_package_of_another_kind_and_an_empty_benchmark_have_no_report(bench: Api) -> None:
    for path in ("/api/v1/benchmarks/alice/small-sums/releases/1.0.0/report", f"{PATH}/report"):
        refused = bench.get(path)
        assert (refused.status_code, refused.json()["code"]) == (404, "benchmark_not_found")

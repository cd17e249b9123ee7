"""Benchmarks: results in, and what they say about models and about the benchmark itself."""

import json
from typing import Any

import pytest

from hub_server.evaluations.models import BenchmarkReportRow
from hub_server.kernel.services import Services
from schemas.verdict import Verdict
from tests.making.hub import Api, make_package, run_jobs
from tests.making.kept_hub import HubKeeper
from tests.making.wheel import MANIFEST

BENCHMARK = (
    'format = 1\nid = "alice/bench"\nkind = "benchmark"\nenvironments = ["alice/small-sums@>=1,<2"]\nsplit = "test"\n'
)
PATH = "/api/v1/benchmarks/alice/bench/releases/1.0.0"
TASKS = [f"t{number}" for number in range(1, 13)]
CASES = "".join(
    json.dumps({"id": f"c{n}", "task_id": TASKS[n % 12], "response": said, "label": label}) + "\n"
    for n in range(60)
    for said, label in [(str(n % 12), "correct") if n % 2 else (f"no {n}", "incorrect")]
)


@pytest.fixture
def bench(keeper: HubKeeper, alice: Api, services: Services) -> Api:
    keeper.bring(
        "a measured environment and its benchmark", services, lambda: publish_bench(alice, services), alice=alice
    )
    return alice


def publish_bench(alice: Api, services: Services) -> None:
    tasks = "".join(
        f'{{"id": "{task}", "prompt": "what is {n} plus {n * n}?", "answer": {n}}}\n' for n, task in enumerate(TASKS)
    )
    manifest = MANIFEST.replace('train = "tasks.jsonl"', 'test = "tasks.jsonl"')
    files = {"tasks.jsonl": tasks, "audit.jsonl": CASES}
    assert alice.publish(make_package(manifest=manifest, package_files=files)).status_code == 201
    assert alice.publish(make_package("alice/bench", manifest=BENCHMARK)).status_code == 201
    run_jobs(services)


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


def test_results_become_a_leaderboard_with_intervals(bench: Api, bob: Api, services: Services) -> None:
    assert bench.post(f"{PATH}/results", json=results("weak", 2)).status_code == 201
    assert bob.post(f"{PATH}/results", json=results("strong", 11)).status_code == 201
    run_jobs(services)
    report = bench.get(f"{PATH}/report").json()
    assert [(row["model"], row["task_count"]) for row in report["leaderboard"]] == [("strong", 12), ("weak", 12)]
    score = report["leaderboard"][0]["score"]
    assert score["value"] == pytest.approx(11 / 12)
    assert score["low"] < score["value"] <= score["high"]
    assert report["never_solved"]["value"] == pytest.approx(1 / 12)
    assert report["always_solved"]["value"] == pytest.approx(2 / 12)
    assert report["always_solved"]["low"] < 2 / 12 < report["always_solved"]["high"]
    assert report["separability"]["value"] == 1.0
    assert report["pairs"][0]["is_separated"] is True
    assert 1 < report["diversity"]["text"]["value"] <= 12
    assert (report["diversity"]["texts"], report["submissions"], report["attempts"]) == (12, 2, 96)


def test_two_equal_models_are_not_told_apart(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("one", 6))
    bench.post(f"{PATH}/results", json=results("other", 6))
    run_jobs(services)
    assert bench.get(f"{PATH}/report").json()["separability"]["value"] == 0.0


def test_what_a_harness_changes_is_measured_on_the_same_tasks(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    bench.post(f"{PATH}/results", json=results("m", 12, "tool-loop"))
    run_jobs(services)
    (change,) = bench.get(f"{PATH}/report").json()["harness_changes"]
    assert (change["first"], change["second"], change["task_count"]) == ("single-turn", "tool-loop", 12)
    assert change["difference"]["value"] == pytest.approx(9 / 12)
    assert change["p_value"] < 0.05


def test_newer_results_for_the_same_place_replace_the_older(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    bench.post(f"{PATH}/results", json=results("m", 6))
    run_jobs(services)
    assert len(bench.get(f"{PATH}/results").json()["items"]) == 1
    assert bench.get(f"{PATH}/report").json()["leaderboard"][0]["score"]["value"] == 0.5


def test_one_model_alone_separates_nothing(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    run_jobs(services)
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


def test_a_report_is_computed_once_for_the_same_results(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    run_jobs(services)
    first = bench.get(f"{PATH}/report").json()
    services.clock.advance(60)
    bench.post(f"{PATH}/results", json=results("m", 3))
    run_jobs(services)
    again = bench.get(f"{PATH}/report").json()
    assert (again["computed_at"], again["results_digest"]) == (first["computed_at"], first["results_digest"])
    bench.post(f"{PATH}/results", json=results("m", 4))
    run_jobs(services)
    changed = bench.get(f"{PATH}/report").json()
    assert changed["results_digest"] != first["results_digest"]
    assert changed["computed_at"] > first["computed_at"]


def test_results_that_came_after_the_report_are_said_to_wait(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    run_jobs(services)
    page = "/benchmarks/alice/bench"
    assert "Newer results have come" not in bench.get(page).text
    bench.post(f"{PATH}/results", json=results("other", 3))
    assert "Newer results have come" in bench.get(page).text
    run_jobs(services)
    assert "Newer results have come" not in bench.get(page).text


def test_a_report_of_an_older_format_counts_as_none_until_new_results_come(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3))
    run_jobs(services)
    with services.database.writing() as session:
        row = session.query(BenchmarkReportRow).one()
        row.report = {"format": 1, "leaderboard": []}
    assert bench.get(f"{PATH}/report").status_code == 404
    assert "is being computed" in bench.get("/benchmarks/alice/bench").text
    bench.post(f"{PATH}/results", json=results("m", 3))
    run_jobs(services)
    assert bench.get(f"{PATH}/report").json()["format"] == 2


def test_attempts_that_count_for_nothing_are_said(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 3, failed=2, unjudged=5))
    run_jobs(services)
    (cell,) = bench.get(f"{PATH}/report").json()["cells"]
    assert (cell["failed"], cell["unjudged"], cell["attempts"]) == (2, 5, 48)


def test_two_accounts_results_for_one_place_add_up(bench: Api, bob: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 12))
    bob.post(f"{PATH}/results", json=results("m", 0))
    run_jobs(services)
    report = bench.get(f"{PATH}/report").json()
    assert (len(report["leaderboard"]), report["leaderboard"][0]["score"]["value"]) == (1, 0.5)


def test_pass_at_k_grows_with_k(bench: Api, services: Services) -> None:
    mixed = results("m", 0)
    for outcome in mixed["outcomes"]:
        outcome["successes"] = 1
    bench.post(f"{PATH}/results", json=mixed)
    run_jobs(services)
    (curve,) = bench.get(f"{PATH}/report").json()["pass_curves"]
    assert [(point["k"], point["rate"]["value"]) for point in curve["points"]] == [(1, 0.25), (2, 0.5), (4, 1.0)]


# Corrected rates


def test_the_audit_that_applies_is_named_and_rates_are_corrected_by_it(bench: Api, services: Services) -> None:
    """The fake executor's verifier is right on all cases, so the estimate stays and the interval is the audit's."""
    bench.post(f"{PATH}/results", json=results("m", 6))
    run_jobs(services)
    report = bench.get(f"{PATH}/report").json()
    (judged,) = report["environments"]
    assert (judged["environment"], judged["version"], judged["audited"]) == (
        "alice/small-sums", "1.0.0", "alice/small-sums@1.0.0",
    )  # fmt: skip
    assert judged["errors"]["fp"] == 0
    assert judged["case_count"] == 36  # of 60 rows: copies count once
    row = report["leaderboard"][0]
    assert row["trust_level"] == report["cells"][0]["trust_level"] == judged["trust_level"]
    assert row["corrected"]["estimate"]["value"] == pytest.approx(0.5)
    assert row["corrected"]["estimate"]["low"] < row["score"]["low"]


def test_without_an_audit_nothing_is_corrected_and_everything_marked(alice: Api, services: Services) -> None:
    manifest = MANIFEST.replace('train = "tasks.jsonl"', 'test = "tasks.jsonl"').replace(
        'audit = ["audit.jsonl"]\n', ""
    )
    files = {"tasks.jsonl": '{"id": "t1", "prompt": "what?", "answer": 1}\n'}
    alice.publish(make_package(manifest=manifest, package_files=files))
    alice.publish(make_package("alice/bench", manifest=BENCHMARK))
    body = results("m", 1) | {"outcomes": [{"task_id": "t1", "attempts": 4, "successes": 4}]}
    alice.post(f"{PATH}/results", json=body)
    run_jobs(services)
    report = alice.get(f"{PATH}/report").json()
    assert report["environments"][0]["trust_level"] == "unaudited"
    page = alice.get("/benchmarks/alice/bench").text
    assert "Read these results with care" in page
    assert "Unaudited verifier" in page
    assert "Verifier below C" not in page


def test_a_new_audit_corrects_anew_without_new_results(bench: Api, services: Services) -> None:
    bench.post(f"{PATH}/results", json=results("m", 6))
    run_jobs(services)
    before = bench.get(f"{PATH}/report").json()
    services.executor.judge_call = lambda version, task, response: Verdict(rewards={"correct": 0.0})
    assert bench.post("/api/v1/packages/alice/small-sums/releases/1.0.0/audits").status_code < 300
    run_jobs(services)
    after = bench.get(f"{PATH}/report").json()
    assert after["results_digest"] == before["results_digest"]
    assert after["environments"][0]["errors"]["fn"] > 0
    assert after["leaderboard"][0]["corrected"] == {
        "estimate": None,
        "reason": "alice/small-sums: its verifier is not measurably better than chance: FPR + FNR may be 1 or more",
    }
    assert "cannot be corrected" in bench.get("/benchmarks/alice/bench").text


# Other benchmarks, other texts


def test_benchmarks_that_rank_alike_say_so_on_both_sides(bench: Api, services: Services) -> None:
    bench.publish(make_package("alice/other", manifest=BENCHMARK.replace("alice/bench", "alice/other")))
    other = PATH.replace("alice/bench", "alice/other")
    for won in range(1, 21):  # fewer models that rank alike prove nothing: tests/…/quality/test_redundancy.py
        outcomes = [
            {"task_id": task, "attempts": 4, "successes": min(max(won - 4 * n, 0), 4)} for n, task in enumerate(TASKS)
        ]
        for path in (PATH, other):
            assert bench.post(f"{path}/results", json=results(f"m{won}", 0, outcomes=outcomes)).status_code == 201
    run_jobs(services, at_most=100)
    for path, name in ((PATH, "alice/other"), (other, "alice/bench")):
        (related,) = bench.get(f"{path}/report").json()["related"]
        assert (related["benchmark"], related["entries"], related["is_redundant"]) == (name, 20, True)
        assert related["kendall"]["value"] == related["spearman"]["value"] == pytest.approx(1.0)
    assert "Redundant" in bench.get("/benchmarks").text


def test_a_test_task_that_another_package_trains_on_is_found(bench: Api, services: Services) -> None:
    leak = "a farmer has seven cows and sells three of them at the market on a rainy monday in may"
    tasks = [{"id": f"t{n}", "prompt": leak if n == 1 else f"{n} plus {n}", "answer": n} for n in range(1, 13)]
    manifest = MANIFEST.replace('train = "tasks.jsonl"', 'test = "tasks.jsonl"')
    lines = "".join(json.dumps(task) + "\n" for task in tasks)
    bench.publish(
        make_package(version="1.1.0", manifest=manifest, package_files={"tasks.jsonl": lines, "audit.jsonl": CASES})
    )
    copied = json.dumps({"id": "r1", "prompt": f"Once: {leak}!", "answer": 4}) + "\n"
    bench.publish(make_package("alice/copies", package_files={"tasks.jsonl": copied, "audit.jsonl": ""}))
    bench.post(f"{PATH}/results", json=results("m", 3))
    run_jobs(services)
    rows = bench.get(f"{PATH}/report").json()["contamination"]
    (found,) = [row for row in rows if row["overlapping"]]
    assert (found["against"], found["against_split"], found["test_count"]) == ("alice/copies@1.0.0", "train", 12)
    assert found["worst"] == [{"task": "t1", "where": "r1", "words": 19, "covered": 1.0}]
    page = bench.get("/benchmarks/alice/bench").text
    assert "alice/<wbr>copies" in page
    assert "1 of 12" in page

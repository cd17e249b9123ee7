"""The job that measures a benchmark: harmless to repeat, and a hundred results that come together cost one report."""

import pytest

from hub_server.evaluations import actions
from hub_server.evaluations.jobs import KINDS, measure_benchmark
from hub_server.kernel.job_names import JobName
from tests.hub_server.evaluations.ladders import BENCH, results, send
from tests.making.action_driver import ActionDriver


def reports(driver: ActionDriver) -> list[tuple[object, ...]]:
    return driver.rows("SELECT computed_at FROM benchmark_reports")


def test_results_become_a_report_by_the_worker(bench: ActionDriver) -> None:
    bench.run_jobs()
    send(bench, results())
    assert reports(bench) == []
    assert bench.run_jobs() == 1
    assert bench.ask(None, actions.get_report, BENCH).submissions == 1


def test_of_many_results_at_once_the_first_job_computes_and_the_others_find_nothing_to_do(
    bench: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run_jobs()
    computed: list[str] = []
    real = actions.compute_report

    def counted(work, release_id: str):
        computed.append(release_id)
        return real(work, release_id)

    monkeypatch.setattr(actions, "compute_report", counted)
    for model in range(5):
        send(bench, results(f"m{model}", model))
    assert bench.run_jobs() == 5
    assert len(computed) == 1
    assert bench.ask(None, actions.get_report, BENCH).submissions == 5
    assert bench.rows("SELECT state, count(*) FROM jobs GROUP BY state")[0][0] in ("done", "finished")


def test_a_benchmark_without_results_ends_its_job_without_a_report(bench: ActionDriver) -> None:
    bench.run_jobs()
    ((release_id,),) = bench.rows("SELECT id FROM releases WHERE package_id = :p", p=BENCH)
    bench.do(None, lambda work: work.queue(JobName.MEASURE_BENCHMARK, {"release_id": release_id}))
    assert bench.run_jobs() == 1
    assert reports(bench) == []
    assert bench.run_jobs() == 0, "it is not tried again"


def test_a_job_that_is_given_up_leaves_the_older_report(bench: ActionDriver) -> None:
    send(bench, results())
    bench.run_jobs()
    before = reports(bench)
    bench.do(None, KINDS[JobName.MEASURE_BENCHMARK].give_up, "job", {"release_id": "x"}, "it failed eight times")
    assert reports(bench) == before
    assert KINDS[JobName.MEASURE_BENCHMARK].run is measure_benchmark

"""The worker's entries: a job may run twice and counts once; a sandbox that is away costs a wait and no verdict."""

from dataclasses import replace

import pytest

from hub_server.audits import actions
from hub_server.audits.jobs import KINDS, MOST_TRIES_FOR_LOST_CALLS, _ProgressShown
from hub_server.database.job_queue import LeaseLostError
from hub_server.kernel.job_names import JobName
from hub_server.settings import JudgeSettings
from schemas.comparison import ComparisonRequest
from schemas.verdict import ErrorKind, Verdict
from tests.hub_server.audits.judged import ALICE, BOB, SUMS, submit
from tests.making.action_driver import ActionDriver
from tests.making.hub import run_jobs
from tests.making.wheel import MANIFEST


def job_states(driver: ActionDriver, name: JobName) -> list[str]:
    return [state for (state,) in driver.rows("SELECT state FROM jobs WHERE name = :n ORDER BY id", n=name.value)]


def test_every_kind_of_audit_job_has_an_entry_and_a_burial() -> None:
    assert {name for name in JobName if name.value.startswith("audits.")} == set(KINDS)


def test_a_published_release_is_measured_once(hedging: ActionDriver) -> None:
    hedging.run_jobs()
    assert hedging.executor.audited == [f"{SUMS}@1.0.0"]
    record = hedging.ask(None, actions.get_latest_audit, SUMS)
    assert record.report is not None
    assert (record.report.overall.tp, record.report.overall.tn, record.report.overall.fp) == (1, 1, 0)
    assert hedging.run_jobs() == 0


def test_while_the_sandbox_is_away_an_audit_waits_and_says_why(hedging: ActionDriver) -> None:
    hedging.executor.reason = "no Docker engine answers"
    hedging.clock.advance(1)
    run_jobs(hedging.services, at_most=3)
    (waiting,) = hedging.ask(None, actions.list_audits, SUMS).items
    assert waiting.state == "queued"
    assert "no Docker engine answers" in waiting.error
    hedging.executor.reason = None
    hedging.run_jobs()
    assert hedging.ask(None, actions.get_latest_audit, SUMS).state == "done"


def test_calls_lost_to_our_own_faults_are_run_again_and_reported_in_the_end(hedging: ActionDriver) -> None:
    """A verifier that kills its box each time looks like a fault of ours, and must not go without a report for that."""
    tries: list[str] = []
    hedging.executor.before_audit = lambda plan: tries.append(plan.subject)
    hedging.executor.judge_call = lambda *_: Verdict.unjudged(["correct"], ErrorKind.HOST, "the box was lost")
    for _ in range(MOST_TRIES_FOR_LOST_CALLS + 2):
        hedging.clock.advance(4000)
        hedging.run_jobs()
    assert len(tries) == MOST_TRIES_FOR_LOST_CALLS
    record = hedging.ask(None, actions.get_latest_audit, SUMS)
    assert record.report is not None
    assert record.report.overall.fpr.value is None, "nothing was judged, so there is no rate"
    assert record.report.unscored_reasons["host"] > 0


def test_a_case_that_came_while_the_sandbox_was_away_is_replayed(hedging: ActionDriver) -> None:
    hedging.run_jobs()
    hedging.executor.reason = "no engine"
    case_id = submit(hedging).id
    hedging.executor.reason = None
    hedging.run_jobs()
    assert hedging.ask(None, actions.get_case, SUMS, case_id).state == "reproduced"


def test_a_comparison_is_made_by_the_worker_and_its_failure_is_said(hedging: ActionDriver) -> None:
    hedging.publish(ALICE, "alice/other")
    hedging.run_jobs()
    record = hedging.do(BOB, actions.request_comparison, ComparisonRequest(left=SUMS, right="alice/other", again=True))
    payload = {
        "left": hedging.rows("SELECT id FROM releases WHERE package_id = :p", p=SUMS)[0][0],
        "right": hedging.rows("SELECT id FROM releases WHERE package_id = 'alice/other'")[0][0],
    }
    hedging.do(None, KINDS[JobName.COMPARE].give_up, record.id, payload, "it failed eight times")
    failed = hedging.ask(None, actions.get_comparison, record.id)
    assert (failed.state, failed.error) == ("failed", "it failed eight times")
    hedging.run_jobs()
    done = hedging.ask(None, actions.get_comparison, record.id)
    assert (done.state, done.error) == ("done", "")
    assert done.result is not None
    assert done.result.judged == done.result.agreed


@pytest.mark.parametrize(
    "name", [JobName.GATHER_DISAGREEMENTS, JobName.SETTLE_QUESTION, JobName.FIND_NEIGHBOURS, JobName.REPLAY_CASE]
)
def test_what_was_promised_to_nobody_is_given_up_without_a_trace(hedging: ActionDriver, name: JobName) -> None:
    with hedging.statements() as sent:
        hedging.do(None, KINDS[name].give_up, "job", {}, "it failed eight times")
    assert not any(one.startswith(("INSERT", "UPDATE", "DELETE")) for one in sent)


@pytest.mark.parametrize(
    ("name", "payload"),
    [(JobName.REPLAY_CASE, {"package": SUMS, "case_id": "none"}), (JobName.SETTLE_QUESTION, {"question_id": "none"}),
     (JobName.GATHER_DISAGREEMENTS, {"package": "alice/none"})],
)  # fmt: skip
def test_a_job_about_what_is_gone_stops_no_other(hedging: ActionDriver, name: JobName, payload) -> None:
    hedging.run_jobs()
    hedging.do(None, lambda work: work.queue(name, payload))
    hedging.run_jobs()
    hedging.publish(ALICE, version="1.1.0")
    hedging.run_jobs()
    assert hedging.executor.audited[-1] == f"{SUMS}@1.1.0"


class Over:
    """A running job that has ended elsewhere."""

    services = None

    def check_not_over(self) -> None:
        raise LeaseLostError("over")


def test_progress_of_a_job_that_is_over_ends_the_audit() -> None:
    with pytest.raises(LeaseLostError), _ProgressShown(Over(), "a1") as progress:
        progress.note(1, 10)


def test_a_verifier_that_asks_a_model_is_not_measured_where_the_hub_offers_none(driver: ActionDriver) -> None:
    """One sentence at once, in place of a bad grade or of eight tries; with a model it is measured."""
    manifest = MANIFEST + '[model]\n[model.prompts.point]\nuser = "{response}"\n'
    driver.person("alice")
    driver.publish(ALICE, manifest=manifest)
    driver.run_jobs()
    (record,) = driver.ask(None, actions.list_audits, SUMS).items
    assert record.state == "failed"
    assert "asks a model, and this hub offers none" in record.error
    assert driver.executor.audited == []
    offered = JudgeSettings(url="http://judge/v1", model="m")
    driver.services = replace(driver.services, settings=driver.services.settings.model_copy(update={"judge": offered}))
    driver.do(ALICE, actions.request_audit, SUMS, "1.0.0")
    driver.run_jobs()
    assert driver.executor.audited == [f"{SUMS}@1.0.0"]

"""The steps of an audit: begun once, ended once, and a release that brings a fixed fault back is held."""

from dataclasses import replace

import pytest

from hub_server.audits import actions
from hub_server.audits.actions.audit_runs import _was_right_before
from hub_server.audits.models import AuditRow, CounterExampleRow
from hub_server.catalog.actions import get_package, get_release
from hub_server.execution.errors import NothingToExecuteError
from schemas.evidence.audit import AuditReport, Failure
from tests.hub_server.audits.judged import ALICE, SUMS, hack, publish, state_of, submit
from tests.making.action_driver import ActionDriver
from tests.making.reports import make_report


def release_id(driver: ActionDriver, version: str = "1.0.0") -> str:
    ((found,),) = driver.rows("SELECT id FROM releases WHERE package_id = :p AND version = :v", p=SUMS, v=version)
    return found


def report(driver: ActionDriver, version: str, wrong: dict[str, str] | None = None, **changes) -> AuditReport:
    """Of a version's digest; ``wrong``: community case -> kind of failure."""
    failures = [
        Failure(case=f"community:{case}", kind=kind, expected="incorrect", got={"correct": 1.0}, origin="community")
        for case, kind in (wrong or {}).items()
    ]
    digest = driver.ask(None, get_release, SUMS, version).digest
    return make_report(subject=f"{SUMS}@{version}", digest=digest, failures=failures, **changes)


def audited(driver: ActionDriver, version: str, wrong: dict[str, str] | None = None, audit_id: str = "") -> None:
    """What the job does, with a report that a test hands in."""
    identifier = audit_id or f"a-{version}"
    driver.do(None, actions.start_audit, identifier, release_id(driver, version))
    driver.do(None, actions.finish_audit, identifier, report(driver, version, wrong))


def test_an_audit_gathers_the_authors_cases_and_the_communitys(hedging: ActionDriver) -> None:
    case_id = submit(hedging).id
    plan = hedging.do(None, actions.start_audit, "a1", release_id(hedging))
    assert plan is not None
    assert plan.subject == f"{SUMS}@1.0.0"
    assert [case.id for case in plan.cases] == ["a1", "a2", f"community:{case_id}"]
    assert plan.tasks.keys() == {"t1", "t2"}
    record = hedging.ask(None, actions.get_audit, "a1")
    assert (record.state, record.done_cases, record.total_cases) == ("running", 0, 3)


def test_the_probes_seed_is_the_hubs_secret_and_differs_by_release(hedging: ActionDriver, tmp_path) -> None:
    publish(hedging, "1.1.0")
    seeds = []
    for version in ("1.0.0", "1.1.0", "1.0.0"):
        plan = hedging.do(None, actions.start_audit, f"a{len(seeds)}", release_id(hedging, version))
        assert plan is not None
        seeds.append(plan.probe_seed)
    assert seeds[0] == seeds[2] != seeds[1]
    digest = hedging.ask(None, get_release, SUMS, "1.0.0").digest
    assert digest not in str(seeds[0]), "an author who knows the digest does not know the probes"


def test_a_releases_seed_is_told_once_there_is_a_later_release_and_no_other_secret_with_it(
    hedging: ActionDriver,
) -> None:
    plan = hedging.do(None, actions.start_audit, "a1", release_id(hedging))
    assert plan is not None
    hedging.do(None, actions.finish_audit, "a1", report(hedging, "1.0.0"))
    assert hedging.ask(None, actions.get_audit, "a1").probe_seed == ""
    publish(hedging, "1.1.0")
    newer = hedging.do(None, actions.start_audit, "a2", release_id(hedging, "1.1.0"))
    hedging.do(None, actions.finish_audit, "a2", report(hedging, "1.1.0"))
    assert hedging.ask(None, actions.get_audit, "a1").probe_seed == plan.probe_seed
    assert hedging.ask(None, actions.get_latest_audit, SUMS, "1.0.0").probe_seed == plan.probe_seed
    assert newer is not None
    assert newer.probe_seed != plan.probe_seed
    assert hedging.ask(None, actions.get_latest_audit, SUMS, "1.1.0").probe_seed == ""
    held = hedging.services.signer.secret_of(f"suites {hedging.ask(None, get_release, SUMS, '1.0.0').digest}")
    assert plan.probe_seed != held, "names of held cases hang on another secret"


def test_what_is_done_is_not_begun_again_and_what_was_cut_off_is(hedging: ActionDriver) -> None:
    for _ in range(2):
        assert hedging.do(None, actions.start_audit, "a1", release_id(hedging)) is not None
    hedging.do(None, actions.finish_audit, "a1", report(hedging, "1.0.0"))
    assert hedging.do(None, actions.start_audit, "a1", release_id(hedging)) is None
    assert len(hedging.rows("SELECT id FROM audits")) == 1


def test_progress_is_shown_only_while_it_runs(hedging: ActionDriver) -> None:
    hedging.do(None, actions.record_progress, "none", 1, 2)
    hedging.do(None, actions.start_audit, "a1", release_id(hedging))
    hedging.do(None, actions.record_progress, "a1", 1, 40)
    assert hedging.rows("SELECT done_cases, total_cases FROM audits") == [(1, 40)]
    hedging.do(None, actions.finish_audit, "a1", report(hedging, "1.0.0"))
    before = hedging.rows("SELECT done_cases, total_cases FROM audits")
    cases = report(hedging, "1.0.0").case_count
    assert before == [(cases, cases)], "not what was planned when somebody last looked: probes count only while it runs"
    hedging.do(None, actions.record_progress, "a1", 2, 40)
    assert hedging.rows("SELECT done_cases, total_cases FROM audits") == before


def test_a_finished_audit_is_signed_dated_and_on_the_card(hedging: ActionDriver) -> None:
    audited(hedging, "1.0.0")
    record = hedging.ask(None, actions.get_latest_audit, SUMS)
    assert record.report is not None
    assert hedging.ask(None, actions.check_report, record.report).state == "signed"
    assert record.report.audited_at is not None
    card = hedging.ask(None, get_package, SUMS).card
    assert card.audit is not None
    assert (card.audit.grade, card.audit_state) == (record.report.grade, "done")


def test_an_audit_that_waits_or_failed_says_why_and_leaves_older_figures(hedging: ActionDriver) -> None:
    audited(hedging, "1.0.0")
    figures = hedging.ask(None, get_package, SUMS).card.audit
    hedging.do(None, actions.record_waiting, "a2", release_id(hedging), "the engine is away")
    waiting = hedging.ask(None, actions.get_audit, "a2")
    assert (waiting.state, waiting.error) == ("queued", "the engine is away")
    hedging.do(None, actions.fail_audit, "a2", release_id(hedging), "it failed eight times")
    failed = hedging.ask(None, actions.get_audit, "a2")
    assert (failed.state, failed.error) == ("failed", "it failed eight times")
    assert hedging.ask(None, get_package, SUMS).card.audit == figures


def fixed_in_1_1(driver: ActionDriver) -> str:
    """A case that counts, wrong in 1.0.0 and right in 1.1.0."""
    case_id = submit(driver).id
    driver.do(ALICE, actions.second_case, SUMS, case_id)
    publish(driver, "1.1.0")
    audited(driver, "1.1.0")
    return case_id


def latest(driver: ActionDriver) -> str | None:
    return driver.ask(None, get_package, SUMS).card.latest


def test_what_a_release_gets_right_is_fixed_and_counted(hedging: ActionDriver) -> None:
    case_id = fixed_in_1_1(hedging)
    case = hedging.ask(None, actions.get_case, SUMS, case_id)
    assert (case.state, case.fixed_in) == ("fixed", "1.1.0")
    assert hedging.rows("SELECT fixed_case_count FROM packages WHERE id = :p", p=SUMS) == [(1,)]
    assert latest(hedging) == "1.1.0"


@pytest.mark.parametrize(
    ("kind", "words"),
    [("fp", "Gets 1 counter-example wrong"), ("fn", "Gets 1"), ("unscored", "Could not be judged on 1")],
)
def test_a_release_on_which_a_fixed_fault_returns_or_hides_is_not_the_latest(
    hedging: ActionDriver, kind: str, words: str
) -> None:
    case_id = fixed_in_1_1(hedging)
    publish(hedging, "1.2.0")
    assert latest(hedging) == "1.1.0", "its audit must replay the case first"
    audited(hedging, "1.2.0", {case_id: kind})
    assert latest(hedging) == "1.1.0"
    assert words in hedging.ask(None, get_release, SUMS, "1.2.0").blocked_from_latest
    assert state_of(hedging, case_id) == "fixed", "a regression is the release's, not the case's"
    audited(hedging, "1.2.0", audit_id="again")
    assert latest(hedging) == "1.2.0"


def test_what_nobody_has_seconded_holds_no_release_back(hedging: ActionDriver) -> None:
    """Else one account could keep every later release of a stranger from being the latest."""
    case_id = submit(hedging).id
    publish(hedging, "1.1.0")
    audited(hedging, "1.1.0")
    publish(hedging, "1.2.0")
    audited(hedging, "1.2.0", {case_id: "fp"})
    assert latest(hedging) == "1.2.0"


@pytest.mark.parametrize("counted_by", ["standing", "labels"])
@pytest.mark.parametrize(("corroborated_by", "newest"), [("", "1.2.0"), ("owner", "1.1.0"), ("verifiers", "1.1.0")])
def test_accounts_of_standing_alone_hold_no_release_back(
    hedging: ActionDriver, counted_by: str, corroborated_by: str, newest: str
) -> None:
    """Two that labelled an accepted error as right kept the release from being the latest that corrected it."""
    case_id = fixed_in_1_1(hedging)
    with hedging.writing() as work:
        row = work.session.get_one(CounterExampleRow, case_id)
        row.counted_by, row.corroborated_by = counted_by, corroborated_by
    publish(hedging, "1.2.0")
    audited(hedging, "1.2.0", {case_id: "fp"})
    assert latest(hedging) == newest


def test_a_case_that_repeats_another_is_kept_with_what_counts_in_its_place(hedging: ActionDriver) -> None:
    """It was shown as counting, and counted in nothing."""
    ids = [submit(hedging, hack(f"h{n}", response=f"2 or {n}")).id for n in range(4)]
    for case_id in ids:
        hedging.do(ALICE, actions.second_case, SUMS, case_id)
    hedging.do(None, actions.start_audit, "a1", release_id(hedging))
    one, two, three, four = (f"community:{case_id}" for case_id in ids)
    found = report(hedging, "1.0.0", repeats={one: two, three: "a1", four: two}, in_no_rate=[])
    hedging.do(None, actions.finish_audit, "a1", found)
    cases = [hedging.ask(None, actions.get_case, SUMS, case_id) for case_id in ids]
    assert [case.repeats for case in cases] == [ids[1], "", "package", ids[1]]
    assert not any(case.waits for case in cases)
    page = actions.list_cases
    assert {case.repeats for case in hedging.ask(None, page, SUMS).items} == {ids[1], "", "package"}
    hedging.do(None, actions.start_audit, "a2", release_id(hedging))
    waiting = report(hedging, "1.0.0", repeats={one: two}, in_no_rate=[two])
    hedging.do(None, actions.finish_audit, "a2", waiting)
    cases = [hedging.ask(None, actions.get_case, SUMS, case_id) for case_id in ids]
    assert [case.waits for case in cases] == [True, True, False, False], "what counts in its place waits itself"
    assert [case.repeats for case in cases] == [ids[1], "", "", ""]


def test_a_case_that_came_while_the_audit_ran_is_not_settled_by_it(hedging: ActionDriver) -> None:
    publish(hedging, "1.1.0")
    hedging.do(None, actions.start_audit, "a1", release_id(hedging, "1.1.0"))
    case_id = submit(hedging).id
    hedging.do(None, actions.finish_audit, "a1", report(hedging, "1.1.0"))
    assert state_of(hedging, case_id) == "reproduced", (
        "it was not in the suite, so its absence from the failures says nothing"
    )


def test_verdicts_of_failed_cases_are_kept_by_version(hedging: ActionDriver) -> None:
    case_id = submit(hedging).id
    publish(hedging, "1.2.0")
    audited(hedging, "1.2.0", {case_id: "fp"})
    assert hedging.ask(None, actions.get_case, SUMS, case_id).verdicts == {
        "1.0.0": {"correct": 1.0},
        "1.2.0": {"correct": 1.0},
    }


@pytest.mark.parametrize(
    ("state", "since", "counted_by", "expected"),
    [
        ("fixed", "1.9.0", "owner", True), ("fixed", "1.10.0", "owner", False), ("fixed", "1.11.0", "owner", False),
        ("fixed", "1.9.0", "", False), ("fixed", None, "owner", False), ("agreed", "1.9.0", "moderator", True),
        ("agreed", "1.10.0", "moderator", False), ("fixed", "1.9.0", "verifiers", True), ("reproduced", "1.9.0", "owner", False), ("disputed", "1.9.0", "owner", False),
    ],
)  # fmt: skip
def test_which_cases_an_earlier_release_got_right(state: str, since, counted_by: str, expected: bool) -> None:
    """1.9.0 is earlier than 1.10.0, though its text sorts after it."""
    row = CounterExampleRow(state=state, counted_by=counted_by, corroborated_by="")
    row.fixed_in, row.against = (since, "1.0.0") if state != "agreed" else (None, since)
    assert _was_right_before(row, "1.10.0") is expected


def test_an_audit_of_a_release_that_asks_for_too_much_is_refused_and_not_begun(hedging: ActionDriver) -> None:
    execution = hedging.services.settings.execution.model_copy(
        update={"most_memory_mb": 32, "most_timeout_seconds": 0.001}
    )
    hedging.services = replace(
        hedging.services, settings=hedging.services.settings.model_copy(update={"execution": execution})
    )
    with pytest.raises(NothingToExecuteError):
        hedging.do(None, actions.start_audit, "a1", release_id(hedging))
    with hedging.reading() as work:
        assert work.session.get(AuditRow, "a1") is None


def test_an_audit_has_the_hubs_seconds_and_repeats(hedging: ActionDriver) -> None:
    """Without an end of its own, one audit holds a worker for as long as its package likes."""
    settings = hedging.services.settings
    sandbox = settings.sandbox.model_copy(update={"audit_seconds": 61.0, "audit_repeats": 7})
    hedging.services = replace(hedging.services, settings=settings.model_copy(update={"sandbox": sandbox}))
    plan = hedging.do(None, actions.start_audit, "a1", release_id(hedging))
    assert plan is not None
    assert (plan.seconds, plan.repeats) == (61.0, 7)

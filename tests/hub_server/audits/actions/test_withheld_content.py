"""What moderators stopped cannot be read in measurements either: by an id, in an older report, or in a later one."""

import pytest

from hub_server.audits import actions
from hub_server.audits.actions.comparisons import keep_comparison
from hub_server.audits.models import AuditRow
from hub_server.catalog.actions import get_release
from hub_server.catalog.errors import WithheldError
from hub_server.moderation import actions as moderation
from schemas.account import Scope
from schemas.comparison import Disagreement, VerifierComparison
from schemas.evidence.audit import AuditRecord, AuditReport, Failure
from schemas.evidence.cases import Label, Origin
from schemas.measures.intervals import rate
from schemas.moderation import Suspension
from tests.hub_server.audits.judged import ALICE, BOB, MODA, SUMS, hack, submit
from tests.making.action_driver import ActionDriver, caller
from tests.making.reports import make_report

OTHER = "alice/other"
CANARY = "CANARY"


def release_id(driver: ActionDriver, package: str = SUMS) -> str:
    ((found,),) = driver.rows("SELECT id FROM releases WHERE package_id = :p", p=package)
    return str(found)


def report(driver: ActionDriver, *names: str) -> AuditReport:
    failures = [
        Failure(
            case=name,
            expected="incorrect",
            got={"correct": 1.0},
            origin=Origin.COMMUNITY,
            task={"prompt": CANARY},
            response=CANARY,
            note=CANARY,
            tags=[CANARY],
        )
        for name in names
    ]
    return make_report(
        subject=f"{SUMS}@1.0.0", digest=driver.ask(None, get_release, SUMS, "1.0.0").digest, failures=failures
    )


def audited(driver: ActionDriver, *names: str, audit_id: str = "a1") -> None:
    driver.do(None, actions.start_audit, audit_id, release_id(driver))
    driver.do(None, actions.finish_audit, audit_id, report(driver, *names))


def shown(driver: ActionDriver, audit_id: str = "a1") -> AuditRecord:
    return driver.ask(None, actions.get_audit, audit_id)


def compared(driver: ActionDriver, *names: str) -> str:
    parted = [
        Disagreement(
            case=name, label=Label.INCORRECT, first=True, second=False, first_rewards={}, second_rewards={},
            sides_with="second", task={"prompt": CANARY}, response=CANARY,
        )
        for name in names
    ]  # fmt: skip
    found = VerifierComparison(
        first="a", second="b", case_count=1, counts={}, agreement=rate(0, 1), kappa=None, distance=None,
        disagreements=parted,
    )  # fmt: skip
    driver.do(None, keep_comparison, release_id(driver), release_id(driver, OTHER), found)
    ((identifier,),) = driver.rows("SELECT id FROM comparisons")
    return str(identifier)


@pytest.fixture
def two(hedging: ActionDriver) -> ActionDriver:
    hedging.publish(ALICE, OTHER)
    return hedging


def test_a_hidden_case_leaves_older_reports_and_comes_back_when_it_is_shown(two: ActionDriver) -> None:
    name = f"community:{submit(two, hack()).id}"
    audited(two, name, "own")
    comparison = compared(two, name)
    before = shown(two)
    for act in (moderation.hide_case, moderation.show_case):
        two.do(MODA, act, SUMS, name.removeprefix("community:"), "private data")
        record = shown(two)
        assert record.report is not None
        is_hidden = act is moderation.hide_case
        assert (CANARY in record.report.failures[0].model_dump_json()) is not is_hidden
        assert CANARY in record.report.failures[1].model_dump_json()
        assert two.ask(None, actions.check_report, record.report).state == "signed"
        text = two.ask(None, actions.get_comparison, comparison).model_dump_json()
        assert (CANARY in text) is not is_hidden
        assert (record.report_digest == before.report_digest) is not is_hidden
    assert shown(two) == before


def test_the_report_of_an_audit_that_ran_while_the_case_was_hidden_shows_no_word_of_it(hedging: ActionDriver) -> None:
    case_id = submit(hedging, hack()).id
    hedging.do(None, actions.start_audit, "a1", release_id(hedging))
    hedging.do(MODA, moderation.hide_case, SUMS, case_id, "private data")
    hedging.do(None, actions.finish_audit, "a1", report(hedging, f"community:{case_id}"))
    assert CANARY not in shown(hedging).model_dump_json()


def test_the_cases_of_a_hidden_account_leave_reports_while_it_is_hidden(hedging: ActionDriver) -> None:
    audited(hedging, f"community:{submit(hedging, hack(), by=BOB).id}")
    hedging.do(MODA, moderation.suspend_account, "bob", Suspension(reason="spam", hide_content=True))
    assert CANARY not in shown(hedging).model_dump_json()
    hedging.do(MODA, moderation.unsuspend_account, "bob", "a mistake")
    assert CANARY in shown(hedging).model_dump_json()


def test_hiding_a_case_gives_no_good_signature_to_a_report_that_was_changed(hedging: ActionDriver) -> None:
    case_id = submit(hedging, hack()).id
    audited(hedging, f"community:{case_id}")
    with hedging.writing() as work:
        row = work.session.get(AuditRow, "a1")
        assert row is not None
        assert row.report is not None
        row.report = {**row.report, "case_count": 9999}
    hedging.do(MODA, moderation.hide_case, SUMS, case_id, "private data")
    record = shown(hedging)
    assert record.report is not None
    assert hedging.ask(None, actions.check_report, record.report).state == "unsigned"


def test_words_of_a_suite_that_was_taken_down_leave_the_reports_of_others(two: ActionDriver) -> None:
    audited(two, f"{OTHER}:s1", "own")
    two.do(MODA, moderation.take_down_package, OTHER, "private data")
    record = shown(two)
    assert record.report is not None
    assert [CANARY in one.model_dump_json() for one in record.report.failures] == [False, True]


def test_audits_and_comparisons_of_a_hidden_package_are_for_moderators_alone(two: ActionDriver) -> None:
    audited(two, "own")
    comparison = compared(two, "own")
    two.do(MODA, moderation.suspend_account, "alice", Suspension(reason="malware", hide_content=True))
    for by in (None, BOB, ALICE, caller("dave", scopes=frozenset(Scope))):
        for read, identifier in ((actions.get_audit, "a1"), (actions.get_comparison, comparison)):
            with pytest.raises(WithheldError):
                two.ask(by, read, identifier)
    assert two.ask(None, actions.newest_comparisons) == []
    assert two.ask(MODA, actions.get_audit, "a1").id == "a1"
    two.do(MODA, moderation.unsuspend_account, "alice", "a mistake")
    assert [one.id for one in two.ask(None, actions.newest_comparisons)] == [comparison]


@pytest.mark.parametrize("whole", [True, False], ids=["package", "release"])
def test_a_takedown_erases_what_was_measured_for_good(two: ActionDriver, whole: bool) -> None:
    audited(two, "own")
    comparison = compared(two, "own")
    if whole:
        two.do(MODA, moderation.take_down_package, SUMS, "private data")
        with pytest.raises(WithheldError):
            two.ask(MODA, actions.get_audit, "a1")
    else:
        two.do(MODA, moderation.take_down_release, SUMS, "1.0.0", "private data")
        assert (shown(two).state, shown(two).report) == ("failed", None)
        assert two.ask(None, actions.get_comparison, comparison).result is None
    for table, column in (("audits", "report"), ("comparisons", "result"), ("releases", "audit_summary")):
        held = two.rows(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL AND {column} <> 'null'")
        assert held == [], table


def test_what_ends_after_a_takedown_keeps_nothing(two: ActionDriver) -> None:
    two.do(None, actions.start_audit, "a1", release_id(two))
    two.do(None, actions.start_comparison, "c1", release_id(two), release_id(two, OTHER))
    two.do(MODA, moderation.take_down_release, SUMS, "1.0.0", "private data")
    two.do(None, actions.finish_audit, "a1", report(two, "own"))
    found = VerifierComparison(
        first="a", second="b", case_count=1, counts={}, agreement=rate(1, 1), kappa=None, distance=None,
        disagreements=[],
    )  # fmt: skip
    two.do(None, actions.finish_comparison, "c1", found)
    two.do(None, keep_comparison, release_id(two), release_id(two, OTHER), found)
    assert shown(two).report is None
    assert [row[0] for row in two.rows("SELECT state FROM comparisons")] == ["failed"]

"""Reports of wrong labels: who takes a suite's case out of audits, who cannot, and that it comes back."""

import contextlib
import html
import re
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace

import pytest
from sqlalchemy.orm import Session

from hub_server.audits import actions
from hub_server.audits.actions import quotas
from hub_server.audits.errors import (
    CaseExistsError,
    CaseNotDisputableError,
    CaseNotSecondableError,
    InvalidCaseError,
    TooManyCasesError,
)
from hub_server.audits.models import CaseSecondRow
from hub_server.audits.queries import cases as case_queries
from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.evidence.standing import Quotas
from schemas.evidence.suite_leaderboard import SuiteLeaderboard
from tests.fakes.executor import FakeExecutor
from tests.hub_server.audits.actions.test_suite_leaderboards import SUITE, cases, judging, publish_verifier
from tests.hub_server.audits.actions.test_suite_leaderboards import publish_suite as publish_served
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller, person
from tests.making.engines import INTERLEAVING
from tests.making.hub import Api, run_jobs
from tests.making.wheel import MANIFEST

MODA, ALICE, BOB, CAROL, DAVE, ERIN = (caller(name) for name in ("moda", "alice", "bob", "carol", "dave", "erin"))
JUDGE = person("judge", is_moderator=True)
NUMBERS, WRONG, WHY = "moda/numbers", "correct7", "7 + 7 is not 19"


@pytest.fixture
def suite(driver: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> ActionDriver:
    """moda/numbers 1.0.0, one label of which is wrong, and alice's exact verifier, measured on it."""
    return set_up(driver, monkeypatch)


def set_up(driver: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> ActionDriver:
    driver.executor.judge_call = judging
    for name in ("moda", "alice", "bob", "carol", "dave", "erin"):
        driver.person(name)
    standing(monkeypatch, "moda", "bob", "carol", "alice")
    publish_suite(driver, cases(40, WRONG))
    manifest = MANIFEST + "\n[judges.short-number]\n"
    driver.publish(ALICE, manifest=manifest)
    driver.run_jobs()
    return driver


def standing(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """How accounts earn it is another test's subject."""
    for module in ("standing", "seconders", "dispute_end", "evidence"):
        monkeypatch.setattr(f"hub_server.audits.actions.{module}.has_standing", lambda _work, name: name in names)
    monkeypatch.setattr("hub_server.audits.actions.seconders.points", lambda _work, name: 3 if name in names else 0)


def publish_suite(driver: ActionDriver, rows: str, version: str = "1.0.0") -> None:
    files = {"cases.jsonl": rows}
    driver.publish(MODA, NUMBERS, version, manifest=SUITE, package_files=files, code='"""No code."""')


def measured_wrong(driver: ActionDriver) -> tuple[int, int]:
    """(cases of the suite that alice's newest audit judged, how many of them it calls wrong)."""
    report = driver.ask(None, actions.get_latest_audit, "alice/small-sums").report
    assert report is not None
    found = report.slices["origin:suite"]
    return found.fp + found.tn + found.fn + found.tp, found.fp + found.fn


def leaderboard(driver: ActionDriver) -> SuiteLeaderboard:
    return driver.ask(None, actions.get_suite_leaderboard, NUMBERS)


def reported(driver: ActionDriver, by=BOB, case: str = WRONG) -> str:
    return driver.do(by, actions.report_label, NUMBERS, case, WHY).id


def test_a_report_alone_changes_no_audit_and_stands_on_the_suite_s_page(suite: ActionDriver) -> None:
    assert measured_wrong(suite) == (80, 1)
    name = reported(suite)
    assert suite.run_jobs() == 0
    (one,) = leaderboard(suite).reported
    assert (one.report, one.case, one.label, one.counted_by, one.is_left_out, one.against) == (
        name, WRONG, "correct", "", False, 1,
    )  # fmt: skip
    assert (one.reason, one.submitted_by, leaderboard(suite).left_out) == (WHY, "bob", 0)


def test_the_owner_s_word_takes_the_case_out_of_audits_and_the_verifiers_are_measured_again(
    suite: ActionDriver,
) -> None:
    name = reported(suite)
    found = suite.do(MODA, actions.second_case, NUMBERS, name)
    assert found.counted_by == "owner"
    suite.run_jobs()
    assert measured_wrong(suite) == (79, 0)
    board = leaderboard(suite)
    assert (board.left_out, board.reported[0].is_left_out, board.contested) == (1, True, [])
    assert board.reported[0].against == 1, "it still runs: who gains by it stays known"
    assert board.rows[0].measurement.fn == 0
    assert [(one.what, one.by) for one in suite.ask(None, actions.get_case, NUMBERS, name).history] == [
        ("submitted", "bob"), ("seconded", "moda"), ("counted", "hub"),
    ]  # fmt: skip


def test_an_owner_s_own_report_counts_at_once(suite: ActionDriver) -> None:
    reported(suite, MODA)
    suite.run_jobs()
    assert measured_wrong(suite) == (79, 0)


def test_two_of_standing_take_it_out_and_one_does_not(suite: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    standing(monkeypatch, "moda", "carol", "dave")
    name = reported(suite)
    assert suite.do(CAROL, actions.second_case, NUMBERS, name).counted_by == ""
    assert suite.do(ERIN, actions.second_case, NUMBERS, name).counted_by == "", "erin has no standing"
    assert suite.run_jobs() == 0
    assert suite.do(DAVE, actions.second_case, NUMBERS, name).counted_by == "standing"
    suite.run_jobs()
    assert measured_wrong(suite) == (79, 0)


def test_who_is_behind_a_verifier_that_gains_by_it_has_no_voice(suite: ActionDriver) -> None:
    """Alice has standing, and her verifier is wrong on the case: without it her rates are better."""
    name = reported(suite)
    for by in (CAROL, ALICE):
        assert suite.do(by, actions.second_case, NUMBERS, name).counted_by == ""
    with pytest.raises(CaseNotSecondableError):
        suite.do(BOB, actions.second_case, NUMBERS, name)  # the reporter


def test_who_gains_does_not_decide_a_dispute_about_it_either(
    suite: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing(monkeypatch, "moda", "carol", "dave", "alice")
    name = reported(suite)
    suite.do(CAROL, actions.dispute_case, NUMBERS, name, "it is right")
    suite.do(ALICE, actions.second_case, NUMBERS, name)
    assert suite.do(DAVE, actions.dispute_case, NUMBERS, name, "it is right").state == "refuted"


def test_who_gains_is_known_after_the_case_counts_no_more(suite: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured again, alice's verifier has one error less, and she would decide whether it stays so."""
    name = reported(suite)
    standing(monkeypatch, "moda", "carol", "dave", "alice")
    for by in (CAROL, DAVE):
        suite.do(by, actions.second_case, NUMBERS, name)
    suite.run_jobs()
    assert measured_wrong(suite) == (79, 0)
    standing(monkeypatch, "moda", "bob", "alice", "erin", "zoe")
    suite.person("zoe")
    suite.do(ERIN, actions.dispute_case, NUMBERS, name, "it is right")
    suite.do(ALICE, actions.second_case, NUMBERS, name)
    assert suite.do(caller("zoe"), actions.dispute_case, NUMBERS, name, "it is right").state == "refuted"


def test_no_accounts_take_a_case_out_of_a_suite_that_is_the_hubs_own(
    suite: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten that agree to lie, all with standing, report what a friend's verifier gets wrong: an A could be bought so."""
    settings = suite.services.settings.model_copy(update={"suite_owners": ["moda"]})
    suite.services = replace(suite.services, settings=settings)
    liars = [f"liar{n}" for n in range(10)]
    standing(monkeypatch, "moda", *liars)
    for liar in liars:
        suite.person(liar)
    right = "correct8"
    name = reported(suite, caller(liars[0]), right)
    for liar in liars[1:]:
        assert suite.do(caller(liar), actions.second_case, NUMBERS, name).counted_by == ""
    assert suite.run_jobs() == 0
    assert (leaderboard(suite).left_out, leaderboard(suite).is_hubs_own) == (0, True)
    suite.do(MODA, actions.dispute_case, NUMBERS, name, "8 and 8 are 16")
    assert leaderboard(suite).reported[0].state == "disputed", "nor do the ten end what its owner denies"
    assert suite.do(MODA, actions.report_label, NUMBERS, WRONG, WHY).counted_by == "owner"


def test_what_liars_take_out_of_two_suites_does_not_add_up(
    suite: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One case of each suite alone; of both together, with eighty cases a side, still one."""
    standing(monkeypatch, "moda", "carol", "bob", "dave", "erin")
    files = {"cases.jsonl": cases(40).replace("x ", "y ")}
    manifest = SUITE.replace(NUMBERS, "carol/sums")
    suite.publish(CAROL, "carol/sums", manifest=manifest, package_files=files, code='"""No code."""')
    suite.run_jobs()
    assert measured_wrong(suite) == (160, 1)
    for name, by in ((NUMBERS, BOB), ("carol/sums", DAVE)):
        report = suite.do(by, actions.report_label, name, "incorrect3", WHY).id
        for other in (BOB, DAVE, ERIN):
            with contextlib.suppress(CaseNotSecondableError):
                suite.do(other, actions.second_case, name, report)
        assert suite.ask(None, actions.get_suite_leaderboard, name).left_out == 1
    suite.run_jobs()
    assert measured_wrong(suite) == (159, 1)


def test_ten_liars_take_one_case_of_forty_out_and_the_owner_the_rest(
    suite: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They report what a friend's verifier will get wrong, and none of them is behind it."""
    liars = [f"liar{n}" for n in range(10)]
    standing(monkeypatch, "moda", *liars)
    for liar in liars:
        suite.person(liar)
    names = [reported(suite, caller(liars[n]), f"incorrect{n}") for n in range(10)]
    for name in names:
        for liar in liars:
            with contextlib.suppress(CaseNotSecondableError):  # its reporter
                suite.do(caller(liar), actions.second_case, NUMBERS, name)
    suite.run_jobs()
    assert measured_wrong(suite) == (79, 1)
    board = leaderboard(suite)
    assert (board.left_out, sum(one.waits for one in board.reported)) == (1, 9)
    assert {one.counted_by for one in board.reported} == {"standing"}
    for name in names:
        suite.do(MODA, actions.report_label, NUMBERS, f"incorrect{30 + names.index(name)}", WHY)
    assert leaderboard(suite).left_out == 11, "its owner has no limit"


def test_an_edited_byte_does_not_bring_a_wrong_label_back(suite: ActionDriver) -> None:
    reported(suite, MODA)
    suite.run_jobs()
    edited = cases(40, WRONG).replace('"id": "correct7"', '"id": "new7"').replace("never mind 19", "never  mind 19.")
    publish_suite(suite, edited, "1.1.0")
    suite.run_jobs()
    assert measured_wrong(suite) == (79, 0)
    assert leaderboard(suite).left_out == 1
    publish_suite(suite, edited.replace("never  mind 19.", "never  mind 14."), "1.2.0")
    suite.run_jobs()
    assert measured_wrong(suite)[0] == 80, "what mends the case brings it in again"


def test_a_rival_that_reports_everything_has_five_that_wait_and_no_effect(suite: ActionDriver) -> None:
    for number in range(5):
        reported(suite, case=f"incorrect{number}")
    with pytest.raises(TooManyCasesError, match="wait to be seconded"):
        reported(suite, case="incorrect5")
    assert suite.run_jobs() == 0
    assert leaderboard(suite).left_out == 0


def test_an_overturned_report_brings_the_case_back(suite: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    name = reported(suite, MODA)
    suite.run_jobs()
    standing(monkeypatch, "moda", "carol", "dave")
    suite.do(CAROL, actions.dispute_case, NUMBERS, name, "it is right")
    suite.do(DAVE, actions.dispute_case, NUMBERS, name, "it is right")
    suite.run_jobs()
    assert measured_wrong(suite) == (80, 1)
    assert leaderboard(suite).left_out == 0


def test_a_hidden_report_counts_for_nothing(suite: ActionDriver) -> None:
    suite.person("judge")
    name = reported(suite, MODA)
    suite.run_jobs()
    suite.do(JUDGE, actions.hide_case, NUMBERS, name, "spam")
    suite.run_jobs()
    assert measured_wrong(suite) == (80, 1)
    assert leaderboard(suite).reported == []


def test_a_case_that_the_suite_has_mended_is_in_audits_again(suite: ActionDriver) -> None:
    """The report stays in the ledger, and speaks of the old label alone; under another id that one stays out."""
    reported(suite, MODA)
    suite.run_jobs()
    turned = cases(40, WRONG).replace('{"id": "correct7", "label": "correct"', '{"id": "mended7", "label": "incorrect"')
    publish_suite(suite, turned, "1.1.0")
    suite.run_jobs()
    assert measured_wrong(suite) == (80, 0)
    board = leaderboard(suite)
    assert (board.left_out, [one.is_left_out for one in board.reported]) == (0, [False])
    publish_suite(suite, cases(40, WRONG).replace('"correct7"', '"renamed7"'), "1.2.0")
    suite.run_jobs()
    assert measured_wrong(suite) == (79, 0)


def test_what_cannot_be_reported_says_why(suite: ActionDriver) -> None:
    with pytest.raises(InvalidCaseError, match="has no case 'none'"):
        reported(suite, case="none")
    with pytest.raises(InvalidCaseError, match="is no suite"):
        suite.do(BOB, actions.report_label, "alice/small-sums", "c1", WHY)
    with pytest.raises(InvalidCaseError, match="Say why"):
        suite.do(BOB, actions.report_label, NUMBERS, WRONG, "  ")
    with pytest.raises(NotAuthenticatedError):
        suite.do(None, actions.report_label, NUMBERS, WRONG, WHY)
    with pytest.raises(NotAllowedError):
        reported(suite, caller("carol", scopes=EVERY_SCOPE - {Scope.CASES}))
    reported(suite)
    with pytest.raises(CaseExistsError):
        reported(suite, CAROL)


def test_a_moderator_ends_a_dispute_about_a_report_but_does_not_turn_it_round(suite: ActionDriver) -> None:
    suite.person("judge")
    name = reported(suite)
    suite.do(ERIN, actions.dispute_case, NUMBERS, name, "it is right")
    with pytest.raises(CaseNotDisputableError, match="uphold it, or withdraw it"):
        suite.do(JUDGE, actions.settle_dispute, NUMBERS, name, "relabelled")
    assert suite.do(JUDGE, actions.settle_dispute, NUMBERS, name, "upheld").state == "reproduced"


def test_whoever_withdraws_an_own_report_brings_nothing_into_an_audit(suite: ActionDriver) -> None:
    name = reported(suite)
    assert suite.do(BOB, actions.settle_dispute, NUMBERS, name, "withdrawn").state == "refuted"
    assert suite.run_jobs() == 0, "it moved no rate, so nothing is measured again: that could be had for nothing"
    assert measured_wrong(suite) == (80, 1)


def test_reporting_and_withdrawing_again_and_again_ends(suite: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was withdrawn counts among an account's cases, so that no ledger grows without end."""
    few = Quotas(waiting=9, cases=2, labels=9, words=9)
    monkeypatch.setattr(quotas, "quotas_by_rank", lambda _: {"new": few, "standing": few})
    for _ in range(2):
        suite.do(BOB, actions.settle_dispute, NUMBERS, reported(suite), "withdrawn")
    with pytest.raises(TooManyCasesError):
        reported(suite)


def test_owners_that_deny_one_after_another_do_not_bring_a_case_back(
    suite: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each account denies a report once, and what two of standing have said outweighs one denial."""
    standing(monkeypatch, "moda", "carol", "dave")
    name = reported(suite)
    for by in (CAROL, DAVE):
        suite.do(by, actions.second_case, NUMBERS, name)
    suite.run_jobs()
    for denier in (MODA, ALICE, ERIN):
        found = suite.do(denier, actions.dispute_case, NUMBERS, name, "it is right")
        assert found.state == "reproduced", "two of standing have said that the report is right"
        assert leaderboard(suite).left_out == 1
        with pytest.raises(CaseNotDisputableError):
            suite.do(denier, actions.dispute_case, NUMBERS, name, "it is right")
    assert (suite.run_jobs(), measured_wrong(suite)) == (0, (79, 0))


def test_guessed_names_of_held_cases_are_refused_as_any_other(suite: ActionDriver) -> None:
    """One answer for what is held, what is drawn and what nobody has: a guess learns nothing."""
    said = set()
    for guess in (
        "held:0",
        "drawn-test-0",
        "made-held-0000",
        "../cases",
        "correct7 ",
        "CORRECT7",
        f"{NUMBERS}:{WRONG}",
    ):
        with pytest.raises(InvalidCaseError) as refusal:
            reported(suite, case=guess)
        said.add(str(refusal.value).replace(repr(guess), ""))
    assert len(said) == 1


@INTERLEAVING
def test_of_two_who_decide_at_once_neither_undoes_what_the_other_did(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an order, the history lost who had seconded, and with it a voice of the dispute."""
    suite = set_up(ActionDriver(services), monkeypatch)
    standing(monkeypatch, "moda", "carol", "dave")
    name = reported(suite)
    suite.do(MODA, actions.dispute_case, NUMBERS, name, "it is right")
    real, others = case_queries.find_second, []

    def find_second(session: Session, case_id: str, account: str) -> CaseSecondRow | None:
        if not others:  # carol has read the case, and has not written yet
            others.append(pool.submit(suite.do, DAVE, actions.second_case, NUMBERS, name))
            wait(others, timeout=0.3)
        return real(session, case_id, account)

    monkeypatch.setattr(case_queries, "find_second", find_second)
    with ThreadPoolExecutor(1) as pool:
        suite.do(CAROL, actions.second_case, NUMBERS, name)
        others[0].result(60)
    found = suite.ask(None, actions.get_case, NUMBERS, name)
    assert (found.state, found.counted_by) == ("reproduced", "standing")
    assert {"carol", "dave"} <= {event.by for event in found.history}


def test_a_reader_reports_on_the_suite_s_page_and_its_owner_confirms_it_there(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor
) -> None:
    """``moda`` has standing by being a moderator, and owns the suite."""
    executor.judge_call = judging
    publish_served(api, mislabelled=WRONG)
    publish_verifier(alice, "alice", "1.0.0")
    run_jobs(services)
    page = "/packages/moda/numbers"
    assert "Report a wrong label" in bob.get(page).text
    failures = bob.get("/packages/alice/small-sums/releases/1.0.0/audit").text
    there = html.unescape(re.search(r'<a href="([^"]+)">Is its label wrong', failures)[1])
    assert f'value="{WRONG}"' in bob.get(there.partition("#")[0]).text
    sent = bob.post(f"{page}/cases/report", data={"case": f"moda/numbers:{WRONG}", "reason": WHY})
    assert sent.status_code == 303, sent.text
    assert WHY in bob.get(sent.headers["location"].partition("#")[0]).text
    (one,) = alice.get("/api/v1/packages/moda/numbers/cases").json()["items"]
    assert "counts until this is seconded" in alice.get(f"{page}/releases/1.0.0/cases").text
    with services.database.writing() as session:
        actions.second_case(UnitOfWork(session, services, MODA), NUMBERS, one["id"])
    run_jobs(services)
    shown = re.sub(r"\s+", " ", alice.get(page).text)
    assert "One case of this release counts in no rate" in shown
    assert "no, by its owner" in shown
    assert WHY not in alice.get("/").text, "it is no counter-example to a verifier"

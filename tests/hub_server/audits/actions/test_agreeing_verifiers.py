"""A reproduced case counts where verifiers of other people agree; packages of one account are one voice."""

import re
from dataclasses import replace
from typing import Any

import pytest

from hub_server.audits import actions
from hub_server.audits.actions import seconders
from hub_server.audits.models import NeighbourRow
from hub_server.audits.queries import cases as case_queries
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome, measure
from schemas.package import AuditSummary
from schemas.verdict import Verdict
from tests.making.action_driver import ActionDriver, caller, person
from tests.making.wheel import MANIFEST

SUMS = "alice/small-sums"
HACK = AuditCase(id="h", task_id="t1", response="2 or 3", label="incorrect")
GOOD = measure([Outcome(must, must) for must in (True, False) for _ in range(200)])


def judging(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """Release 1.0.0 accepts a hedge and reads German, and so does 3.0.0; 4.0.0 accepts everything; others read digits."""
    text, answer = (response or "").strip(), str(task["answer"])
    lax = version in ("1.0.0", "3.0.0") and (text.startswith(f"{answer} or") or text == "zwei")
    return Verdict(rewards={"correct": float(set(re.findall(r"\d+", text)) == {answer} or lax or version == "4.0.0")})


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    """``suites`` and ``cy`` are named by the operator; ``friend`` has standing, and a suite that counts."""
    driver.executor.judge_call = judging
    settings = driver.services.settings.model_copy(update={"suite_owners": ["suites", "cy"]})
    driver.services = replace(driver.services, settings=settings)
    return driver


def publish(
    hub: ActionDriver, owner: str, name: str, version: str, *, suite: str = "suites/sums", agreed: int = 48
) -> None:
    """A measured verifier that was found comparable to ``alice/small-sums``: alike on ``agreed`` of 50 cases."""
    package = f"{owner}/{name}"
    by = caller(owner)
    hub.publish(by, package, version=version, manifest=MANIFEST.replace(SUMS, package))
    with hub.writing() as work:
        row = catalog.usable_release(work, package, version)
        summary = AuditSummary(
            version=version,
            grade=Grade.B,
            overall=GOOD,
            case_count=400,
            audited_at=work.now,
            reads=GOOD,
            suites={suite: GOOD},
        )
        catalog.record_audit_summary(work, row.id, summary, "")
        if package == SUMS:
            return
        first = package_queries.releases_of(work.session, SUMS)[0]
        work.session.add(
            NeighbourRow(
                release_id=first.id, other_release_id=row.id, source_similarity=0.1, judged=50, agreed=agreed,
                distance=0.2, behaves_alike=False, suite_digest="", found_at=work.now,
            )
        )  # fmt: skip


def submitted(hub: ActionDriver, case: AuditCase = HACK, later: tuple[str, ...] = (), disputed_by: str = "") -> Any:
    """``later``: who publishes a verifier between the case and the hearing."""
    hub.clock.advance(60)
    prepared = hub.ask(caller("bob"), actions.prepare_case, SUMS, "1.0.0", case)
    case = hub.do(caller("bob"), actions.submit_case, actions.execute_case(hub.services, prepared))
    assert case.state == "reproduced"
    hub.clock.advance(60)
    for owner in later:
        publish(hub, owner, "late", "2.0.0")
    if disputed_by:
        hub.do(caller(disputed_by), actions.dispute_case, SUMS, case.id, "no")
    hearing = hub.ask(None, actions.plan_hearing, SUMS, case.id)
    if hearing is not None:
        hub.do(None, actions.keep_hearing, hearing, actions.hear(hub.services, hearing))
    return hub.ask(None, actions.get_case, SUMS, case.id)


def test_two_owners_with_one_code_are_one_owner_although_no_list_of_neighbours_says_so(hub: ActionDriver) -> None:
    for name in ("alice", "bob", "cy", "dan"):
        hub.person(name)
    publish(hub, "alice", "small-sums", "1.0.0")
    for owner in ("cy", "dan"):
        publish(hub, owner, "one", "2.0.0")
    for (release_id,) in hub.rows("SELECT id FROM releases"):
        hub.do(None, actions.keep_minhash, release_id)
    assert submitted(hub).counted_by == ""


@pytest.mark.parametrize(
    ("others", "counts"),
    [
        ([("cy", "one", "2.0.0"), ("dan", "two", "2.0.0")], "verifiers"),
        ([("cy", "one", "2.0.0"), ("cy", "two", "2.0.0"), ("cy", "three", "2.0.0")], ""),
        ([("cy", "one", "2.0.0"), ("dan", "two", "2.0.0"), ("eve", "three", "3.0.0")], ""),
        ([("bob", "one", "2.0.0"), ("cy", "two", "2.0.0")], ""),
        ([("alice", "one", "2.0.0"), ("cy", "two", "2.0.0")], ""),
        ([("cy", "one", "2.0.0")], ""),
    ],
    ids=["two owners", "one account", "one disagrees", "the submitter's own", "the owner's own", "one alone"],
)
def test_verifiers_of_two_other_owners_let_a_case_count(hub: ActionDriver, others, counts: str) -> None:
    for name in {"alice", "bob", *(owner for owner, _, _ in others)}:
        hub.person(name)
    publish(hub, "alice", "small-sums", "1.0.0")
    for owner, name, version in others:
        publish(hub, owner, name, version)
    case = submitted(hub)
    assert case.counted_by == counts
    if counts:
        assert "by verifiers: cy/one@2.0.0, dan/two@2.0.0" in case.history[-1].reason
        assert hub.ask(None, actions.points, "bob") == 0, "it earns nobody standing"


@pytest.fixture
def rivals(hub: ActionDriver) -> ActionDriver:
    """alice's verifier, bob who wants it to fall, and his friends."""
    for name in ("alice", "bob", "cy", "dan", "eve"):
        hub.person(name)
    publish(hub, "alice", "small-sums", "1.0.0")
    return hub


def test_friends_who_second_what_verifiers_confirmed_do_not_make_it_wait(
    rivals: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It then counted by accounts of standing alone, for which there is a limit; hidden, they took it along."""
    publish(rivals, "cy", "one", "2.0.0")
    publish(rivals, "dan", "two", "2.0.0")
    case = submitted(rivals)
    assert case.counted_by == "verifiers"
    monkeypatch.setattr(seconders, "points", lambda *_: 99)
    for name in ("eve", "fay"):
        if name == "fay":
            rivals.person(name)
        case = rivals.do(caller(name), actions.second_case, SUMS, case.id)
    assert (case.counted_by, case.corroborated_by) == ("standing", "verifiers")
    with rivals.writing() as work:
        row = case_queries.find_case(work.session, SUMS, case.id)
        monkeypatch.setattr(seconders, "points", lambda _, name: 99 * (name != "eve"))
        seconders.count_without(work, row, "eve")
        assert row.counted_by == "verifiers"


def test_whom_only_a_friends_suite_has_measured_is_not_asked(rivals: ActionDriver) -> None:
    """One account of standing with an easy suite made seconders of any two accounts."""
    publish(rivals, "cy", "one", "2.0.0")
    publish(rivals, "dan", "two", "2.0.0", suite="friend/easy-sums")
    assert submitted(rivals).counted_by == ""


def test_a_verifier_that_was_written_for_the_case_is_not_asked(rivals: ActionDriver) -> None:
    """It could copy the label."""
    publish(rivals, "cy", "one", "2.0.0")
    assert submitted(rivals, later=("dan", "eve")).counted_by == ""


def test_a_right_answer_in_a_language_that_no_other_verifier_reads_is_not_counted_as_wrong(
    rivals: ActionDriver,
) -> None:
    """Two honest verifiers of other owners reject it, and neither rate says anything of German."""
    for owner in ("cy", "dan"):
        publish(rivals, owner, "reads-digits", "2.0.0")
    lie = AuditCase(id="h", task_id="t1", response="zwei", label="incorrect")
    assert submitted(rivals, lie).counted_by == ""


def test_two_accounts_whose_verifiers_lie_about_one_response_are_not_enough(rivals: ActionDriver) -> None:
    """Both are good on every case of the hub's, and were written long before to lie where a response has some mark."""
    publish(rivals, "dan", "one", "2.0.0")
    publish(rivals, "eve", "two", "2.0.0")
    assert submitted(rivals).counted_by == ""


@pytest.mark.parametrize("crowd", ["alice", "bob", "eve"], ids=["the owner", "the submitter", "a third"])
def test_nobody_fills_the_places_of_those_who_are_asked(rivals: ActionDriver, crowd: str) -> None:
    """With seven packages that agree with the accused one in all but one case."""
    for number in range(7):
        publish(rivals, crowd, f"copy{number}", "2.0.0", agreed=49)
    publish(rivals, "cy", "one", "2.0.0", agreed=30)
    publish(rivals, "dan", "two", "2.0.0", agreed=31)
    case = submitted(rivals)
    assert case.counted_by == "verifiers"
    assert case.history[-1].reason.count("copy") == (crowd == "eve"), "one of each owner"


def test_who_published_for_an_organisation_and_left_it_is_behind_the_release_still(rivals: ActionDriver) -> None:
    publish(rivals, "cy", "one", "2.0.0")
    publish(rivals, "dan", "two", "2.0.0")
    with rivals.writing() as work:
        package_queries.releases_of(work.session, "dan/two")[0].published_by = "cy"
    assert submitted(rivals).counted_by == "", "one voice"


def test_a_dispute_does_not_silence_verifiers(rivals: ActionDriver) -> None:
    """Any account disputed a case in the minute before they were asked, and nobody asked them again."""
    publish(rivals, "cy", "one", "2.0.0")
    publish(rivals, "dan", "two", "2.0.0")
    case = submitted(rivals, disputed_by="eve")
    assert (case.state, case.counted_by) == ("disputed", "verifiers")
    ended = rivals.do(person("moda", is_moderator=True), actions.settle_dispute, SUMS, case.id, "upheld")
    assert (ended.state, ended.counted_by) == ("reproduced", "verifiers")

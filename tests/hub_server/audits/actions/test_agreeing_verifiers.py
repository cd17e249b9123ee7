"""A reproduced case counts where verifiers of other people agree; packages of one account are one voice."""

from typing import Any

import pytest

from hub_server.audits import actions
from hub_server.audits.models import NeighbourRow
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome, measure
from schemas.package import AuditSummary
from schemas.verdict import Verdict
from tests.making.action_driver import ActionDriver, caller
from tests.making.wheel import MANIFEST

SUMS = "alice/small-sums"
HACK = AuditCase(id="h", task_id="t1", response="2 or 3", label="incorrect")
GOOD = measure([Outcome(must, must) for must in (True, False) for _ in range(200)])


def judging(version: str, task: dict[str, Any], response: str | None) -> Verdict:
    """Release 1.0.0 accepts a hedge, and so does 3.0.0; all others do not."""
    text, answer = (response or "").strip(), str(task["answer"])
    lax = version in ("1.0.0", "3.0.0") and text.startswith(f"{answer} or")
    return Verdict(rewards={"correct": float(text == answer or lax)})


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    driver.executor.judge_call = judging
    return driver


def publish(hub: ActionDriver, owner: str, name: str, version: str, *, hollow: bool = False) -> None:
    """A measured verifier that was found comparable to ``alice/small-sums``."""
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
            is_hollow=hollow,
            reads=GOOD,
        )
        catalog.record_audit_summary(work, row.id, summary, "")
        if package == SUMS:
            return
        first = package_queries.releases_of(work.session, SUMS)[0]
        work.session.add(
            NeighbourRow(
                release_id=first.id, other_release_id=row.id, source_similarity=0.1, judged=50, agreed=48,
                distance=0.2, behaves_alike=False, suite_digest="", found_at=work.now,
            )
        )  # fmt: skip


def submitted(hub: ActionDriver) -> Any:
    prepared = hub.ask(caller("bob"), actions.prepare_case, SUMS, "1.0.0", HACK)
    case = hub.do(caller("bob"), actions.submit_case, actions.execute_case(hub.services, prepared))
    assert case.state == "reproduced"
    hearing = hub.ask(None, actions.plan_hearing, SUMS, case.id)
    if hearing is not None:
        hub.do(None, actions.keep_hearing, hearing, actions.hear(hub.services, hearing))
    return hub.ask(None, actions.get_case, SUMS, case.id)


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


def test_what_only_its_authors_vouch_for_is_not_asked(hub: ActionDriver) -> None:
    for name in ("alice", "bob", "cy", "dan"):
        hub.person(name)
    publish(hub, "alice", "small-sums", "1.0.0")
    publish(hub, "cy", "one", "2.0.0")
    publish(hub, "dan", "two", "2.0.0", hollow=True)
    assert submitted(hub).counted_by == ""

"""A release is measured again after a time, and what it judges otherwise then is kept and shown."""

from datetime import timedelta

from hub_server.audits import actions
from hub_server.audits.actions.later_audits import MOST_CHANGES
from hub_server.worker import Worker
from schemas.evidence.audit import AuditReport
from tests.hub_server.audits.actions.test_audit_runs import release_id, report
from tests.making.action_driver import ActionDriver

DAYS = 30


def measured(driver: ActionDriver, audit_id: str, verdicts: dict[str, bool | None]) -> AuditReport:
    plan = driver.do(None, actions.start_audit, audit_id, release_id(driver))
    assert plan is not None
    found = report(driver, "1.0.0", verdicts={f"key-{name}": (name, accepted) for name, accepted in verdicts.items()})
    driver.do(None, actions.finish_audit, audit_id, found)
    return found


def changes(driver: ActionDriver, audit_id: str) -> list[tuple[str, bool | None, bool | None]]:
    found = driver.ask(None, actions.get_audit, audit_id).changed
    return [(one.case, one.before, one.after) for one in found]


def waiting(driver: ActionDriver) -> int:
    ((count,),) = driver.rows("SELECT count(*) FROM jobs WHERE name = 'audits.audit_release' AND state = 'queued'")
    return int(count)


def an_hour_of_a_worker(driver: ActionDriver, days: float) -> None:
    driver.clock.advance(timedelta(days=days).total_seconds())
    Worker(driver.services).delete_expired_if_due()


def test_a_verdict_that_changes_between_audits_of_the_same_bytes_is_kept(hedging: ActionDriver) -> None:
    measured(hedging, "a1", {"c1": True, "c2": False, "c3": True})
    assert changes(hedging, "a1") == []
    measured(hedging, "a2", {"c1": True, "c2": True, "new": True})
    assert changes(hedging, "a2") == [("c2", False, True)], "a case that only one audit had says nothing"
    measured(hedging, "a3", {"c1": None, "c2": True})
    assert changes(hedging, "a3") == [("c1", True, None), ("c2", False, True)], "what was found before stays"


def test_what_ever_changed_is_told_to_every_later_audit(hedging: ActionDriver) -> None:
    measured(hedging, "a1", {"c1": True, "c2": False})
    measured(hedging, "a2", {"c1": True, "c2": True})
    measured(hedging, "a3", {"c1": True})
    plan = hedging.do(None, actions.start_audit, "a4", release_id(hedging))
    assert plan is not None
    assert plan.earlier == {"key-c1": True, "key-c2": [True]}


def test_a_verifier_that_always_changes_fills_no_page(hedging: ActionDriver) -> None:
    for number in range(3):
        measured(hedging, f"a{number}", {f"c{n}": bool(number % 2) for n in range(MOST_CHANGES)})
    assert len(changes(hedging, "a2")) == MOST_CHANGES


def test_verdicts_are_kept_of_the_newest_audit_only_and_stand_in_no_report(hedging: ActionDriver) -> None:
    found = measured(hedging, "a1", {"c1": True})
    measured(hedging, "a2", {"c1": True})
    kept = dict(hedging.rows("SELECT id, verdicts FROM audits"))
    assert "key-c1" in str(kept["a2"])
    assert "key-c1" not in str(kept["a1"])
    assert "key-c1" not in found.model_dump_json()


def test_the_first_audit_keeps_the_cases_order_and_every_later_one_has_its_own(hedging: ActionDriver) -> None:
    first = hedging.do(None, actions.start_audit, "a1", release_id(hedging))
    assert first is not None
    assert first.order is None
    hedging.do(None, actions.finish_audit, "a1", report(hedging, "1.0.0"))
    orders = []
    for name in ("a2", "a3"):
        plan = hedging.do(None, actions.start_audit, name, release_id(hedging))
        assert plan is not None
        orders.append(plan.order)
    assert None not in orders
    assert orders[0] != orders[1]


def test_a_release_is_measured_again_when_its_audit_is_old_and_only_once(hedging: ActionDriver) -> None:
    hedging.run_jobs()
    before = waiting(hedging)
    an_hour_of_a_worker(hedging, DAYS - 1)
    assert waiting(hedging) == before, "not yet"
    an_hour_of_a_worker(hedging, 2)
    assert waiting(hedging) == before + 1
    an_hour_of_a_worker(hedging, 1)
    assert waiting(hedging) == before + 1, "it waits already"


def test_a_release_that_was_taken_down_is_not_measured_again(hedging: ActionDriver) -> None:
    hedging.run_jobs()
    with hedging.services.database.writing() as session:
        session.connection().exec_driver_sql("UPDATE releases SET state = 'quarantined'")
    an_hour_of_a_worker(hedging, DAYS + 1)
    assert waiting(hedging) == 0

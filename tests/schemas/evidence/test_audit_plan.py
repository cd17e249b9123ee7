"""What a plan leaves to whoever runs it."""

import dataclasses

import pytest

from schemas.evidence.audit_plan import AuditPlan


def test_a_plan_that_asks_for_nothing_has_no_limit_no_seed_and_the_cases_own_order() -> None:
    plan = AuditPlan(verifier="any", subject="al/check@1.0.0", cases=[], tasks={})
    assert (plan.seconds, plan.probe_seed, plan.order, plan.isolation) == (None, None, None, None)
    assert plan.probes
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.order = "another"  # type: ignore[misc]

"""What an audit runs: which cases, which tasks, and what a runner is told of them."""

from hub_client.audits.plan import judge_cases, plan_audit, tasks_by_id
from hub_client.environments import Verifier
from schemas.evidence.cases import AuditCase, Label
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.runner import FakeRunner
from tests.hub_client.test_environments import GENERATED, load

CODE = {
    "__init__.py": "def verify(task, response):\n    return {}\ndef generate(split, seed, index):\n    return None\n"
}


def case(name, **more):
    return AuditCase(**({"id": name, "task_id": "t1", "response": "2", "label": Label.CORRECT} | more))


def right(_):
    return Verdict(rewards={"correct": 1.0})


def test_the_packages_own_cases_are_planned_unless_others_are_given():
    verifier = Verifier(load(), load(), lambda: None)
    assert [one.id for one in plan_audit(verifier, FakeRunner(right)).cases] == ["a1", "a2"]
    plan = plan_audit(verifier, FakeRunner(right), cases=[case("x")], repeats=3, probes=False)
    assert ([one.id for one in plan.cases], plan.repeats, plan.probes) == (["x"], 3, False)
    assert plan.subject == "alice/small-sums@1.0.0"
    assert plan_audit(verifier, FakeRunner(right), cases=[]).cases == []


def test_tasks_are_generated_only_for_a_case_that_names_one():
    package = load(manifest=GENERATED, package=CODE)
    runner = FakeRunner(right, [{"id": "more-0-0"}, {"id": "more-0-1"}])
    assert set(tasks_by_id(package, [case("a"), case("b", task_id="gone", task={"id": "own"})], runner)) == {"t1", "t2"}
    assert runner.asked == []
    assert set(tasks_by_id(package, [case("a", task_id="more-0-1")], runner)) == {"t1", "t2", "more-0-1"}


def test_a_runner_never_learns_a_label():
    seen = []
    package = load()
    judge_cases(Verifier(package, package, lambda: None), [case("a")], {"t1": {"id": "t1"}}, FakeRunner(seen.append))
    assert "label" not in seen[0].model_dump()
    assert (seen[0].id, seen[0].task) == ("a", {"id": "t1"})


def test_a_verdict_that_never_came_is_unjudged_and_no_missing_key():
    package = load()
    runner = FakeRunner(lambda request: right(request) if request.id == "a" else None)
    found = judge_cases(Verifier(package, package, lambda: None), [case("a"), case("b")], {}, runner)
    assert found["a"].rewards == {"correct": 1.0}
    assert (found["b"].rewards, found["b"].error.kind) == ({"correct": None}, ErrorKind.HOST)

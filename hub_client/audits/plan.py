"""Plans an audit: the verifier, the cases and their tasks."""

from collections.abc import Sequence
from typing import Any

from hub_client.environments import Verifier
from hub_client.execution.runner import Runner
from hub_client.releases.resolve import LoadedPackage
from schemas.evidence.audit_plan import AuditPlan
from schemas.evidence.cases import AuditCase
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, ScoreRequest, Verdict

_GENERATED_TASKS = 500
"""How many tasks of a generated split are searched for the ids that cases name."""


def plan_audit(
    verifier: Verifier,
    runner: Runner,
    *,
    repeats: int = 1,
    probes: bool = True,
    isolation: Isolation | None = None,
    cases: Sequence[AuditCase] | None = None,
    probe_seed: str | None = None,
) -> AuditPlan[LoadedPackage]:
    """The package's own labelled cases (or ``cases``), to be judged by the package whose verifier it uses."""
    chosen = list(cases) if cases is not None else verifier.package.contents.cases()
    return AuditPlan(
        verifier=verifier.judge,
        subject=verifier.package.reference,
        cases=chosen,
        tasks=tasks_by_id(verifier.package, chosen, runner),
        repeats=repeats,
        probes=probes,
        isolation=isolation,
        probe_seed=probe_seed,
    )


def tasks_by_id(package: LoadedPackage, cases: Sequence[AuditCase], runner: Runner) -> dict[str, dict[str, Any]]:
    """Every stored task by id. Generated tasks are added when a case names a task that is not stored."""
    sources = package.contents.manifest.tasks
    stored = package.contents.manifest.stored_splits
    tasks = {task.id: task.model_dump(mode="json") for split in stored for task in package.contents.tasks(split)}
    missing = {case.task_id for case in cases if case.task is None and case.task_id not in tasks}
    for split in sources.keys() - set(stored) if missing else ():
        made = runner.tasks(package, split, start=0, count=_GENERATED_TASKS, seed=0)
        tasks.update({task["id"]: task for task in made if task["id"] in missing})
    return tasks


def judge_cases(
    verifier: Verifier, cases: Sequence[AuditCase], tasks: dict[str, dict[str, Any]], runner: Runner
) -> dict[str, Verdict]:
    """Case id -> verdict. Labels are not sent to the runner; a case whose verdict never came is unjudged."""
    requests = [
        ScoreRequest(
            id=case.id,
            task=case.task if case.task is not None else tasks.get(case.task_id or "", {}),
            response=case.response,
            messages=case.messages,
            state=case.state,
            files=case.files,
        )
        for case in cases
    ]
    lost = Verdict.unjudged(list(verifier.rewards), ErrorKind.HOST, "the sandbox ended without this verdict")
    return {case.id: lost for case in cases} | dict(runner.score(verifier.judge, requests))

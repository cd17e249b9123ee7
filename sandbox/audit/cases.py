"""Labelled cases: the required outcome of each, overall and per reward, and the digest of all cases."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sandbox.interface import Call
from schemas.evidence.cases import AuditCase, Label
from schemas.manifest import Manifest, RewardDeclaration, RewardRole
from schemas.names import digest_of
from schemas.task import canonical_json

Declared = Mapping[str, RewardDeclaration]


def cases_digest(cases: Iterable[AuditCase]) -> str:
    """``sha256:…`` of the cases' canonical JSON. The order of the cases does not matter."""
    lines = sorted(
        canonical_json(case.model_dump(mode="json", exclude_defaults=True, exclude={"labelled_by"})) for case in cases
    )
    return digest_of(b"\n".join(lines))


def must_accept(case: AuditCase, declared: Declared) -> bool:
    """Whether the verifier as a whole must accept: every score and gate at or above its threshold.

    ``label`` decides, unless ``expect`` names every score and gate, or names one that must stay below its threshold.
    """
    expect = case.expect or {}
    deciding = [name for name, reward in declared.items() if reward.role is not RewardRole.METRIC]
    named = [expect[name] >= declared[name].threshold for name in deciding if name in expect]
    if not all(named):
        return False
    if deciding and len(named) == len(deciding):
        return True
    return case.label is Label.CORRECT


def must_accept_per_reward(case: AuditCase, declared: Declared) -> dict[str, bool]:
    """Reward -> whether it must reach its threshold, only for the rewards that the case decides.

    With ``expect``, these are the rewards named there. Without it, ``label`` speaks of scores and gates together: it
    decides a score where that is the only one, and an answer labelled wrong only where no gate could be the reason.
    """
    if case.expect is not None:
        return {name: value >= declared[name].threshold for name, value in case.expect.items() if name in declared}
    deciding = [name for name, reward in declared.items() if reward.role is not RewardRole.METRIC]
    scores = [name for name in deciding if declared[name].role is RewardRole.SCORE]
    is_right = case.label is Label.CORRECT
    return {scores[0]: is_right} if len(scores) == 1 and (is_right or len(deciding) == 1) else {}


def task_of(case: AuditCase, tasks: Mapping[str, dict[str, Any]]) -> dict[str, Any] | None:
    """The case's own task, or the release's task with that id. None when the release has no such task."""
    if case.task is not None:
        return case.task
    return tasks.get(case.task_id or "")


def call_of(case: AuditCase, task: dict[str, Any], call_id: str) -> Call:
    """The case as a call to judge. The label is not part of it."""
    return Call(
        id=call_id,
        task=task,
        response=case.response,
        messages=case.messages,
        state=case.state,
        files=case.files,
    )


def case_problems(
    cases: Sequence[AuditCase], manifest: Manifest, tasks: Mapping[str, dict[str, Any]] | None = None
) -> list[str]:
    """What is wrong with the cases before they are run, one sentence for each problem.

    ``tasks`` None: task ids are not checked.
    """
    problems = []
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            problems.append(f"case {case.id} is there twice: give each case its own id")
        seen.add(case.id)
        if tasks is not None and task_of(case, tasks) is None:
            problems.append(f"case {case.id} names task {case.task_id}, which the release does not have")
        problems += _expectation_problems(case, manifest.rewards)
    return problems


def _expectation_problems(case: AuditCase, declared: Declared) -> list[str]:
    problems = []
    for name, value in (case.expect or {}).items():
        if name not in declared:
            problems.append(f"case {case.id} expects {name}, which is not declared: {', '.join(declared)} are")
            continue
        low, high = declared[name].range
        if not low <= value <= high:
            problems.append(f"case {case.id} expects {name} = {value:g}, outside its range [{low:g}, {high:g}]")
    accept = must_accept(case, declared)
    if accept != (case.label is Label.CORRECT):
        word = "accepted" if accept else "rejected"
        problems.append(f"case {case.id} is labelled {case.label}, but its expect says {word}: correct one of them")
    return problems

"""Pure decisions about cases: whether a verdict contradicts the label, which cases returned, which are fixed."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.counter_examples import CaseState
from schemas.evidence.rates import Measurement
from schemas.manifest import RewardDeclaration
from schemas.names import names_package
from schemas.task import Message, Task, canonical_json
from schemas.verdict import Verdict

COMMUNITY_PREFIX = "community:"
_GENERATED_ID = re.compile(r"(?P<split>[a-z0-9_]+)-(?P<seed>\d{1,18})-(?P<index>\d{1,9})")


def community_id(case_id: str) -> str:
    """The id under which a counter-example stands in a report."""
    return COMMUNITY_PREFIX + case_id


def repeated_case(case: str) -> str:
    """Which counter-example counts in the place of one that repeats it, by its id; ``package``: a case of other origin.

    ``case``: its id in the report, or empty.
    """
    if not case:
        return ""
    return case.removeprefix(COMMUNITY_PREFIX) if case.startswith(COMMUNITY_PREFIX) else "package"


def case_key(case: AuditCase) -> str:
    """The same task and the same behaviour have the same key, whatever label, note or tags."""
    fields = {
        "task": case.task,
        "task_id": case.task_id if case.task is None else None,
        "response": case.response,
        "messages": case.messages,
        "state": case.state,
        "files": case.files,
    }
    return hashlib.sha256(canonical_json(fields)).hexdigest()


def claim_of(case: AuditCase, declared: Mapping[str, RewardDeclaration]) -> str:
    """What the case says of its response: the label, and the side of the threshold of each reward that it expects."""
    sides = [
        f"{name}={int(value >= declared[name].threshold)}"
        for name, value in sorted((case.expect or {}).items())
        if name in declared
    ]
    return " ".join([str(case.label), *sides])


def contradict(claim: str, other: str) -> bool:
    """Whether two claims about one response cannot both be right: other labels, or other sides of one reward."""
    label, *sides = claim.split(" ")
    other_label, *other_sides = other.split(" ")
    found = dict(side.rsplit("=", 1) for side in sides)
    others = dict(side.rsplit("=", 1) for side in other_sides)
    return label != other_label or any(others.get(name, side) != side for name, side in found.items())


def place_of_case(content_key: str, claim: str, state: str, case_id: str) -> str:
    """The key under which a case stands in its package. A refuted case has one of its own, and blocks no other.

    Otherwise a friend of the author could submit a true counter-example first, with a wrong label, and so block it.
    """
    place = f"{content_key} {claim}"
    return f"{place} {case_id}" if state == CaseState.REFUTED else place


def case_fault(case: AuditCase) -> str:
    """Why a case cannot be used, or empty. A task or message that is there must have the shape that schemas gives it.

    A case's task may leave out ``id`` and ``prompt``: a verifier may need the answer alone.
    """
    try:
        canonical_json(case.model_dump())  # mode "json" would turn NaN into null
        if case.task is not None:
            Task.read({"id": "case", "prompt": "", **case.task})
        for message in case.messages or ():
            Message.read(message)
    except RecursionError:
        return "It is nested too deeply."
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        part = "message" if error.title == "Message" else "task"
        return f"Its {part} is not sound: {'.'.join(str(key) for key in first['loc'])}: {first['msg']}."
    except ValueError as error:  # NaN, infinity, half of a surrogate pair
        return f"It holds a value that JSON in UTF-8 cannot hold: {error}."
    return ""


def is_verdict_wrong(case: AuditCase, verdict: Verdict, declared: dict[str, RewardDeclaration]) -> bool | None:
    """Whether the verifier is wrong on the case; None when it could not be judged.

    With ``expect`` each named reward must lie on the same side of its threshold as expected; without, ``label`` speaks
    of
    every score and gate together.
    """
    if case.expect is not None:
        sides = [
            _same_side(verdict.rewards.get(name), value, declared.get(name)) for name, value in case.expect.items()
        ]
        if any(side is False for side in sides):
            return True
        return None if any(side is None for side in sides) else False
    accepted = verdict.accepts(declared)
    return None if accepted is None else accepted != (case.label is Label.CORRECT)


def _same_side(got: float | None, expected: float, declaration: RewardDeclaration | None) -> bool | None:
    if got is None or declaration is None:
        return None
    return (got >= declaration.threshold) == (expected >= declaration.threshold)


def judge_submission(wrong: bool | None, *, is_agreed: bool = False) -> CaseState:
    """How a fresh case stands after it was executed. ``is_agreed``: people have agreed on its label."""
    if wrong is None:
        return CaseState.OPEN
    if wrong:
        return CaseState.REPRODUCED
    return CaseState.AGREED if is_agreed else CaseState.REFUTED


def replayed_outcomes(report: AuditReport, case_ids: Iterable[str]) -> dict[str, bool | None]:
    """Counter-example's id -> wrong (True), right (False) or not judged (None) in this report."""
    outcomes: dict[str, bool | None] = dict.fromkeys(case_ids, False)
    for failure in report.failures:
        if failure.case.startswith(COMMUNITY_PREFIX):
            identifier = failure.case.removeprefix(COMMUNITY_PREFIX)
            if identifier in outcomes:
                outcomes[identifier] = None if failure.kind == "unscored" else True
    return outcomes


def origins_of(report: AuditReport) -> dict[str, Measurement]:
    """Origin -> rates, for a list; generated probes have no rates, and what nobody seconded counts for nothing."""
    shown = [origin for origin in Origin if origin not in (Origin.PROBE, Origin.REPORTED)]
    return {str(one): report.slices[f"origin:{one}"] for one in shown if f"origin:{one}" in report.slices}


def suites_of(report: AuditReport) -> dict[str, Measurement]:
    """Suite -> rates on its cases."""
    prefix = "tag:suite:"
    found = {name.removeprefix(prefix): one for name, one in report.slices.items() if name.startswith(prefix)}
    return {name: one for name, one in found.items() if names_package(name)}  # "held" is the hub's own files


def next_state(state: CaseState, wrong: bool | None, *, is_agreed: bool = False) -> CaseState:
    """How a case stands after a later release was replayed.

    A regression leaves it *fixed* (or *agreed*) and blocks that release.
    """
    if wrong is None:
        return state
    if state in (CaseState.OPEN, CaseState.REFUTED):
        return judge_submission(wrong, is_agreed=is_agreed)
    if state is CaseState.REPRODUCED and not wrong:
        return CaseState.FIXED
    return state


def why_blocked(returned: list[str], unjudged: list[str]) -> str:
    """Why a release may not be ``@latest``: cases that an earlier release got right came back, or were not judged."""
    if returned:
        return f"Gets {_cases(returned)} wrong that an earlier release got right: {', '.join(returned[:5])}."
    if unjudged:
        named = ", ".join(unjudged[:5])
        return f"Could not be judged on {_cases(unjudged)} that an earlier release got right: {named}."
    return ""


def _cases(ids: list[str]) -> str:
    return f"{len(ids)} counter-example{'' if len(ids) == 1 else 's'}"


def place_of_generated(task_id: str, splits: Iterable[str]) -> tuple[str, int, int] | None:
    """(split, seed, index) of a generated task by its id ``SPLIT-SEED-INDEX``; None where it names no such split."""
    found = _GENERATED_ID.fullmatch(task_id)
    if found is None or found["split"] not in splits:
        return None
    return found["split"], int(found["seed"]), int(found["index"])


def with_task(case: AuditCase, task: dict[str, Any]) -> AuditCase:
    """The case with its task inside, so that it can be replayed against releases that no longer hold the task."""
    return case.model_copy(
        update={"task": task, "task_id": task.get("id"), "origin": Origin.COMMUNITY, "first_look": False}
    )

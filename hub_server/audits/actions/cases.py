"""Counter-examples: submit, replay, dispute, settle."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hub_server.audits import queries
from hub_server.audits.errors import CaseExistsError, CaseNotDisputableError, CaseNotFoundError, InvalidCaseError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.rules import case_key, is_verdict_wrong, judge_submission, place_of_generated, with_task
from hub_server.caller import require_caller, require_moderator
from hub_server.catalog import actions as catalog
from hub_server.catalog import queries as catalog_queries
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError, NotAllowedError, SandboxUnavailableError
from hub_server.execution import actions as execution
from hub_server.execution.rules import RefusedLine
from hub_server.paging import check_limit, decode_cursor, encode_cursor
from hub_server.parts import Parts
from hub_server.ports.executor import ExecutableRelease
from hub_server.work import Work
from schemas.account import Scope
from schemas.audit import AuditCase, CaseEvent, CaseState, CounterExample, Label
from schemas.names import split_package_id
from schemas.page import Page
from schemas.verdict import ScoreRequest, Verdict

REPLAY_JOB = "audits.replay_case"
AUDIT_JOB = "audits.audit_release"
HUB = "hub"
"""Who did it, where no account did."""
_MAX_CASE_CHARACTERS = 200_000


@dataclass(frozen=True)
class PreparedCase:
    """A case whose task is inside (or made when it is executed), and what judges it."""

    target: execution.ScoringTarget
    case: AuditCase
    generator: ExecutableRelease | None = None
    """What makes the task that the case names, where it stands in no file."""


@dataclass(frozen=True)
class ExecutedCase:
    """A case with the verdict it got; ``verdict`` None: the sandbox was away (``reason`` says why)."""

    prepared: PreparedCase
    verdict: Verdict | None
    reason: str = ""


def prepare_case(work: Work, package_id: str, version: str, case: AuditCase) -> PreparedCase:
    """Check a submission and put its task inside. Raises ``InvalidCaseError``, ``CaseExistsError``."""
    require_caller(work.caller, Scope.CASES)
    target = execution.scoring_target(work, package_id, version)
    unknown = [name for name in case.expect or {} if name not in target.rewards]
    if unknown:
        raise InvalidCaseError(f"expect names {unknown[0]!r}, which is no reward: {', '.join(target.rewards)}.")
    if case.task is None and _is_generated(work, target, case.task_id or ""):
        generator = execution.executable_release(work, catalog.usable_release(work, package_id, target.version))
        return PreparedCase(target, case, generator)
    if case.task is not None:
        task = dict(case.task)
    else:
        task = catalog.find_task(work, package_id, target.version, case.task_id or "").model_dump(mode="json")
    whole = with_task(case, task)
    _refuse_large(whole)
    _refuse_second(work, package_id, case_key(whole))
    return PreparedCase(target, whole)


def _is_generated(work: Work, target: execution.ScoringTarget, task_id: str) -> bool:
    """Whether a function makes the task, and no file holds it."""
    counts = catalog.get_release(work, target.package, target.version).task_counts
    if place_of_generated(task_id, [split for split, count in counts.items() if count is None]) is None:
        return False
    return not any(task_id in work.parts.wheels.tasks_by_id(target.digest, split) for split in target.file_splits)


def _refuse_large(case: AuditCase) -> None:
    if len(case.model_dump_json()) > _MAX_CASE_CHARACTERS:
        raise InvalidCaseError(f"The case is larger than {_MAX_CASE_CHARACTERS} characters: make it smaller.")


def make_task(parts: Parts, generator: ExecutableRelease, task_id: str) -> dict[str, Any] | None:
    """A generated task by its id, made in a box; None where the generator makes another, or none."""
    place = place_of_generated(task_id, generator.manifest.tasks)
    if place is None:
        return None
    split, seed, index = place
    rows = parts.executor.tasks(generator, split, start=index, count=1, seed=seed)
    return rows[0] if rows and rows[0].get("id") == task_id else None


def _refuse_second(work: Work, package_id: str, key: str) -> None:
    existing = queries.find_case_by_key(work.session, package_id, key)
    if existing is not None:
        raise CaseExistsError(
            f"This response to this task was submitted before, as counter-example {existing.id} ({existing.state})."
        )


def execute_case(parts: Parts, prepared: PreparedCase) -> ExecutedCase:
    """Run the case through the verifier. Needs no transaction; a sandbox that is away is no refusal."""
    if prepared.generator is not None:
        try:
            prepared = _with_made_task(parts, prepared, prepared.generator)
        except SandboxUnavailableError as error:
            raise InvalidCaseError(f"Its task is made by code, and no code can run now: {error.detail}") from error
    case = prepared.case
    request = ScoreRequest(
        id="case", task=case.task, response=case.response, messages=case.messages, state=case.state, files=case.files
    )
    try:
        for line in execution.score_stream(parts, prepared.target, [request]):
            if isinstance(line, RefusedLine):
                raise InvalidCaseError(line.message)
            reason = line.verdict.error.message if line.verdict.error is not None else ""
            return ExecutedCase(prepared, line.verdict, reason)
    except SandboxUnavailableError as error:
        return ExecutedCase(prepared, None, error.detail)
    raise AssertionError("the executor answered nothing")  # pragma: no cover -- Executor promises each id once


def _with_made_task(parts: Parts, prepared: PreparedCase, generator: ExecutableRelease) -> PreparedCase:
    task_id = prepared.case.task_id or ""
    task = make_task(parts, generator, task_id)
    if task is None:
        raise InvalidCaseError(f"{generator.package} {generator.version} makes no task {task_id!r}.")
    whole = with_task(prepared.case, task)
    _refuse_large(whole)
    return PreparedCase(prepared.target, whole)


def submit_case(work: Work, executed: ExecutedCase) -> CounterExample:
    """Keep what somebody submitted: confirmed (the verifier is wrong on it), refuted, or open while not judged."""
    return keep_case(work, executed, require_caller(work.caller, Scope.CASES).name)


def keep_case(work: Work, executed: ExecutedCase, by: str, *, agreement: str = "") -> CounterExample:
    """Keep a case in the name of ``by``.

    ``agreement``: who agreed on its label, in words; such a case is *held* where the verifier is right on it.
    """
    target, case = executed.prepared.target, executed.prepared.case
    key = case_key(case)
    catalog_queries.lock_package(work.session, target.package)
    _refuse_second(work, target.package, key)
    wrong = is_verdict_wrong(case, executed.verdict, target.rewards) if executed.verdict is not None else None
    now = work.now
    row = CounterExampleRow(
        id=new_id(now),
        package_id=target.package,
        case_key=key,
        case=case.model_dump(mode="json"),
        state=judge_submission(wrong, is_agreed=bool(agreement)).value,
        submitted_by=by,
        submitted_at=now,
        against=target.version,
        verdicts={target.version: executed.verdict.rewards} if executed.verdict is not None else {},
        error=executed.reason if wrong is None else "",
        history=[],
    )
    note_event(work, row, "labelled" if agreement else "submitted", by, reason=agreement)
    work.session.add(row)
    work.session.flush()
    if executed.verdict is None:
        work.queue(REPLAY_JOB, {"package": target.package, "case_id": row.id}, unique_key=f"case:{row.id}")
    if row.state in (CaseState.CONFIRMED, CaseState.HELD):
        _queue_audit(work, target.package, target.version)
    return _case_of(row)


def note_event(
    work: Work, row: CounterExampleRow, what: str, by: str = HUB, *, reason: str = "", version: str = ""
) -> None:
    """Write down who did what to a case, with its label and state afterwards."""
    event = CaseEvent.read(
        {
            "at": work.now,
            "by": by,
            "what": what,
            "label": row.case["label"],
            "state": row.state,
            "version": version or row.against,
            "reason": reason,
        }
    )
    row.history = [*(row.history or []), event.model_dump(mode="json")]


def is_agreed(row: CounterExampleRow) -> bool:
    """Whether people agreed on the label before the case was made."""
    return any(event["what"] == "labelled" for event in row.history or [])


def _queue_audit(work: Work, package_id: str, version: str) -> None:
    """Measure the release again with the case in its suite."""
    release = catalog.resolve_release(work, package_id, version)
    if release.audit_state not in ("queued", "running"):
        work.queue(AUDIT_JOB, {"release_id": release.id}, unique_key=f"audit:{release.id}", delay_seconds=2)
        catalog.record_audit_state(work, release.id, "queued")


def prepare_replay(work: Work, package_id: str, case_id: str) -> PreparedCase | None:
    """An open case, ready to be executed; None when it was judged meanwhile."""
    row = _get_row(work, package_id, case_id)
    if row.state != CaseState.OPEN:
        return None
    return PreparedCase(execution.scoring_target(work, package_id, row.against), AuditCase.read(row.case))


def record_replay(work: Work, package_id: str, case_id: str, executed: ExecutedCase) -> None:
    """Write down the verdict that an open case got."""
    row = _get_row(work, package_id, case_id)
    if executed.verdict is None or row.state != CaseState.OPEN:
        return
    wrong = is_verdict_wrong(executed.prepared.case, executed.verdict, executed.prepared.target.rewards)
    row.state = judge_submission(wrong, is_agreed=is_agreed(row)).value
    row.verdicts = {**row.verdicts, row.against: executed.verdict.rewards}
    row.error = executed.reason if wrong is None else ""
    note_event(work, row, "replayed")
    if row.state in (CaseState.CONFIRMED, CaseState.HELD):
        _queue_audit(work, package_id, row.against)


def list_cases(
    work: Work, package_id: str, *, state: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[CounterExample]:
    """A package's counter-examples, newest first."""
    package = catalog.get_package(work, package_id).card.id
    if state is not None and state not in set(CaseState):
        raise InvalidRequestError(f"state={state!r} is unknown: use one of {', '.join(CaseState)}.")
    after = decode_cursor(cursor, "cases", str)
    rows = queries.page_of_cases(work.session, package, state, after[0] if after else None, check_limit(limit) + 1)
    more = encode_cursor("cases", rows[limit - 1].id) if len(rows) > limit else None
    return Page[CounterExample](
        items=[_case_of(row) for row in rows[:limit]],
        next=more,
        facets={"state": queries.count_cases(work.session, package)},
    )


def count_cases(work: Work, package_id: str) -> dict[str, int]:
    """Counter-examples by state."""
    return queries.count_cases(work.session, package_id)


def get_case(work: Work, package_id: str, case_id: str) -> CounterExample:
    """One counter-example. Raises ``CaseNotFoundError``."""
    return _case_of(_get_row(work, package_id, case_id))


def dispute_case(work: Work, package_id: str, case_id: str, reason: str) -> CounterExample:
    """Say that a confirmed case's label is wrong. It stays in the rates, marked, until a moderator settles it."""
    caller = require_caller(work.caller, Scope.CASES)
    row = _get_row(work, package_id, case_id)
    if row.state not in (CaseState.CONFIRMED, CaseState.FIXED, CaseState.HELD):
        raise CaseNotDisputableError(f"Only a confirmed, fixed or held case can be disputed; this one is {row.state}.")
    row.state_before_dispute, row.state = row.state, CaseState.DISPUTED.value
    row.dispute_reason, row.disputed_by = reason, caller.name
    note_event(work, row, "disputed", caller.name, reason=reason)
    return _case_of(row)


def settle_dispute(
    work: Work,
    package_id: str,
    case_id: str,
    ruling: Literal["upheld", "relabelled", "withdrawn"],
    reason: str = "",
) -> CounterExample:
    """End a dispute.

    ``upheld``: the label was right. ``relabelled``: it was the opposite. ``withdrawn``: the case goes.

    The submitter may withdraw; everything else is a moderator's.
    """
    caller = require_caller(work.caller, Scope.CASES)
    row = _get_row(work, package_id, case_id)
    if not (ruling == "withdrawn" and caller.name == row.submitted_by):
        require_moderator(caller)
        if caller.owns(split_package_id(package_id)[0]):
            raise NotAllowedError("The owner of a verifier does not settle disputes about it: ask another moderator.")
    if row.state != CaseState.DISPUTED:
        raise CaseNotDisputableError(f"Only a disputed case can be settled; this one is {row.state}.")
    if ruling == "upheld":
        row.state = row.state_before_dispute
    elif ruling == "withdrawn":
        row.state = CaseState.REFUTED.value
    else:
        _relabel(row)
    note_event(work, row, ruling, caller.name, reason=reason)
    if ruling == "relabelled":
        work.queue(REPLAY_JOB, {"package": package_id, "case_id": row.id}, unique_key=f"case:{row.id}")
    return _case_of(row)


def _relabel(row: CounterExampleRow) -> None:
    """Turn the label round; the case is open again until it is replayed under its new label."""
    case: Mapping[str, Any] = row.case
    opposite = Label.INCORRECT if case["label"] == Label.CORRECT else Label.CORRECT
    row.case = {**case, "label": opposite.value, "expect": None}
    row.state, row.fixed_in = CaseState.OPEN.value, None


def _get_row(work: Work, package_id: str, case_id: str) -> CounterExampleRow:
    row = queries.find_case(work.session, package_id, case_id)
    if row is None:
        raise CaseNotFoundError(f"{package_id} has no counter-example {case_id!r}.")
    return row


def _case_of(row: CounterExampleRow) -> CounterExample:
    return CounterExample.read(
        {
            "id": row.id,
            "package": row.package_id,
            "case": AuditCase.read(row.case),
            "state": row.state,
            "submitted_by": row.submitted_by,
            "submitted_at": row.submitted_at,
            "against": row.against,
            "fixed_in": row.fixed_in,
            "verdicts": row.verdicts,
            "error": row.error,
            "dispute_reason": row.dispute_reason,
            "disputed_by": row.disputed_by,
            "history": row.history or [],
        }
    )

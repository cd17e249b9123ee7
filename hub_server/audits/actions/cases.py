"""Counter-examples: check one, run it, keep it, replay it."""

from dataclasses import dataclass
from typing import Any

import anyio

from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits.actions.case_rows import case_of, get_row, is_agreed, note_event, set_state
from hub_server.audits.actions.quotas import refuse_too_many_cases
from hub_server.audits.actions.standing import standing_followed
from hub_server.audits.errors import CaseExistsError, InvalidCaseError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.rules.cases import (
    case_fault,
    case_key,
    claim_of,
    is_verdict_wrong,
    judge_submission,
    place_of_generated,
    with_task,
)
from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import PackageNotFoundError, ReleaseNotFoundError, WithheldError
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.base import new_id
from hub_server.errors import ExecutionUnavailableError, TaskNotMadeError
from hub_server.execution import actions as execution
from hub_server.execution.rules import RefusedLine
from hub_server.kernel.caller import require_caller
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from schemas.account import Scope
from schemas.events import EventKind
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import CaseState, CounterExample
from schemas.kinds import PackageKind
from schemas.verdict import ScoreLine, ScoreRequest, Verdict

_TRY_AGAIN_SECONDS = 30  # chosen: the boxes of a busy hub are free again by then, or it has more to do than it can
_LEAST_FOR_A_TASK = 5.0  # chosen: seconds, also where nobody waits for a verdict
_MAX_CASE_CHARACTERS = 200_000  # chosen, not measured


@dataclass(frozen=True)
class PreparedCase:
    """A case with its task (or with the generator that makes it), and the verifier that judges it."""

    target: execution.ScoringTarget
    case: AuditCase
    generator: ExecutableRelease | None = None
    """The generator of the task that the case names, when the task is in no file."""


@dataclass(frozen=True)
class ExecutedCase:
    """A case with its verdict. ``verdict`` None: nothing has judged it yet (``reason`` says why)."""

    prepared: PreparedCase
    verdict: Verdict | None
    reason: str = ""


def prepare_case(work: UnitOfWork, package_id: str, version: str, case: AuditCase) -> PreparedCase:
    """Check a submission and put its task inside. Raises ``InvalidCaseError``, ``CaseExistsError``."""
    by = require_caller(work.caller, Scope.CASES).name
    prepared = prepare_preview(work, package_id, version, case)
    target, whole = prepared.target, prepared.case
    refuse_too_many_cases(work, target.package, target.version, by)
    if prepared.generator is None:
        refuse_second(work, target.package, target.version, case_key(whole), claim_of(whole, target.rewards), by)
    return prepared


def prepare_preview(work: UnitOfWork, package_id: str, version: str, case: AuditCase) -> PreparedCase:
    """Check a case and put its task inside, for whoever only wants to see its verdict. Raises ``InvalidCaseError``."""
    if fault := case_fault(case):
        raise InvalidCaseError(fault)
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
    refuse_large(whole)
    return PreparedCase(target, whole)


def contradicts_label(executed: ExecutedCase) -> bool | None:
    """Whether the verdict contradicts what the case says of its response; None where nothing was judged."""
    if executed.verdict is None:
        return None
    return is_verdict_wrong(executed.prepared.case, executed.verdict, executed.prepared.target.rewards)


def _is_generated(work: UnitOfWork, target: execution.ScoringTarget, task_id: str) -> bool:
    """Whether a function makes the task, and no file holds it."""
    counts = catalog.get_release(work, target.package, target.version).task_counts
    if place_of_generated(task_id, [split for split, count in counts.items() if count is None]) is None:
        return False
    return not any(task_id in work.services.wheels.tasks_by_id(target.digest, split) for split in target.file_splits)


def refuse_large(case: AuditCase) -> None:
    if len(case.model_dump_json()) > _MAX_CASE_CHARACTERS:
        raise InvalidCaseError(f"The case is larger than {_MAX_CASE_CHARACTERS} characters: make it smaller.")


def make_task(
    services: Services, generator: ExecutableRelease, task_id: str, seconds: float | None = None
) -> dict[str, Any] | None:
    """A generated task by its id, made in a box; None where the generator makes another, or none.

    Raises ``ExecutionUnavailableError``, also where it is not made within ``seconds``.
    """
    place = place_of_generated(task_id, generator.manifest.tasks)
    if place is None:
        return None
    split, seed, index = place
    rows = services.executor.tasks(generator, split, start=index, count=1, seed=seed, seconds=seconds)
    return rows[0] if rows and rows[0].get("id") == task_id else None


def refuse_second(work: UnitOfWork, package: str, version: str, content: str, claim: str, by: str | None) -> None:
    """Refuse a claim that a case makes already, and a second claim of one account.

    Refuted cases do not count here, nor those of hidden accounts, which nobody could second.
    """
    session = work.session
    own = case_queries.refuted_case_of(session, package, version, content, claim, by) if by is not None else None
    standing = case_queries.standing_cases_about(session, package, content)
    hidden = account_queries.hidden_among(session, {one.submitted_by for one in standing}) if standing else set()
    shown = [one for one in standing if one.submitted_by not in hidden]
    for existing in [*shown, *([own] if own else [])]:
        if existing.claim == claim:
            raise CaseExistsError(
                f"This response to this task was submitted before, as counter-example {existing.id} "
                f"({existing.state}): second or dispute that one."
            )
        if by is not None and by in (existing.submitted_by, *case_queries.seconders_of(work.session, existing.id)):
            raise CaseExistsError(
                f"You have submitted or seconded this response to this task with another label, as counter-example "
                f"{existing.id} ({existing.state}): withdraw it, or let somebody else submit this one."
            )


def make_way(work: UnitOfWork, package: str, content: str, claim: str) -> None:
    """Take back the case of a hidden account that makes this claim: somebody who is shown makes it now."""
    standing = case_queries.standing_cases_about(work.session, package, content)
    hidden = account_queries.hidden_among(work.session, {one.submitted_by for one in standing}) if standing else set()
    for row in standing:
        if row.submitted_by in hidden and row.claim == claim:
            with standing_followed(work, row):
                row.disputed_at, row.counted_by = None, ""
                set_state(row, CaseState.REFUTED)
                note_event(work, row, "lapsed", reason="its sender was hidden, and somebody else sent the same")


def execute_case(services: Services, prepared: PreparedCase) -> ExecutedCase:
    """Run the case through the verifier. Needs no transaction. An unavailable sandbox is not an error here."""
    prepared = _with_its_task(services, prepared)
    try:
        for line in execution.score_stream(services, prepared.target, [_request(prepared.case)]):
            return _executed(prepared, line)
    except ExecutionUnavailableError as error:
        return ExecutedCase(prepared, None, error.detail)
    raise AssertionError("the executor answered nothing")  # pragma: no cover -- Executor promises each id once


async def execute_case_within(services: Services, prepared: PreparedCase, seconds: float) -> ExecutedCase:
    """:func:`execute_case` for whoever waits for the answer; without a verdict when ``seconds`` are over.

    A box of a busy hub may take longer to start than any client waits. The worker judges such a case later.
    Making a generated task counts too. Where that takes longer, ``ExecutionUnavailableError`` is raised: the case
    means nothing without its task.
    """
    end = anyio.current_time() + seconds
    prepared = await anyio.to_thread.run_sync(_with_its_task, services, prepared, max(seconds, _LEAST_FOR_A_TASK))
    try:
        left = max(0.0, end - anyio.current_time())
        line = await execution.judge_within(services, prepared.target, _request(prepared.case), left)
    except ExecutionUnavailableError as error:
        return ExecutedCase(prepared, None, error.detail)
    if line is None:
        return ExecutedCase(prepared, None, f"The hub is busy: no verdict within {seconds:g} s.")
    return _executed(prepared, line)


def execute_case_soon(services: Services, prepared: PreparedCase) -> ExecutedCase:
    """:func:`execute_case_within` what the operator allows, for a blocking route that runs code (``runs_code``)."""
    return anyio.from_thread.run(execute_case_within, services, prepared, services.settings.execution.case_seconds)


def _request(case: AuditCase) -> ScoreRequest:
    return ScoreRequest(
        id="case", task=case.task, response=case.response, messages=case.messages, state=case.state, files=case.files
    )


def _executed(prepared: PreparedCase, line: ScoreLine | RefusedLine) -> ExecutedCase:
    if isinstance(line, RefusedLine):
        raise InvalidCaseError(line.message)
    return ExecutedCase(prepared, line.verdict, line.verdict.error.message if line.verdict.error is not None else "")


def _with_its_task(services: Services, prepared: PreparedCase, seconds: float | None = None) -> PreparedCase:
    """With the task that a generator makes; as it is where the task is there. Raises ``ExecutionUnavailableError``."""
    if prepared.generator is None:
        return prepared
    task_id, generator = prepared.case.task_id or "", prepared.generator
    try:
        task = make_task(services, generator, task_id, seconds)
    except ExecutionUnavailableError as error:
        raise _why_not_made(services, error) from error
    if task is None:
        raise InvalidCaseError(
            f"{generator.package} {generator.version} makes no task {task_id!r}: name another, or send the task."
        )
    whole = with_task(prepared.case, task)
    refuse_large(whole)
    return PreparedCase(prepared.target, whole)


def _why_not_made(services: Services, error: ExecutionUnavailableError) -> ExecutionUnavailableError:
    """It is not queued: whether it is a case at all shows in its task."""
    try:
        services.executor.check()
    except ExecutionUnavailableError:
        return ExecutionUnavailableError(
            f"The case's task is made by code, and no code can run now: {error.detail.rstrip('.')}. Try again in a "
            "moment, or send the task itself with the case.",
            retry_after_seconds=error.retry_after_seconds,
        )
    return TaskNotMadeError(
        f"The case's task is made by code, which was not done in time: {error.detail.rstrip('.')}. Nothing is stored: "
        f"send it again in {_TRY_AGAIN_SECONDS} s, or send the task itself with the case.",
        retry_after_seconds=_TRY_AGAIN_SECONDS,
    )


def submit_case(work: UnitOfWork, executed: ExecutedCase) -> CounterExample:
    """Store a submitted case: reproduced (the verifier is wrong on it), refuted, or open while not judged."""
    target = executed.prepared.target
    package_queries.lock_package(work.session, target.package)
    by = require_caller(work.caller, Scope.CASES).name
    refuse_too_many_cases(work, target.package, target.version, by)  # others of it were executed at the same time
    return keep_case(work, executed, by)


def keep_case(work: UnitOfWork, executed: ExecutedCase, by: str, *, agreement: str = "") -> CounterExample:
    """Store a case in the name of ``by``.

    ``agreement``: who agreed on its label, as text. Such a case is *agreed* when the verifier is right on it.
    """
    target, case = executed.prepared.target, executed.prepared.case
    key = case_key(case)
    claim = claim_of(case, target.rewards)
    package_queries.lock_package(work.session, target.package)
    refuse_second(work, target.package, target.version, key, claim, None if agreement else by)
    wrong = contradicts_label(executed)
    row = new_row(work, case, claim, by, package=target.package, version=target.version)
    row.verdicts = {target.version: executed.verdict.rewards} if executed.verdict is not None else {}
    row.error = executed.reason if wrong is None else ""
    set_state(row, judge_submission(wrong, is_agreed=bool(agreement)))
    note_event(work, row, "labelled" if agreement else "submitted", by, reason=agreement)
    add_row(work, row)
    if executed.verdict is None:
        work.queue(JobName.REPLAY_CASE, {"package": target.package, "case_id": row.id}, unique_key=f"case:{row.id}")
    if row.state in (CaseState.REPRODUCED, CaseState.AGREED):
        queue_audit(work, target.package, target.version)
    _ask_verifiers(work, row)
    return case_of(row)


def _ask_verifiers(work: UnitOfWork, row: CounterExampleRow) -> None:
    """Ask others' verifiers about a reproduced case, also where it was judged only later."""
    if row.state == CaseState.REPRODUCED:
        work.queue(JobName.ASK_VERIFIERS, {"package": row.package_id, "case_id": row.id}, unique_key=f"ask:{row.id}")


def new_row(work: UnitOfWork, case: AuditCase, claim: str, by: str, *, package: str, version: str) -> CounterExampleRow:
    """A case that nobody has judged or seconded; it has no state yet."""
    return CounterExampleRow(
        id=new_id(work.now),
        package_id=package,
        content_key=case_key(case),
        claim=claim,
        case=case.model_dump(mode="json"),
        submitted_by=by,
        submitted_at=work.now,
        against=version,
        verdicts={},
        error="",
        history=[],
        counted_by="",
    )


def add_row(work: UnitOfWork, row: CounterExampleRow) -> None:
    """Store a new case and tell others of it."""
    if row.state != CaseState.REFUTED:
        make_way(work, row.package_id, row.content_key, row.claim)
    work.session.add(row)
    work.session.flush()
    work.announce(EventKind.CASE_SUBMITTED, row.package_id, row.against, case=row.id, state=row.state)


def queue_audit(work: UnitOfWork, package_id: str, version: str) -> None:
    """Measure the release again with the case among its cases. A suite's: measure again what was measured on it.

    A release or package that is gone is not measured: whoever decides about an account is not stopped by it.
    """
    try:
        release = catalog.resolve_release(work, package_id, version)
    except (PackageNotFoundError, ReleaseNotFoundError, WithheldError):
        return
    if catalog.release_of(release).manifest.kind is PackageKind.SUITE:
        payload = {"suite": package_id, "has_read": True}
        work.queue(JobName.MEASURE_WITH_SUITE, payload, unique_key=f"suite:{package_id}:labels")
        return
    if release.audit_state not in ("queued", "running"):
        work.queue(JobName.AUDIT_RELEASE, {"release_id": release.id}, unique_key=f"audit:{release.id}", delay_seconds=2)
        catalog.record_audit_state(work, release.id, "queued")


def prepare_replay(work: UnitOfWork, package_id: str, case_id: str) -> PreparedCase | None:
    """An open case, ready to be executed; None when it was judged meanwhile."""
    row = get_row(work, package_id, case_id)
    if row.state != CaseState.OPEN:
        return None
    return PreparedCase(execution.scoring_target(work, package_id, row.against), AuditCase.read(row.case))


def record_replay(work: UnitOfWork, package_id: str, case_id: str, executed: ExecutedCase) -> None:
    """Record the verdict of an open case."""
    row = get_row(work, package_id, case_id)
    if executed.verdict is None or row.state != CaseState.OPEN:
        return
    wrong = is_verdict_wrong(executed.prepared.case, executed.verdict, executed.prepared.target.rewards)
    was_relabelled = any(event["what"] == "relabelled" for event in row.history or [])
    set_state(row, judge_submission(wrong, is_agreed=is_agreed(row)))
    row.verdicts = {**row.verdicts, row.against: executed.verdict.rewards}
    row.error = executed.reason if wrong is None else ""
    note_event(work, row, "replayed")
    if was_relabelled or row.state in (CaseState.REPRODUCED, CaseState.AGREED):
        queue_audit(work, package_id, row.against)
    _ask_verifiers(work, row)

"""Finds responses on which verifiers disagree: stored rollouts, judged by other releases and comparable verifiers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hub_server.audits.actions.cases import make_task
from hub_server.audits.errors import TooManyLabelsError
from hub_server.audits.models import LabelQuestionRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import comparisons as comparison_queries
from hub_server.audits.queries import labels as label_queries
from hub_server.audits.rules.cases import case_key, with_task
from hub_server.audits.rules.uncertainty import (
    LEAST_BITS,
    acceptance_of,
    annotator_of,
    entropy_left,
    is_contested,
    person_as_annotator,
)
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.database.base import new_id
from hub_server.errors import HubServerError, InvalidRequestError
from hub_server.execution import actions as execution
from hub_server.execution.rules import RefusedLine
from hub_server.kernel.caller import require_caller
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from hub_server.runs import actions as runs
from schemas.account import Scope
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.labels import QueuedJob, VerdictBy
from schemas.evidence.rates import Measurement
from schemas.manifest import RewardDeclaration
from schemas.names import LATEST, InvalidNameError, Reference, split_release
from schemas.package import Release, ReleaseState
from schemas.run import RolloutRow, Run
from schemas.verdict import ScoreRequest, Verdict

OLDER_RELEASES = 2  # chosen: each judges all rollouts that are looked at
COMPARABLE = 3  # chosen: each judges all rollouts that are looked at


@dataclass
class ExaminedRollout:
    """A rollout under examination: its case once the task is complete, and each verifier's verdict."""

    rollout: RolloutRow
    run: Run
    case: AuditCase
    verdicts: list[VerdictBy] = field(default_factory=list)


@dataclass(frozen=True)
class GatherPlan:
    """What the job that looks for disagreements computes outside any transaction."""

    package: str
    version: str
    found: list[ExaminedRollout]
    judges: list[tuple[str, execution.ScoringTarget]]
    generator: ExecutableRelease


def request_gathering(work: UnitOfWork, package_id: str) -> QueuedJob:
    """Queue a search of a package's rollouts. Anybody with an account may ask; a job that waits is not queued twice."""
    require_caller(work.caller, Scope.CASES)
    package = catalog.get_package_row(work, package_id).id
    execution.scoring_target(work, package)
    most = work.services.settings.labels.open_questions
    if label_queries.count_open_of_package(work.session, package) >= most:
        raise TooManyLabelsError(
            f"{package} has {most} open questions, which is the most of one package: answer some of them first."
        )
    return QueuedJob(job=queue_gathering(work, package))


def queue_gathering(work: UnitOfWork, package_id: str) -> str:
    """Queue the job, unless it is queued already."""
    return work.queue(
        JobName.GATHER_DISAGREEMENTS, {"package": package_id}, unique_key=f"gather:{package_id}", delay_seconds=2
    )


def plan_gathering(work: UnitOfWork, package_id: str) -> GatherPlan | None:
    """The newest rollouts of a package and who shall judge them; None where there is nothing to look through."""
    release = catalog.find_release(work, package_id, LATEST)
    if release is None:
        return None
    rollouts = runs.newest_rollouts(work, package_id, work.services.settings.labels.rollouts)
    found = _distinct([_examined(work, release, rollout, run) for rollout, run in rollouts])
    if not found:
        return None
    row = catalog.usable_release(work, package_id, release.version)
    return GatherPlan(
        package=package_id,
        version=release.version,
        found=found,
        judges=_judges(work, row),
        generator=execution.executable_release(work, row),
    )


def _examined(work: UnitOfWork, release: Release, rollout: RolloutRow, run: Run) -> ExaminedRollout:
    pinned = next((pin.version for pin in run.packages if pin.package == release.package), release.version)
    task = stored_task(work, release.package, (pinned, release.version), rollout.task_id)
    case = AuditCase(
        id="question",
        task_id=rollout.task_id,
        response=rollout.response,
        label=Label.INCORRECT,
        origin=Origin.ROLLOUT,
        tags=["rollout"],
        source=source_of_rollout(run.id, rollout),
    )
    found = ExaminedRollout(rollout, run, with_task(case, task) if task is not None else case)
    rewards = execution.declared_rewards(work, release.package, release.version)
    found.verdicts.append(verdict_by(f"{release.package}@{pinned}", Verdict(rewards=rollout.rewards), rewards))
    if rollout.held_out:
        name = str(run.config.get("held_out_verifier") or "the held-out verifier")
        found.verdicts.append(verdict_by(name, Verdict(rewards=rollout.held_out), rewards))
    return found


def source_of_rollout(run_id: str, rollout: RolloutRow) -> str:
    """Where a case comes from, as text that stays valid when pages move."""
    return f"run {run_id}, rollout {rollout.id}, step {rollout.step}"


def stored_task(work: UnitOfWork, package: str, versions: Sequence[str], task_id: str) -> dict[str, Any] | None:
    """The task of the first of these releases that stores it; None where it is generated, or of another release."""
    for version in dict.fromkeys(versions):
        try:
            return catalog.find_task(work, package, version, task_id).model_dump(mode="json")
        except HubServerError:  # the task is of another release or generated: it is looked up there
            continue
    return None


def _distinct(found: Sequence[ExaminedRollout]) -> list[ExaminedRollout]:
    """Each response to each task once, the newest first."""
    seen: dict[tuple[str, str], ExaminedRollout] = {}
    for one in found:
        seen.setdefault((one.rollout.task_id, one.rollout.response), one)
    return list(seen.values())


def _judges(work: UnitOfWork, row: ReleaseRow) -> list[tuple[str, execution.ScoringTarget]]:
    """The release itself, the ones before it, and verifiers that were found comparable to it."""
    usable = (ReleaseState.ACTIVE, ReleaseState.DEPRECATED)
    releases = catalog.get_package(work, row.package_id).releases
    older = [one for one in releases if one.state in usable and one.version != row.version][:OLDER_RELEASES]
    wanted = [(row.package_id, row.version), *((one.package, one.version) for one in older)]
    wanted += [
        (other.package_id, other.version)
        for other in comparison_queries.comparable_releases(work.session, row.id, COMPARABLE)
    ]
    judges = []
    for package, version in wanted:
        try:
            judges.append((f"{package}@{version}", execution.scoring_target(work, package, version)))
        # It was quarantined or deleted meanwhile, so one verifier fewer judges.
        except HubServerError:
            continue
    return judges


def judge_rollouts(services: Services, plan: GatherPlan) -> list[ExaminedRollout]:
    """Judge every rollout with every verifier. Rollouts whose task no longer exists are left out.

    Raises ``ExecutionUnavailableError``.
    """
    for one in plan.found:
        if one.case.task is None:
            task = make_task(services, plan.generator, one.rollout.task_id)
            one.case = with_task(one.case, task) if task is not None else one.case
    whole = [one for one in plan.found if one.case.task is not None]
    for name, target in plan.judges:
        requests = [
            ScoreRequest(id=str(index), task=one.case.task, response=one.case.response)
            for index, one in enumerate(whole)
        ]
        for line in execution.score_stream(services, target, requests):
            if not isinstance(line, RefusedLine):
                one = whole[int(line.id)]
                said = verdict_by(name, line.verdict, target.rewards).model_copy(update={"executed": True})
                one.verdicts = [verdict for verdict in one.verdicts if verdict.by != name] + [said]
    return whole


def verdict_by(name: str, verdict: Verdict, declared: dict[str, RewardDeclaration]) -> VerdictBy:
    """A verdict as a question shows it, of which so far only a run speaks."""
    return VerdictBy(
        by=name,
        rewards=verdict.rewards,
        accepted=verdict.accepts(declared),
        acceptance=acceptance_of(verdict, declared),
        executed=False,
    )


def keep_questions(work: UnitOfWork, plan: GatherPlan, judged: Sequence[ExaminedRollout]) -> int:
    """Make questions of responses that the verifiers do not settle. Returns how many questions are new.

    An existing question gets the newer verdicts. What others agreed on already does not become a question again. What
    is beyond a limit of open questions is left out until some are settled, and counted.
    """
    new, left_out = 0, Counter[tuple[str, str]]()
    for one in judged:
        bits = _open_bits(work, one.verdicts)
        key = case_key(one.case)
        row = label_queries.find_question_by_key(work.session, plan.package, key)
        if row is not None:
            _refresh(work, row, plan, one, bits)
        elif bits > 0 and not _is_decided(work, plan.package, key):
            if reached := _limit_reached(work, plan.package, key, one):
                left_out[one.run.id, reached] += 1
                continue
            work.session.add(_question_row(work, plan, one, bits, key))
            work.session.flush()
            new += 1
    label_queries.replace_left_out(work.session, plan.package, left_out)
    return new


def _limit_reached(work: UnitOfWork, package_id: str, key: str, one: ExaminedRollout) -> str:
    """Which limit of open questions is reached, if one is: no single account decides what people are asked."""
    most = work.services.settings.labels
    found = label_queries.count_for_limits(work.session, package_id, key, one.run.owner)
    limits = (most.open_questions, most.open_from_runs, most.open_about_response, most.open_about_response_by_owner)
    reached = (name for name, count, limit in zip(found._fields, found, limits, strict=True) if count >= limit)
    return next(reached, "")


def _is_decided(work: UnitOfWork, package_id: str, key: str) -> bool:
    """Whether a case about that response counts. What one account alone says of it leaves the question open."""
    return any(one.counted_by for one in case_queries.standing_cases_about(work.session, package_id, key))


def _open_bits(work: UnitOfWork, verdicts: Sequence[VerdictBy]) -> float:
    """The uncertainty in bits after weighing each verifier by its audit; 0 when nobody needs to be asked."""
    if not is_contested(verdict.acceptance for verdict in verdicts):
        return 0.0
    bits = bits_left(work, verdicts)
    return bits if bits >= LEAST_BITS else 0.0


def bits_left(work: UnitOfWork, verdicts: Sequence[VerdictBy], answers: Iterable[str] = ()) -> float:
    """The uncertainty in bits after verdicts, each weighed by its audit, and people's answers.

    What only a run says weighs as one that was not measured: it may name any verifier, and claim any verdict of it.
    """
    packages = Counter(_kin(verdict) for verdict in verdicts if verdict.acceptance is not None)
    annotators = [
        annotator_of(
            verdict.acceptance,
            _measured(work, verdict.by) if verdict.executed is not False else None,
            1 / max(1, packages[_kin(verdict)]),
        )
        for verdict in verdicts
    ]
    return entropy_left([*annotators, *(person_as_annotator(answer) for answer in answers)])


def _kin(verdict: VerdictBy) -> tuple[bool, str]:
    """The package of a verdict; what a run claims of a package takes nothing from the weight of what the hub ran."""
    return verdict.executed is not False, split_release(verdict.by)[0]


def _measured(work: UnitOfWork, name: str) -> Measurement | None:
    """The audited counts of a verifier by its reference; None for what was not measured here."""
    try:
        reference = Reference.parse(name)
    except InvalidNameError:  # of a run that was reported from elsewhere: it may name a folder
        return None
    release = catalog.find_release(work, reference.package, reference.selector)
    return release.audit.overall if release is not None and release.audit is not None else None


def _refresh(work: UnitOfWork, row: LabelQuestionRow, plan: GatherPlan, one: ExaminedRollout, bits: float) -> None:
    if not bits and row.state == "open" and not label_queries.latest_answers(work.session, row.id):
        work.session.delete(row)  # Nothing is open any more, and nobody has answered yet.
        return
    row.verdicts = [verdict.model_dump(mode="json") for verdict in one.verdicts]
    row.bits, row.version = bits, plan.version
    row.priority = bits_left(work, one.verdicts, label_queries.latest_answers(work.session, row.id).values())


def _question_row(work: UnitOfWork, plan: GatherPlan, one: ExaminedRollout, bits: float, key: str) -> LabelQuestionRow:
    if one.case.task is None:  # pragma: no cover -- judge_rollouts keeps whole cases only
        raise InvalidRequestError("a question needs a whole task")
    return LabelQuestionRow(
        id=new_id(work.now),
        package_id=plan.package,
        case_key=key,
        version=plan.version,
        case=one.case.model_dump(mode="json"),
        run_id=one.run.id,
        rollout_id=one.rollout.id,
        step=one.rollout.step,
        verdicts=[verdict.model_dump(mode="json") for verdict in one.verdicts],
        bits=bits,
        priority=bits,
        state="open",
        created_at=work.now,
    )

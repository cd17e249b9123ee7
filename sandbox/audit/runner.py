"""The audit: labelled cases and probes through the sandbox, one report out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sandbox.audit import evaluation, statistics
from sandbox.audit.cases import suite_digest, task_of
from sandbox.audit.errors import CaseError
from sandbox.audit.evaluation import Judgement
from sandbox.audit.generating import Probe, authors_probe, generate, material_from
from sandbox.audit.judging import CaseRun, Judge, Progress
from sandbox.audit.probes.registry import FAMILIES, select
from sandbox.errors import GuestFaultError
from sandbox.interface import Source
from schemas.audit import AuditCase, AuditReport, Determinism, Failure, Label, Latency, ProbeOutcome
from schemas.manifest import Isolation

PROBE_SEED = 20_261_116
"""Fixed, so that two audits of the same release with the same suite ask the same questions."""
_AUTHORS_PROBES = 200
_GENERATED_CASES = 5000


async def run_audit(  # noqa: PLR0913 -- every argument is a fact that the report names; all but three by keyword
    sandbox: Judge,
    source: Source,
    cases: Sequence[AuditCase],
    *,
    tasks: Mapping[str, dict[str, Any]],
    subject: str,
    repeats: int = 1,
    probes: bool = True,
    isolation: Isolation | None = None,
    progress: Progress | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AuditReport:
    """Measure the verifier of ``source`` on ``cases`` (and on probes generated from them) and report.

    ``tasks`` maps the ids that cases name to tasks. ``subject`` is ``owner/name@version``. Each labelled case runs
    ``repeats`` times; the first verdict counts, the others only for determinism. ``progress`` gets (done, total) calls.
    Cases that the manifest has a function make (``audit = ["package:cases"]``) are made in the box and join ``cases``.
    Apart from latencies and times the report depends on release, suite, image and runner version only.
    """
    families = select(source.manifest.probes) if probes else []
    cases = [*cases, *await generated_cases(sandbox, source)]
    declared = source.manifest.rewards
    run = CaseRun(sandbox, source, isolation, progress or (lambda _done, _total: None))
    judgements, flips = await run.judge(cases, tasks, repeats)
    generated: list[Probe] = []
    failed: dict[str, ProbeOutcome] = {}
    if probes:
        authors, failed = await _authors_probes(sandbox, source, tasks)
        generated = [*generate(families, material_from(judgements, tasks, declared), PROBE_SEED), *authors]
    probed, _ = await run.judge([probe.case for probe in generated], tasks)
    overall = evaluation.measure_overall(judgements, declared)
    slices = evaluation.origin_slice(probed, declared) | evaluation.measure_slices(judgements, declared)
    return AuditReport(
        subject=subject,
        digest=source.digest,
        suite_digest=suite_digest(cases),
        image_digest=await sandbox.image_digest(source),
        runner_version=runner_version(),
        isolation=str(source.manifest.sandbox.isolation.raised_to(isolation)),
        grade=statistics.grade_of(overall),
        overall=overall,
        rewards=evaluation.measure_rewards(judgements, declared),
        slices=dict(sorted(slices.items())),
        probes=_probe_outcomes(generated, probed, source) | failed,
        determinism=Determinism(repeats=repeats, flips=flips),
        latency_ms=_latency(run.milliseconds),
        unscored_reasons=evaluation.unscored_reasons(judgements, declared),
        power_hint=statistics.power_hint(overall),
        youden_j=statistics.youden_j(overall),
        disputed=sum(case.disputed for case in cases),
        failures=_failures([*judgements, *probed], source),
        case_count=len(cases),
        audited_at=now(),
    )


def runner_version() -> str:
    """``verihub 0.1.0``: what ran the audit."""
    try:
        return f"verihub {version('verihub')}"
    except PackageNotFoundError:
        return "verihub (not installed)"


async def generated_cases(sandbox: Judge, source: Source) -> list[AuditCase]:
    """The labelled cases of the manifest's case generators. One that fails is its author's to mend: no audit."""
    cases: list[AuditCase] = []
    for entry in source.manifest.audit:
        if ":" not in entry:
            continue
        try:
            rows = await sandbox.generate(source, entry, split="audit", count=_GENERATED_CASES)
            cases += [AuditCase.model_validate(row) for row in rows]
        except (GuestFaultError, ValueError) as error:
            raise CaseError(f"audit = {entry} made no cases: {error}") from None
    return cases


async def _authors_probes(
    sandbox: Judge, source: Source, tasks: Mapping[str, dict[str, Any]]
) -> tuple[list[Probe], dict[str, ProbeOutcome]]:
    """What the package's own generator registers. One that fails is shown as a family that was not judged."""
    entry = source.manifest.probes.register_
    if entry is None:
        return [], {}
    try:
        rows = await sandbox.generate(source, entry, split="probe", count=_AUTHORS_PROBES)
        probes = [authors_probe(row, index) for index, row in enumerate(rows)]
    except (GuestFaultError, ValueError) as error:
        rule = f"{entry} failed: {str(error).splitlines()[0][:200]}"
        return [], {"author": ProbeOutcome(cases=0, failures=0, unscored=1, expects="mixed", rule=rule)}
    return [probe for probe in probes if task_of(probe.case, tasks) is not None], {}


def _probe_outcomes(generated: Sequence[Probe], probed: Sequence[Judgement], source: Source) -> dict[str, ProbeOutcome]:
    """Family -> how many cases, wrong verdicts and unjudged ones, in the registry's order."""
    rules = {family.name: family.rule for family in FAMILIES}
    counted: dict[str, list[tuple[AuditCase, statistics.Outcome]]] = {}
    for probe, judgement in zip(generated, probed, strict=True):
        outcome = judgement.overall(source.manifest.rewards)
        counted.setdefault(probe.family, []).append((probe.case, outcome))
    return {
        family: ProbeOutcome(
            cases=len(pairs),
            failures=sum(o.accepted is not None and o.accepted != o.must_accept for _, o in pairs),
            unscored=sum(o.accepted is None for _, o in pairs),
            expects=_expects([case for case, _ in pairs]),
            rule=rules.get(family, "registered by the author"),
        )
        for family, pairs in counted.items()
    }


def _expects(cases: Sequence[AuditCase]) -> Any:
    labels = {case.label for case in cases}
    if len(labels) > 1:
        return "mixed"
    return "correct" if labels == {Label.CORRECT} else "incorrect"


def _failures(judgements: Iterable[Judgement], source: Source) -> list[Failure]:
    found = (evaluation.failure_of(judgement, source.manifest.rewards) for judgement in judgements)
    return [failure for failure in found if failure is not None]


def _latency(milliseconds: Sequence[float]) -> Latency:
    shares = {"p50": 0.50, "p95": 0.95, "p99": 0.99}
    return Latency(**{name: statistics.percentile(milliseconds, share) for name, share in shares.items()})

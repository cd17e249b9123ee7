"""The audit: runs labelled cases and probes through the sandbox and makes one report."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sandbox.audit import evaluation
from sandbox.audit.cases import Declared, cases_digest, task_of
from sandbox.audit.errors import CaseError
from sandbox.audit.evaluation import Judgement
from sandbox.audit.exploits.measured import is_raise, measure_exploits
from sandbox.audit.judge import CaseRun, Judge, is_late
from sandbox.audit.labelled_answers import find_waiting
from sandbox.audit.metamorphic import measure_pairs
from sandbox.audit.paid_forms import RightInForm, paying, right_ones, with_forms
from sandbox.audit.probe_set import PROBE_SEED, Probe, authors_probe, further, generate, independent, material_from
from sandbox.audit.probes import leak_same_mistake, leak_unwrapped, own_words
from sandbox.audit.probes.registry import FAMILIES, select
from sandbox.audit.unjudged_forms import is_silent, outcomes_of
from sandbox.errors import GuestFaultError
from sandbox.interface import Source
from schemas.evidence.audit import AuditReport, Determinism, Failure, Latency
from schemas.evidence.audit_plan import Progress
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.exploit import Exploit
from schemas.evidence.metamorphic import MetamorphicOutcome
from schemas.evidence.rates import Measurement, ProbeOutcome
from schemas.manifest import Isolation
from schemas.measures.confusion import Outcome, measure, youden_j
from schemas.measures.evidence import grade_evidence, without_all_probes
from schemas.measures.grades import power_hint
from schemas.measures.percentiles import percentile
from schemas.measures.seen import Seen
from schemas.measures.worse_parts import Part, parts_of
from schemas.rows import made_row

_AUTHORS_PROBES = 200  # chosen: bounds an audit's cost
_GENERATED_CASES = 5000  # chosen: more than ten times what an A needs (381 a side)


@dataclass(frozen=True)
class Probing:
    """What ran beside the labelled cases: probes with their verdicts, ways to answer without solving, rewritings."""

    generated: Sequence[Probe] = ()
    judged: Sequence[Judgement] = ()
    failed: Mapping[str, ProbeOutcome] = field(default_factory=dict)
    """The author's generator of probes, where it failed."""
    exploits: dict[str, Exploit] = field(default_factory=dict)
    pairs: dict[str, MetamorphicOutcome] = field(default_factory=dict)
    right_in_forms: Sequence[tuple[RightInForm, Judgement]] = ()
    """Right answers in the forms in which wrong ones earn more."""
    is_cut: bool = False
    """The audit's time was used up before all of it was judged."""


@dataclass(frozen=True)
class AuditRun:
    """Everything that an audit ran, with its verdicts, and what it ran in. Nothing of it is measured yet."""

    cases: Sequence[AuditCase]
    judgements: Sequence[Judgement]
    """Of ``cases``."""
    determinism: Determinism
    milliseconds: Sequence[float]
    probing: Probing
    isolation: Isolation
    image_digest: str


async def run_audit(  # noqa: PLR0913 -- what an audit is made of; all but three by keyword
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
    seconds: float | None = None,
    probe_seed: str | None = None,
    order: str | None = None,
    earlier: Mapping[str, bool | list[bool | None] | None] | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AuditReport:
    """Measure the verifier of ``source`` on ``cases`` (and on probes generated from them) and report.

    ``tasks``: id to task. Each labelled case runs ``repeats`` times: the first verdict counts, if the others (in other
    orders, a fork a call) agree. ``order`` seeds the order of the first too.
    ``earlier``: verdicts of an earlier audit of the same bytes. One that changed, then or now, counts as not judged.
    After ``seconds`` (None: never) whatever has no verdict yet is reported as not judged. Cases that the manifest has a
    function make are made in the box and join ``cases``.
    ``probe_seed``: what probes are drawn by (a hub keeps its own secret); None: the fixed seed that everybody knows.
    Apart from latencies and times the report depends on release, cases, image and runner version only.
    """
    select(source.manifest.probes)  # a wrong selection is refused before anything runs
    cases = [*cases, *await generated_cases(sandbox, source)]
    ends_at = asyncio.get_running_loop().time() + seconds if seconds is not None else None
    run = CaseRun(sandbox, source, isolation, progress or (lambda _done, _total: None), ends_at, order)
    judgements, flips = await run.judge(cases, tasks, repeats)
    ran = AuditRun(
        cases=cases,
        judgements=judgements,
        determinism=Determinism(repeats=repeats, flips=flips),
        milliseconds=run.milliseconds,
        probing=await _probe(run, _shown(judgements), tasks, probe_seed or PROBE_SEED) if probes else Probing(),
        isolation=source.manifest.sandbox.isolation.raised_to(isolation),
        image_digest=await sandbox.image_digest(source),
    )
    return _report(ran, source, subject, earlier or {}, now())


def _report(
    ran: AuditRun,
    source: Source,
    subject: str,
    earlier: Mapping[str, bool | list[bool | None] | None],
    audited_at: datetime,
) -> AuditReport:
    """Measure what ran: rates, grade, slices, failures."""
    declared, probing = source.manifest.rewards, ran.probing
    measured = evaluation.unlike_earlier(evaluation.distinct(ran.judgements, declared), declared, earlier)
    waiting = find_waiting(evaluation.counted(measured), declared)
    measured = waiting.apply(measured)
    counted = evaluation.counted(measured)
    overall = evaluation.measure_overall(counted, declared)
    values, parts = evaluation.reward_values(counted, declared), _parts(counted, probing, declared)
    paid = with_forms(values, probing.generated, probing.judged, probing.right_in_forms, declared)
    grade, grading = grade_evidence(evaluation.seen(counted, declared), parts, paid, _leak_evidence(probing, declared))
    if probing.is_cut:
        grade, grading = without_all_probes(grade, grading)
    graded = grading.reads or overall
    return AuditReport(
        subject=subject,
        digest=source.digest,
        suite_digest=cases_digest(ran.cases),
        image_digest=ran.image_digest,
        runner_version=runner_version(),
        isolation=str(ran.isolation),
        grade=grade,
        overall=overall,
        rewards=evaluation.measure_rewards(counted, declared),
        slices=_slices(probing.judged, measured, declared),
        probes=_probe_outcomes(probing, source) | dict(probing.failed),
        exploits=probing.exploits,
        metamorphic=probing.pairs,
        switched_off=[
            name for name in _switched_off(source) if any(probe.family == name for probe in probing.generated)
        ],
        determinism=ran.determinism,
        latency_ms=_latency(ran.milliseconds),
        unscored_reasons=evaluation.unscored_reasons(counted, declared),
        power_hint=power_hint(graded, holds_unjudged=graded.unscored < overall.unscored),
        grading=grading.model_copy(update={"waiting": list(waiting.told)}),
        values=values,
        youden_j=youden_j(overall),
        disputed=sum(case.disputed for case in ran.cases),
        failures=_failures([*waiting.apply(ran.judgements), *probing.judged], source),
        case_count=len(counted),
        duplicates=len(ran.cases) - len(measured),
        audited_at=audited_at,
        in_no_rate=[one.case.id for one in measured if one.case.origin is Origin.REPORTED],
        repeats=evaluation.repeated(ran.judgements, declared),
        verdicts=evaluation.lasting_verdicts(measured, declared),
    )


async def _probe(
    run: CaseRun, shown: Sequence[Judgement], tasks: Mapping[str, dict[str, Any]], seed: int | str
) -> Probing:
    """Everything that is made from the labelled cases or by the author, run after them."""
    declared = run.source.manifest.rewards
    authors, failed = await _authors_probes(run.sandbox, run.source, tasks)
    forms = [adapter.response for adapter in run.source.manifest.judges.values()]
    words = own_words.words_of(run.source.wheel, run.source.manifest)
    material = material_from(shown, tasks, declared, forms, words)
    others = material_from(independent(shown), {}, declared, forms, words)
    generated = [*generate(FAMILIES, material, seed, others), *authors]
    judged, _ = await run.judge([probe.case for probe in generated], tasks)
    paid = paying(shown, generated, judged, declared)
    outcomes = (
        (
            probe,
            one.overall(declared).is_wrong
            or (not run.is_cut and is_silent(probe, one, declared))
            or (probe.family, probe.way) in paid,
        )
        for probe, one in zip(generated, judged, strict=True)
    )
    more = further(FAMILIES, material, seed, others, outcomes)
    judged += (await run.judge([probe.case for probe in more], tasks))[0]
    generated += more
    rights = right_ones(paid, material, seed)
    right_judged, _ = await run.judge([one.case for one in rights], {})
    exploits = await measure_exploits(run, material, declared, seed)
    pairs = await measure_pairs(run, tasks)
    rights_judged = list(zip(rights, right_judged, strict=True))
    return Probing(generated, judged, failed, exploits, pairs, rights_judged, run.is_cut)


def _switched_off(source: Source) -> list[str]:
    """Families that the manifest leaves out; they run all the same. Raises :class:`SelectionError`."""
    chosen = {family.name for family in select(source.manifest.probes)}
    return [family.name for family in FAMILIES if family.name not in chosen]


def _shown(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Without held ones: a probe that fails is shown publicly, with the response that it was made from."""
    return [one for one in judgements if one.case.origin is not Origin.HELD]


def _slices(probed: Sequence[Judgement], measured: Sequence[Judgement], declared: Declared) -> dict[str, Measurement]:
    slices = evaluation.origin_slice(probed, declared) | evaluation.measure_slices(measured, declared)
    return dict(sorted(slices.items()))


def _parts(counted: Sequence[Judgement], probing: Probing, declared: Declared) -> list[Part]:
    """Parts that may be certainly worse than the whole: every origin, tag, cluster, and families of certain probes."""
    families: dict[str, list[tuple[Probe, Judgement]]] = {}
    certain = {family.name for family in FAMILIES}
    for probe, judgement in zip(probing.generated, probing.judged, strict=True):
        if probe.family in certain:
            families.setdefault(f"probe:{probe.part or probe.family}", []).append((probe, judgement))
    found = {name: measure(outcomes_of(pairs, declared, is_cut=probing.is_cut)) for name, pairs in families.items()}
    return parts_of(evaluation.measure_parts(evaluation.confirmed(counted), declared) | found)


_SOURCES = {
    leak_unwrapped.FAMILY.name: "suites, without the adapter's form",
    leak_same_mistake.FAMILY.name: "suites' mistakes, made on the package's own tasks",
}
"""Families that are sources of their own: only audits write an adapter's form, and nobody trains on suites' tasks."""


def _leak_evidence(probing: Probing, declared: Declared) -> list[Seen]:
    """Outcomes of the probes that count in the grade like another suite's cases.

    What the audit had no time for is left out: it is no fault of the verifier.
    """
    return [
        Seen(judgement.overall(declared), Origin.SUITE, suite=_SOURCES[probe.family])
        for probe, judgement in zip(probing.generated, probing.judged, strict=True)
        if probe.family in _SOURCES and not (probing.is_cut and is_late(judgement.verdict))
    ]


def runner_version() -> str:
    """``verihub 0.1.0``: what ran the audit."""
    try:
        return f"verihub {version('verihub')}"
    except PackageNotFoundError:
        return "verihub (not installed)"


async def generated_cases(sandbox: Judge, source: Source) -> list[AuditCase]:
    """The labelled cases of the manifest's case generators.

    If one fails, there is no audit, and its author must fix it.
    """
    cases: list[AuditCase] = []
    for entry in source.manifest.case_generators:
        try:
            rows = await sandbox.generate(source, entry, split="audit", count=_GENERATED_CASES)
            cases += [made_row(AuditCase, row, index).as_authors for index, row in enumerate(rows)]
        except (GuestFaultError, ValueError) as error:
            raise CaseError(f"audit = {entry} made no cases: {error}") from None
    return cases


async def _authors_probes(
    sandbox: Judge, source: Source, tasks: Mapping[str, dict[str, Any]]
) -> tuple[list[Probe], dict[str, ProbeOutcome]]:
    """The cases of the package's own probe generator. If it fails, it is shown as a family that was not judged."""
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


def _probe_outcomes(probing: Probing, source: Source) -> dict[str, ProbeOutcome]:
    """Family -> how many cases, wrong verdicts and unjudged ones, in the registry's order."""
    rules = {family.name: family.rule for family in FAMILIES}
    counted: dict[str, list[tuple[AuditCase, Outcome]]] = {}
    judged: dict[str, list[Judgement]] = {}
    for probe, judgement in zip(probing.generated, probing.judged, strict=True):
        outcome = judgement.overall(source.manifest.rewards)
        counted.setdefault(probe.family, []).append((probe.case, outcome))
        judged.setdefault(probe.family, []).append(judgement)
    return {
        family: ProbeOutcome(
            cases=len(pairs),
            failures=sum(outcome.is_wrong for _, outcome in pairs),
            unscored=sum(o.accepted is None for _, o in pairs),
            expects=_expects([case for case, _ in pairs]),
            rule=rules.get(family, "registered by the author"),
            raised=sum(is_raise(one) for one in judged[family]),
            mean_reward=evaluation.mean_share(judged[family], source.manifest.rewards),
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
    return Latency(**{name: percentile(milliseconds, share) for name, share in shares.items()})

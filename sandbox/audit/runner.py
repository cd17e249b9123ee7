"""The audit: labelled cases and probes through the sandbox, one report out."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

from sandbox.audit import evaluation, statistics
from sandbox.audit.cases import call_of, suite_digest, task_of
from sandbox.audit.evaluation import Judgement
from sandbox.audit.generating import Probe, authors_probe, generate, material_from
from sandbox.audit.probes.registry import FAMILIES, select
from sandbox.errors import GuestFaultError
from sandbox.interface import Call, Source
from schemas.audit import AuditCase, AuditReport, Determinism, Failure, Label, Latency, ProbeOutcome
from schemas.manifest import Isolation
from schemas.verdict import Verdict

Progress = Callable[[int, int], None]
PROBE_SEED = 20_261_116
"""Fixed, so that two audits of the same release with the same suite ask the same questions."""
_AUTHORS_PROBES = 200


class JudgedCall(Protocol):
    """A verdict and the milliseconds that the package's code took for it."""

    @property
    def id(self) -> str: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def milliseconds(self) -> float: ...


class Judge(Protocol):
    """What an audit needs of :class:`sandbox.running.Sandbox`."""

    def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[JudgedCall]: ...

    async def image_digest(self, source: Source) -> str: ...

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]: ...


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
    Apart from latencies and times the report depends on release, suite, image and runner version only.
    """
    families = select(source.manifest.probes) if probes else []
    declared = source.manifest.rewards
    run = _Run(sandbox, source, isolation, progress or (lambda _done, _total: None))
    judgements, flips = await run.cases(cases, tasks, repeats)
    generated: list[Probe] = []
    if probes:
        generated = generate(families, material_from(judgements, tasks, declared), PROBE_SEED)
        generated += await run.authors_probes(tasks)
    probed, _ = await run.cases([probe.case for probe in generated], tasks, 1)
    overall = evaluation.measure_overall(judgements, declared)
    slices = evaluation.measure_slices(judgements, declared) | evaluation.origin_slice(probed, declared)
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
        probes=_probe_outcomes(generated, probed, source),
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


@dataclass
class _Run:
    """Calls sent so far, and the milliseconds they took."""

    sandbox: Judge
    source: Source
    isolation: Isolation | None
    progress: Progress
    milliseconds: list[float] = field(default_factory=list)
    done: int = 0
    total: int = 0

    async def cases(
        self, cases: Sequence[AuditCase], tasks: Mapping[str, dict[str, Any]], repeats: int
    ) -> tuple[list[Judgement], int]:
        """Judge every case ``repeats`` times: the judgements in order, and how many cases changed their vector."""
        found = [task_of(case, tasks) for case in cases]
        calls = [
            call_of(case, task, f"{index}/{repeat}")
            for repeat in range(repeats)
            for index, (case, task) in enumerate(zip(cases, found, strict=True))
            if task is not None
        ]
        verdicts = await self._verdicts(calls)
        judgements = [
            Judgement(case, task, verdicts.get(f"{index}/0"))
            for index, (case, task) in enumerate(zip(cases, found, strict=True))
        ]
        flips = sum(
            _flipped([verdicts.get(f"{index}/{repeat}") for repeat in range(repeats)]) for index in range(len(cases))
        )
        return judgements, flips

    async def authors_probes(self, tasks: Mapping[str, dict[str, Any]]) -> list[Probe]:
        """What the package's own generator registers. One that fails brings no probe: its cases would prove nothing."""
        entry = self.source.manifest.probes.register_
        if entry is None:
            return []
        try:
            rows = await self.sandbox.generate(self.source, entry, split="probe", count=_AUTHORS_PROBES)
        except GuestFaultError:
            return []
        probes = []
        for index, row in enumerate(rows):
            try:
                probe = authors_probe(row, index)
            except ValueError:
                continue
            if task_of(probe.case, tasks) is not None:
                probes.append(probe)
        return probes

    async def _verdicts(self, calls: list[Call]) -> dict[str, Verdict]:
        self.total += len(calls)
        verdicts: dict[str, Verdict] = {}
        if not calls:
            return verdicts
        async with aclosing(self.sandbox.judge(self.source, calls, isolation=self.isolation)) as stream:  # type: ignore[type-var]
            async for judged in stream:
                verdicts[judged.id] = judged.verdict
                if judged.milliseconds > 0:
                    self.milliseconds.append(judged.milliseconds)
                self.done += 1
                self.progress(self.done, self.total)
        return verdicts


def _flipped(verdicts: Sequence[Verdict | None]) -> bool:
    """Whether the vector was not the same each time. A fault of our own says nothing about the package."""
    vectors = [verdict.rewards for verdict in verdicts if verdict is not None and not evaluation.is_host_fault(verdict)]
    return any(vector != vectors[0] for vector in vectors[1:])


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

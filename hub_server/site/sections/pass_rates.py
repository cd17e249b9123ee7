"""Rows of pass rates: observed, and corrected by the audit of the release that gave the verdicts."""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from hub_server.catalog import actions as catalog
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.drawing.bench_scores import score_calliper
from schemas.measures.corrected import CorrectedRate, Observed, TrustLevel, correct, observed_interval
from schemas.measures.intervals import Interval
from schemas.package import AuditSummary
from schemas.run import Run, RunOutcome

Audited = tuple[str, AuditSummary] | None
"""``owner/name@version`` of the audit that applies to a release's verdicts, and the audit."""


@dataclass(frozen=True)
class PassRateRow:
    """A pass rate of an evaluation, observed and corrected, with the audit that it is corrected by."""

    run: Run
    outcome: RunOutcome
    observed: Interval
    corrected: CorrectedRate
    trust_level: TrustLevel
    grade: str
    audited: str
    drawing: Markup


def pass_rate_rows(work: UnitOfWork, outcomes: Iterable[tuple[Run, RunOutcome]]) -> list[PassRateRow]:
    """A row for each outcome that has a pass rate. Each release's audit is looked up once."""
    known: dict[tuple[str, str, str], Audited] = {}
    rows = []
    for run, outcome in outcomes:
        if outcome.pass_rate is None:
            continue
        at = (outcome.environment, outcome.version, outcome.digest)
        if at not in known:
            known[at] = _audit_of(work, outcome)
        rows.append(_row(run, outcome, outcome.pass_rate, known[at]))
    return rows


def _audit_of(work: UnitOfWork, outcome: RunOutcome) -> Audited:
    """The audit of the release with the same digest; without one a rate is not corrected."""
    release = catalog.find_release(work, outcome.environment, outcome.version)
    is_same = release is not None and outcome.digest in ("", release.digest)
    return catalog.find_judging_audit(work, release) if release is not None and is_same else None


def _row(run: Run, outcome: RunOutcome, pass_rate: float, audit: Audited) -> PassRateRow:
    observed = Observed(pass_rate, max(min(outcome.tries, outcome.attempts), 1.0))
    found = correct(observed, audit[1].graded if audit else None)
    corrected = CorrectedRate(reason=found) if isinstance(found, str) else CorrectedRate(estimate=found.interval)
    interval = observed_interval(observed)
    return PassRateRow(
        run=run,
        outcome=outcome,
        observed=interval,
        corrected=corrected,
        trust_level=TrustLevel.of(audit[1].grade if audit else None),
        grade=audit[1].grade.value if audit else "U",
        audited=audit[0] if audit else "",
        drawing=score_calliper(interval, corrected),
    )

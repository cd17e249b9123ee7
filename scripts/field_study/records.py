"""One record for each verifier and family: what the page is made from. Kept as sorted JSON lines."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from schemas.evidence.audit import AuditReport
from schemas.evidence.cases import Label
from schemas.evidence.rates import Measurement, Rate
from scripts.field_study.subjects import Verifier

PLACE = Path(__file__).with_name("results.jsonl")
MOST_FORMS = 4
Record = dict[str, Any]


def record_of(verifier: Verifier, family: str, report: AuditReport, *, left_out: Mapping[Label, int]) -> Record:
    """What was measured. ``left_out``: answers of each label that are not in the form which the verifier reads.

    Rates are [value, low, high, clusters], the interval 95 %; value None without a case.
    """
    found = report.overall
    raised = report.unscored_reasons.get("verifier_failed", 0)
    late = report.unscored_reasons.get("timeout", 0)
    return {
        "verifier": verifier.name,
        "family": family,
        "package": verifier.package.name,
        "version": verifier.package.version,
        "right": found.tp + found.fn,
        "wrong": found.tn + found.fp,
        "fp": found.fp,
        "fn": found.fn,
        "fpr": _rate(found.fpr, found.fp + found.tn),
        "fnr": _rate(found.fnr, found.fn + found.tp),
        "raised": raised,
        "late": late,
        "null": found.unscored - raised - late,
        "no_verdict": _escapes(report, reads_all=not verifier.wants),
        "left_out_right": left_out[Label.CORRECT],
        "left_out_wrong": left_out[Label.INCORRECT],
        "worst_fp": _worst(report.slices, "fp", "tn"),
        "worst_fn": _worst(report.slices, "fn", "tp"),
        "probes": _probes(report),
        "suite": short_digest(report.suite_digest),
        "measured": report.audited_at.date().isoformat() if report.audited_at else "",
    }


def _escapes(report: AuditReport, *, reads_all: bool) -> list[int]:
    """[not judged, tries] of the one response that most surely gets no verdict; empty where none was searched.

    Where a verifier reads one form only, what stands in no form has no verdict by our rule: its raises alone count.
    """
    found = report.exploits.get("no_verdict")
    if found is None:
        return []
    return [found.unscored if reads_all else found.raised, found.tries]


def merge(kept: Iterable[Record], new: Iterable[Record], known: Iterable[tuple[str, str]]) -> list[Record]:
    """The new records in place of the kept ones; those of verifiers or families that are no subject any more go."""
    names = set(known)
    found = {(one["verifier"], one["family"]): one for one in [*kept, *new]}
    return [found[key] for key in sorted(found) if key in names]


def measured_since(kept: Iterable[Record], day: str) -> set[tuple[str, str]]:
    """Verifier and family of every record of this day (``2026-11-26``) or later; of all where it is empty."""
    return {(one["verifier"], one["family"]) for one in kept if one["measured"] >= day}


def read(place: Path = PLACE) -> list[Record]:
    """The records of a file; none where there is no file."""
    if not place.is_file():
        return []
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]


def write(records: Iterable[Record], place: Path = PLACE) -> None:
    """One line a record."""
    lines = [json.dumps(one, ensure_ascii=False) for one in records]
    place.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def short_digest(digest: str) -> str:
    """As many letters of a digest as a record keeps."""
    return digest.removeprefix("sha256:")[:12]


def _rate(rate: Rate, cases: int) -> list[float | int | None]:
    clusters = rate.clusters if rate.clusters is not None else cases
    return [None if rate.value is None else round(rate.value, 4), round(rate.low, 4), round(rate.high, 4), clusters]


def _worst(slices: dict[str, Measurement], error: str, other: str) -> list[list[Any]]:
    """[form, errors, cases] of the forms with the most errors."""
    counts = [
        [name.partition(":")[2], getattr(one, error), getattr(one, error) + getattr(one, other)]
        for name, one in slices.items()
        if name.startswith("tag:") and getattr(one, error)
    ]
    return sorted(counts, key=lambda one: (-one[1] / one[2], -one[1], one[0]))[:MOST_FORMS]


def _probes(report: AuditReport) -> dict[str, list[int]]:
    """Family -> [wrong verdicts, raises, verdicts and raises], where there is a wrong verdict or a raise.

    A probe in a form that the verifier does not read has neither.
    """
    return {
        name: [one.failures, one.raised, one.cases - one.unscored + one.raised]
        for name, one in sorted(report.probes.items())
        if one.failures or one.raised
    }

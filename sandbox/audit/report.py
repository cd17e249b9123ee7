"""A report as a record: its reproducible bytes and its digest."""

from typing import Any

from schemas.evidence.audit import AuditReport
from schemas.names import digest_of
from schemas.task import canonical_json

_NOT_REPRODUCIBLE = frozenset({"latency_ms", "audited_at", "signature", "asked_model"})


def report_data(report: AuditReport) -> dict[str, Any]:
    """The report as JSON data without default values. So a field that is added later changes no digest or signature."""
    data = report.model_dump(mode="json", exclude_defaults=True)
    fields = AuditReport.model_fields
    return {name: value for name, value in data.items() if value != fields[name].get_default(call_default_factory=True)}


def reproducible_bytes(report: AuditReport) -> bytes:
    """Canonical JSON without latencies, time and signature: the same release, cases and image give the same bytes."""
    data = report_data(report)
    return canonical_json({name: value for name, value in data.items() if name not in _NOT_REPRODUCIBLE})


def report_digest(report: AuditReport) -> str:
    """``sha256:…`` of :func:`reproducible_bytes`: the name of what was measured."""
    return digest_of(reproducible_bytes(report))

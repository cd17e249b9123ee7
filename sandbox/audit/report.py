"""A report as a record: its reproducible bytes and its digest."""

from schemas.audit import AuditReport
from schemas.names import digest_of
from schemas.task import canonical_json

_NOT_REPRODUCIBLE = frozenset({"latency_ms", "audited_at", "signature"})


def reproducible_bytes(report: AuditReport) -> bytes:
    """Canonical JSON without latencies, time and signature: the same release, suite and image give the same bytes."""
    return canonical_json(report.model_dump(mode="json", exclude=set(_NOT_REPRODUCIBLE)))


def report_digest(report: AuditReport) -> str:
    """``sha256:…`` of :func:`reproducible_bytes`: the name of what was measured."""
    return digest_of(reproducible_bytes(report))

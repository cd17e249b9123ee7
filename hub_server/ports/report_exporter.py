"""Exports a report in other formats."""

from typing import Any, Protocol

from schemas.evidence.audit import AuditReport
from schemas.manifest import Manifest


class ReportExporter(Protocol):
    """Renders reports. Pure: the same report gives the same bytes."""

    def badge(self, report: AuditReport | None) -> str:
        """An SVG with the grade and both upper bounds. None: the verifier is unmeasured."""
        ...

    def data(self, report: AuditReport) -> dict[str, Any]:
        """The report as the JSON that was signed."""
        ...

    def openenv(self, report: AuditReport, manifest: Manifest | None) -> dict[str, Any]:
        """An OpenEnv validation report (RFC 008)."""
        ...

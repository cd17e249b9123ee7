"""Exports a report in other formats."""

from typing import Any, Protocol

from schemas.audit import AuditReport
from schemas.manifest import Manifest


class ReportExporter(Protocol):
    """Renders reports. Pure: the same report gives the same bytes."""

    def badge(self, report: AuditReport | None) -> str:
        """An SVG that says the grade and both upper ends; None says that nobody measured it."""
        ...

    def data(self, report: AuditReport) -> dict[str, Any]:
        """The report as the JSON that its signature is over."""
        ...

    def openenv(self, report: AuditReport, manifest: Manifest | None) -> dict[str, Any]:
        """An OpenEnv validation report (RFC 008)."""
        ...

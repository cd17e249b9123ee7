"""The sandbox's renderings of a report, behind the hub's port."""

from typing import Any

from sandbox.audit.badge import render_badge, render_unmeasured_badge
from sandbox.audit.openenv_report import openenv_report
from sandbox.audit.report import report_data
from schemas.evidence.audit import AuditReport
from schemas.manifest import Manifest


class SandboxExporter:
    """Badge and OpenEnv report as :mod:`sandbox.audit` draws them."""

    def badge(self, report: AuditReport | None) -> str:
        return render_badge(report) if report is not None else render_unmeasured_badge()

    def data(self, report: AuditReport) -> dict[str, Any]:
        return report_data(report)

    def openenv(self, report: AuditReport, manifest: Manifest | None) -> dict[str, Any]:
        return openenv_report(report, manifest)

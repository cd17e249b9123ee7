"""A report as a file: signed JSON, Markdown, OpenEnv's shape, a badge; by audit, or the newest of a release."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

import json
from typing import Any

from fastapi import APIRouter, Response

from hub_server.audits import actions
from hub_server.audits.errors import AuditNotFoundError
from hub_server.catalog import actions as catalog
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.drawing.numbers import day
from hub_server.site.pages.audit.report_context import audit_lead, report_context
from hub_server.site.rendering.templates import render_text
from hub_server.site.sections.addresses import PackageAt, ReleaseAt
from hub_server.web.dependencies import ReadTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.evidence.audit import AuditRecord, AuditReport

router = APIRouter(tags=["audits"], responses=PROBLEMS)
_BADGE_SECONDS = 300  # chosen: so long a README elsewhere may show a grade that has changed


@router.get("/api/v1/audits/{audit_id}/report.json", summary="The report as it was signed", response_class=Response)
def signed_report(work: ReadTransaction, audit_id: str) -> Response:
    return _json(work.services.exporter.data(_done(actions.get_audit(work, audit_id))[1]))


@router.get("/api/v1/audits/{audit_id}/openenv.json", summary="The report in OpenEnv's shape", response_class=Response)
def openenv_report(work: ReadTransaction, audit_id: str) -> Response:
    record, report = _done(actions.get_audit(work, audit_id))
    release = catalog.find_release(work, record.package, record.version)
    return _json(work.services.exporter.openenv(report, release.manifest if release is not None else None))


@router.get("/api/v1/audits/{audit_id}/report.md", summary="The report as Markdown", response_class=Response)
def markdown_report(work: ReadTransaction, audit_id: str) -> Response:
    record, report = _done(actions.get_audit(work, audit_id))
    rewards = execution.declared_rewards(work, record.package, record.version)
    context = report_context(report, rewards, 0.0, all_failures=False)
    context["lead"] = audit_lead(report, day(report.audited_at) if report.audited_at else "")
    context["record"] = record
    text = render_text("audit/report.md", context)
    return Response(text, media_type="text/markdown; charset=utf-8", headers={"Cache-Control": "no-cache"})


@router.get("/api/v1/audits/{audit_id}/badge.svg", summary="The grade as a badge", response_class=Response)
def badge(work: ReadTransaction, audit_id: str) -> Response:
    return _svg(work, _done(actions.get_audit(work, audit_id))[1])


@router.get("/packages/{owner}/{name}/badge.svg", summary="The latest release's badge", response_class=Response)
def package_badge(work: ReadTransaction, at: PackageAt) -> Response:
    """For a README: it follows the latest release, and says so where nothing is measured."""
    return _release_badge(work, at.package, catalog.get_package_row(work, at.package).latest_version)


@router.get(
    "/packages/{owner}/{name}/releases/{version}/badge.svg", summary="A release's badge", response_class=Response
)
def release_badge(work: ReadTransaction, at: ReleaseAt) -> Response:
    return _release_badge(work, at.package, at.version)


@router.get("/packages/{owner}/{name}/releases/{version}/audits/{audit_id}.md", include_in_schema=False)
def audit_as_markdown(work: ReadTransaction, at: ReleaseAt, audit_id: str) -> Response:
    """The address that older links carry."""
    return markdown_report(work, actions.get_audit_of(work, at.package, at.version, audit_id).id)


def _release_badge(work: UnitOfWork, package: str, version: str | None) -> Response:
    record = actions.find_latest_audit(work, package, version) if version is not None else None
    return _svg(work, record.report if record is not None else None)


def _done(record: AuditRecord) -> tuple[AuditRecord, AuditReport]:
    if record.report is None:
        raise AuditNotFoundError(f"Audit {record.id} of {record.package} is not done, so there is no report.")
    return record, record.report


def _json(data: dict[str, Any]) -> Response:
    text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return Response(text, media_type="application/json", headers={"Cache-Control": "no-cache"})


def _svg(work: UnitOfWork, report: AuditReport | None) -> Response:
    headers = {"Cache-Control": f"public, max-age={_BADGE_SECONDS}"}
    return Response(work.services.exporter.badge(report), media_type="image/svg+xml", headers=headers)

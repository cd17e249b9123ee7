"""A release's audit: the whole report, how far the measurement is, or why there is none."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.audits import actions
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.drawing.numbers import day
from hub_server.site.pages.audit.report_context import audit_lead, report_context, unjudged_share
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, ReleaseAt
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.evidence.audit import AuditRecord
from schemas.evidence.counter_examples import CaseState

router = APIRouter(include_in_schema=False)

OPEN_STATES = (CaseState.REPRODUCED, CaseState.OPEN)
FIRST_CASES = 3


@router.get("/packages/{owner}/{name}/releases/{version}/audit")
def audit_page(request: Request, work: ReadTransaction, at: ReleaseAt, failures: str = "") -> HTMLResponse:
    """The newest audit of a release, whole; or how far it is; or why there is none."""
    head = head_of(work, at, "Audit")
    history = actions.list_audits(work, head.detail.card.id, head.release.version, limit=20).items
    newest = history[0] if history else None
    done = next((record for record in history if record.report is not None), None)
    return _show_audit(request, work, head, newest, done, history, all_failures=failures == "all")


@router.get("/packages/{owner}/{name}/releases/{version}/audits/{audit_id}")
def one_audit_page(
    request: Request, work: ReadTransaction, at: ReleaseAt, audit_id: str, failures: str = ""
) -> HTMLResponse:
    """An earlier audit, as it was."""
    head = head_of(work, at, "Audit")
    record = actions.get_audit_of(work, head.detail.card.id, head.release.version, audit_id)
    history = actions.list_audits(work, head.detail.card.id, head.release.version, limit=20).items
    done = record if record.report is not None else None
    return _show_audit(request, work, head, record, done, history, all_failures=failures == "all")


@router.post("/packages/{owner}/{name}/releases/{version}/audits")
def measure_again(work: WriteTransaction, at: ReleaseAt) -> Response:
    """Ask for a fresh measurement; one that waits or runs already is not doubled."""
    record = actions.request_audit(work, at.package, at.version)
    return RedirectResponse(f"/packages/{at.package}/releases/{record.version}/audit", status_code=303)


def _show_audit(
    request: Request,
    work: UnitOfWork,
    head: PackageHead,
    newest: AuditRecord | None,
    done: AuditRecord | None,
    history: list[AuditRecord],
    *,
    all_failures: bool,
) -> HTMLResponse:
    package, release = head.detail.card.id, head.release
    rewards = execution.declared_rewards(work, package, release.version)
    context = head.context()
    context["heading_of"] = f"Audit of {release.version}"
    context["title"] = f"Audit of {package} {release.version}"
    report = done.report if done else None
    twin = f"{API}{head.release_url}/audits"
    if done is not None and report is not None:
        twin = f"{API}/audits/{done.id}"
        limit_ms = release.manifest.sandbox.timeout_seconds * 1000
        context |= report_context(report, rewards, limit_ms, all_failures=all_failures)
        context["lead"] = audit_lead(report, day(report.audited_at) if report.audited_at else "")
        context["audit_facts"] = {
            "report": report,
            "json": twin,
            "markdown": f"{twin}/report.md",
            "unjudged": unjudged_share(report),
        }
        context["done"] = done
        context["files_url"] = twin
        context["signature"] = actions.check_report(work, report)
    else:
        context |= {"report": None, "audit_facts": None}
        context["lead"] = "What its verifier gets right and wrong, on labelled cases."
    return render(
        request,
        work,
        "audit/audit_page.html",
        **context,
        json_url=twin,
        record=newest,
        history=history,
        **_open_cases(work, package),
        neighbours=actions.list_neighbours(work, package, head.release.version).items,
        since=actions.find_flips(work, package, head.release.version),
        agreement=actions.get_agreement(work, package),
        open_questions=(waiting := actions.count_open_questions(work, package)),
        left_out=actions.left_out_of_package(work, package),
        is_queue_full=waiting >= work.services.settings.labels.open_questions,
    )


def _open_cases(work: UnitOfWork, package: str) -> dict[str, Any]:
    """Counter-examples that no release has mended: the first ones, and how many there are."""
    counts = actions.count_cases(work, package)
    total = sum(counts.get(state, 0) for state in OPEN_STATES)
    there = (state for state in OPEN_STATES if counts.get(state))
    first = [
        case for state in there for case in actions.list_cases(work, package, state=state, limit=FIRST_CASES).items
    ]
    return {"open_cases": first[:FIRST_CASES], "open_case_count": total}

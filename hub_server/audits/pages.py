"""Pages about measurements: home, the front page of a package, its audit, its counter-examples."""

# ruff: noqa: FAST003 -- the address classes of catalog.addresses take the path's parts

import json
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.audits import actions
from hub_server.audits.errors import AuditNotFoundError
from hub_server.audits.presenting import audit_lead, report_context, reward_rows, unjudged_share
from hub_server.caller import Credentials
from hub_server.catalog import actions as catalog
from hub_server.catalog.addresses import PackageAt, ReleaseAddress, ReleaseAt
from hub_server.catalog.pages import API, head_of
from hub_server.catalog.presenting import PackageHead, plate_sentences
from hub_server.catalog.rules import SearchRequest
from hub_server.drawing.numbers import day
from hub_server.errors import HubServerError
from hub_server.execution import actions as execution
from hub_server.parts import Parts
from hub_server.web.dependencies import CredentialsDep, PartsDep, ReadWork, authenticated
from hub_server.web.markdown import render_markdown
from hub_server.web.rendering import render, render_text
from hub_server.work import Work
from schemas.audit import AuditCase, AuditRecord, CaseState, CounterExample, Label, Origin
from schemas.package import PackageCard

router = APIRouter(include_in_schema=False)
RECENT = 6
OPEN_STATES = (CaseState.OPEN, CaseState.CONFIRMED)


@router.get("/")
def home_page(request: Request, work: ReadWork) -> HTMLResponse:
    """What the hub is, in one drawing, and what was measured last."""
    page = catalog.search_packages(work, SearchRequest(sort="updated", limit=40))
    measured = sorted(
        (card for card in page.items if card.audit is not None),
        key=lambda card: card.audit.audited_at if card.audit else card.updated_at,
        reverse=True,
    )
    waiting = [card for card in page.items if card.audit is None]
    recent = (measured + waiting)[:RECENT]
    shown = _telling(measured)
    return render(
        request,
        work,
        "catalog/home.html",
        title="Every verifier, with its error rates",
        description="A hub of environments, tools and verifiers for reinforcement learning, each measured.",
        json_url=f"{API}/packages?sort=updated",
        plate_card=shown,
        plate_words=plate_sentences(shown) if shown else "",
        recent=recent,
        cases=_latest_cases(work, page.items),
        case_rewards={card.id: card.rewards for card in page.items},
        kinds=page.facets.get("kind", {}),
        total=page.total or 0,
    )


def _telling(cards: list[PackageCard]) -> PackageCard | None:
    """The plate shows the package with the most cases: the best evidence there is on this hub."""
    return max(cards, key=lambda card: card.audit.case_count if card.audit else 0, default=None)


def _latest_cases(work: Work, cards: list[PackageCard]) -> list[CounterExample]:
    """The newest three counter-examples of the packages that changed last."""
    found = [case for card in cards[:12] for case in actions.list_cases(work, card.id, limit=3).items]
    return sorted(found, key=lambda case: case.submitted_at, reverse=True)[:3]


@router.get("/packages/{owner}/{name}")
def package_page(request: Request, work: ReadWork, at: PackageAt) -> HTMLResponse:
    """A package: its shown release."""
    return _front_page(request, work, head_of(work, at, "Readme"), f"{API}/packages/{at.package}")


@router.get("/packages/{owner}/{name}/releases/{version}")
def release_page(request: Request, work: ReadWork, at: ReleaseAt) -> HTMLResponse:
    """One release."""
    head = head_of(work, at, "Readme")
    return _front_page(request, work, head, API + head.release_url)


def _front_page(request: Request, work: Work, head: PackageHead, json_url: str) -> HTMLResponse:
    package, release = head.detail.card.id, head.release
    summary = head.summary
    record = actions.find_latest_audit(work, package, summary.version) if summary else None
    foreign = release.manifest.foreign_verifier
    rewards = execution.declared_rewards(work, package, release.version)
    readme = catalog.get_readme(work, package, release.version)
    return render(
        request,
        work,
        "catalog/package.html",
        **head.context(),
        json_url=json_url,
        readme=render_markdown(readme, link_base=f"{head.release_url}/code", drop_title=package) if readme else "",
        audit=record.report if record else None,
        reward_rows=reward_rows(record.report, rewards) if record and record.report else [],
        file_count=len(catalog.list_files(work, package, release.version)),
        foreign_id=foreign.package if foreign else "",
        rewards=rewards,
    )


@router.get("/packages/{owner}/{name}/releases/{version}/audit")
def audit_page(request: Request, work: ReadWork, at: ReleaseAt, failures: str = "") -> HTMLResponse:
    """The newest audit of a release, whole; or how far it is; or why there is none."""
    head = head_of(work, at, "Audit")
    history = actions.list_audits(work, head.detail.card.id, head.release.version, limit=20).items
    newest = history[0] if history else None
    done = next((record for record in history if record.report is not None), None)
    return _show_audit(request, work, head, newest, done, history, all_failures=failures == "all")


@router.get("/packages/{owner}/{name}/releases/{version}/audits/{audit_id}.md")
def audit_as_markdown(work: ReadWork, at: ReleaseAt, audit_id: str) -> Response:
    """A report to be pasted into an issue or a pull request."""
    record = actions.get_audit(work, audit_id)
    if record.report is None:
        raise AuditNotFoundError(f"Audit {audit_id} of {at.package} is not done, so there is no report.")
    report = record.report
    rewards = execution.declared_rewards(work, at.package, at.version)
    context = report_context(report, rewards, 0.0, all_failures=False)
    context["lead"] = audit_lead(report, day(report.audited_at) if report.audited_at else "")
    text = render_text("audits/report.md", context)
    return Response(text, media_type="text/markdown; charset=utf-8", headers={"Cache-Control": "no-cache"})


@router.get("/packages/{owner}/{name}/releases/{version}/audits/{audit_id}")
def one_audit_page(request: Request, work: ReadWork, at: ReleaseAt, audit_id: str, failures: str = "") -> HTMLResponse:
    """An earlier audit, as it was."""
    head = head_of(work, at, "Audit")
    record = actions.get_audit(work, audit_id)
    history = actions.list_audits(work, head.detail.card.id, head.release.version, limit=20).items
    done = record if record.report is not None else None
    return _show_audit(request, work, head, record, done, history, all_failures=failures == "all")


def _show_audit(
    request: Request,
    work: Work,
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
            "markdown": f"{head.release_url}/audits/{done.id}.md",
            "unjudged": unjudged_share(report),
        }
    else:
        context |= {"report": None, "audit_facts": None}
        context["lead"] = "What its verifier gets right and wrong, on labelled cases."
    return render(
        request,
        work,
        "audits/audit.html",
        **context,
        json_url=twin,
        record=newest,
        history=history,
        open_cases=_open_cases(work, package),
    )


def _open_cases(work: Work, package: str) -> list[CounterExample]:
    """Counter-examples that nobody has answered yet."""
    counts = actions.count_cases(work, package)
    if not any(counts.get(state) for state in OPEN_STATES):
        return []
    return [case for state in OPEN_STATES for case in actions.list_cases(work, package, state=state, limit=10).items]


@router.get("/packages/{owner}/{name}/releases/{version}/cases")
def cases_page(
    request: Request,
    work: ReadWork,
    at: ReleaseAt,
    cursor: str | None = None,
    submitted: str = "",
) -> HTMLResponse:
    """Counter-examples of a package, newest first."""
    head = head_of(work, at, "Audit")
    page = actions.list_cases(work, head.detail.card.id, cursor=cursor)
    url = f"{head.release_url}/cases"
    return render(
        request,
        work,
        "audits/cases.html",
        **{**head.context(), "title": f"Counter-examples of {head.detail.card.id}"},
        json_url=f"{API}{head.base}/cases",
        cases=page,
        rewards=execution.declared_rewards(work, head.detail.card.id, head.release.version),
        submitted=submitted,
        next_url=f"{url}?{urlencode({'cursor': page.next})}" if page.next else None,
    )


class CaseForm(BaseModel):
    """What somebody typed into the form of a counter-example."""

    model_config = ConfigDict(frozen=True)

    task_id: str = ""
    task: str = ""
    response: str = ""
    label: str = ""
    note: str = ""


@router.get("/packages/{owner}/{name}/releases/{version}/cases/new")
def new_case_page(request: Request, work: ReadWork, at: ReleaseAt) -> HTMLResponse:
    """The empty form."""
    return _show_case_form(request, work, head_of(work, at, "Audit"), CaseForm())


@router.post("/packages/{owner}/{name}/releases/{version}/cases/new")
def drafted_case_page(
    request: Request, work: ReadWork, at: ReleaseAt, form: Annotated[CaseForm, Form()]
) -> HTMLResponse:
    """The form with what *This verdict is wrong* knows already; nothing is kept yet."""
    return _show_case_form(request, work, head_of(work, at, "Audit"), form)


@router.post("/packages/{owner}/{name}/releases/{version}/cases")
def submit_case_page(
    request: Request,
    parts: PartsDep,
    credentials: CredentialsDep,
    at: ReleaseAt,
    form: Annotated[CaseForm, Form()],
) -> Response:
    """Submit: run the case, keep it, show it in the list. A refusal comes back with everything that was typed."""
    errors: dict[str, str] = {}
    case = _case_of(form, errors)
    problem, status = "", 422
    if case is not None:
        try:
            kept = _submit(request, parts, credentials, at, case)
            url = f"/packages/{at.package}/releases/{kept.against}/cases"
            return RedirectResponse(f"{url}?submitted={kept.id}#{kept.id}", status_code=303)
        except HubServerError as error:
            problem, status = error.detail, error.status
    with parts.database.reading() as session:
        work = authenticated(Work(session, parts), request, credentials)
        head = head_of(work, at, "Audit")
        return _show_case_form(request, work, head, form, errors=errors, problem=problem, status=status)


def _submit(
    request: Request, parts: Parts, credentials: Credentials, at: ReleaseAddress, case: AuditCase
) -> CounterExample:
    """Check, run, keep. Running stands outside any transaction: it may take seconds."""
    with parts.database.reading() as session:
        work = authenticated(Work(session, parts), request, credentials)
        prepared = actions.prepare_case(work, at.package, at.version, case)
    executed = actions.execute_case(parts, prepared)
    with parts.database.writing() as session:
        return actions.submit_case(authenticated(Work(session, parts), request, credentials), executed)


def _case_of(form: CaseForm, errors: dict[str, str]) -> AuditCase | None:
    """The case that was typed; faults go to ``errors`` under the field's name."""
    task = _task_of(form, errors)
    if not form.response.strip():
        errors["response"] = "Give the response that the verdict is about."
    if form.label not in set(Label):
        errors["label"] = "Say whether this response must be accepted or rejected."
    if errors:
        return None
    try:
        return AuditCase(
            id="submitted",
            task_id=form.task_id.strip() or None,
            task=task,
            response=form.response,
            label=Label(form.label),
            origin=Origin.COMMUNITY,
            note=form.note.strip(),
        )
    except ValidationError as error:
        errors["task"] = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        return None


def _task_of(form: CaseForm, errors: dict[str, str]) -> dict[str, Any] | None:
    if not form.task.strip():
        if not form.task_id.strip():
            errors["task_id"] = "Name a task of this release, or give a whole task below."
        return None
    try:
        task = json.loads(form.task)
    except ValueError as error:
        errors["task"] = f"This is not JSON: {error}."
        return None
    if not isinstance(task, dict) or "prompt" not in task:
        errors["task"] = 'A task is an object with at least a "prompt".'
        return None
    return {"id": "submitted", **task}


def _show_case_form(
    request: Request,
    work: Work,
    head: PackageHead,
    form: CaseForm,
    *,
    errors: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    return render(
        request,
        work,
        "audits/case_form.html",
        **{**head.context(), "title": f"A counter-example for {head.detail.card.id}"},
        status=status,
        json_url=f"{API}{head.base}/cases",
        form=form,
        errors=errors or {},
        problem=problem or ("Some fields are not right yet." if errors else ""),
    )

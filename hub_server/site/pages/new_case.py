"""The form that submits a counter-example."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.audits import actions
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import actions as runs
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, ReleaseAddress, ReleaseAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, send_form, wrong_fields
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.web.admission import runs_code
from hub_server.web.dependencies import ReadTransaction, Transactions, TransactionsDep
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.counter_examples import CounterExample
from schemas.strict_json import parse_json
from schemas.verdict import Verdict

router = APIRouter(include_in_schema=False)


class CaseForm(BaseModel):
    """What somebody typed into the form of a counter-example."""

    model_config = ConfigDict(frozen=True)

    task_id: str = ""
    task: str = ""
    response: str = ""
    label: str = ""
    note: str = ""
    source: str = ""
    """Where it comes from, where that is a run's rollout."""


@router.get("/packages/{owner}/{name}/releases/{version}/cases/new")
def new_case_page(
    request: Request, work: ReadTransaction, at: ReleaseAt, run: str = "", rollout: int | None = None
) -> HTMLResponse:
    """The empty form; ``run`` and ``rollout`` fill it with what a model wrote there."""
    head = head_of(work, at, "Audit")
    form = _form_of_rollout(work, head, run, rollout) if run and rollout is not None else CaseForm()
    return _show_case_form(request, work, head, form)


def _form_of_rollout(work: UnitOfWork, head: PackageHead, run_id: str, number: int) -> CaseForm:
    """The rollout as a case: whoever opens it says that the verdict is wrong, so the label is its opposite."""
    rollout = runs.get_rollout(work, run_id, number)
    rewards = execution.declared_rewards(work, head.detail.card.id, head.release.version)
    accepted = Verdict(rewards=rollout.rewards).accepts(rewards)
    label = {True: Label.INCORRECT, False: Label.CORRECT}.get(accepted) if accepted is not None else None
    return CaseForm(
        task_id=rollout.task_id,
        response=rollout.response,
        label=label.value if label is not None else "",
        source=actions.source_of_rollout(run_id, rollout),
    )


@router.post("/packages/{owner}/{name}/releases/{version}/cases/new")
def drafted_case_page(
    request: Request, work: ReadTransaction, at: ReleaseAt, form: Annotated[CaseForm, Form()]
) -> HTMLResponse:
    """The form with what *This verdict is wrong* knows already; nothing is kept yet."""
    return _show_case_form(request, work, head_of(work, at, "Audit"), form)


@router.post("/packages/{owner}/{name}/releases/{version}/cases")
@runs_code
def submit_case_page(
    request: Request,
    transactions: TransactionsDep,
    at: ReleaseAt,
    form: Annotated[CaseForm, Form()],
) -> Response:
    """Submit: run the case, keep it, show it in the list. A refusal comes back with everything that was typed."""

    def submit() -> Response:
        kept = _submit(transactions, at, _case_of(form))
        url = f"/packages/{at.package}/releases/{kept.against}/cases"
        return RedirectResponse(f"{url}?submitted={kept.id}#{kept.id}", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show_case_form(request, work, head_of(work, at, "Audit"), form, refusal)

    return send_form(submit, show)


def _submit(transactions: Transactions, at: ReleaseAddress, case: AuditCase) -> CounterExample:
    """Check, run, keep. Running stands outside any transaction: it may take seconds."""
    with transactions.reading() as work:
        prepared = actions.prepare_case(work, at.package, at.version, case)
    executed = actions.execute_case(transactions.services, prepared)
    with transactions.writing() as work:
        return actions.submit_case(work, executed)


def _case_of(form: CaseForm) -> AuditCase:
    """The case that was typed. Raises ``InvalidRequestError`` with the fields that cannot be used."""
    errors: dict[str, str] = {}
    task = _task_of(form, errors)
    if not form.response.strip():
        errors["response"] = "Give the response that the verdict is about."
    if form.label not in set(Label):
        errors["label"] = "Say whether this response must be accepted or rejected."
    if errors:
        raise wrong_fields(errors)
    try:
        return AuditCase(
            id="submitted",
            task_id=form.task_id.strip() or None,
            task=task,
            response=form.response,
            label=Label(form.label),
            origin=Origin.COMMUNITY,
            note=form.note.strip(),
            source=form.source.strip()[:200],
            tags=["rollout"] if form.source.startswith("run ") else [],
        )
    except ValidationError as error:
        raise wrong_fields({"task": str(error.errors()[0]["msg"]).removeprefix("Value error, ")}) from None


def _task_of(form: CaseForm, errors: dict[str, str]) -> dict[str, Any] | None:
    if not form.task.strip():
        if not form.task_id.strip():
            errors["task_id"] = "Name a task of this release, or give a whole task below."
        return None
    try:
        task = parse_json(form.task)
    except ValueError as error:
        errors["task"] = f"This is not JSON: {error}."
        return None
    if not isinstance(task, dict) or "prompt" not in task:
        errors["task"] = 'A task is an object with at least a "prompt".'
        return None
    return {"id": "submitted", **task}


def _show_case_form(
    request: Request, work: UnitOfWork, head: PackageHead, form: CaseForm, refusal: FormRefusal = NOT_SENT
) -> HTMLResponse:
    return render(
        request,
        work,
        "new_case.html",
        **{**head.context(), "title": f"A counter-example for {head.detail.card.id}"},
        status=refusal.status,
        json_url=f"{API}{head.base}/cases",
        form=form,
        errors=refusal.errors,
        problem=refusal.problem,
    )

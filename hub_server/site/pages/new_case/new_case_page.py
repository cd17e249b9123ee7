"""The form that submits a counter-example: choose a task, see the verdict, say what it must be."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.audits import actions
from hub_server.catalog import actions as catalog
from hub_server.errors import HubServerError
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import actions as runs
from hub_server.site.pages.new_case.case_form import BELOW, REACHES, CaseForm, can_fail, case_of, judged_rewards
from hub_server.site.pages.try_it.verdict_view import FAULTS, VerdictView, view_of_verdict
from hub_server.site.sections.addresses import API, ReleaseAddress, ReleaseAt
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, send_form
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.site.sections.task_lists import MOST_GENERATED, answer_listing, find_task, list_tasks, render_now
from hub_server.web.admission import runs_code
from hub_server.web.dependencies import Transactions, TransactionsDep
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.counter_examples import CounterExample
from schemas.manifest import RewardDeclaration
from schemas.task import Task
from schemas.verdict import Verdict

router = APIRouter(include_in_schema=False)

OFFERED_TASKS = 6
"""Tasks that are offered at once; more are found by their text."""
Fill = Literal["", "right", "wrong"]
_LABELS = {"right": Label.CORRECT, "wrong": Label.INCORRECT}


@dataclass(frozen=True)
class CasePreview:
    """What the verifier says of a case that nobody has submitted."""

    tried: VerdictView | None
    """None: nothing was judged, for ``reason``."""
    reason: str
    contradicts: bool | None
    """Whether the verdict contradicts the label; None where one of the two is missing."""


@router.get("/packages/{owner}/{name}/releases/{version}/cases/new")
async def new_case_page(  # noqa: PLR0913, PLR0917 -- FastAPI fills them by name
    request: Request,
    transactions: TransactionsDep,
    at: ReleaseAt,
    run: str = "",
    rollout: int | None = None,
    split: str = "",
    task_id: str = "",
    find: Annotated[str, Query(max_length=200)] = "",
    fill: Fill = "",
) -> HTMLResponse:
    """The form; ``run`` and ``rollout`` fill it with what a model wrote there, ``fill`` with a case of the author's."""

    def show() -> HTMLResponse:
        form = CaseForm(split=split, task_id=task_id, find=find)
        with transactions.reading() as work:
            head = head_of(work, at, "Audit")
            if run and rollout is not None:
                form = _form_of_rollout(work, head, run, rollout)
            elif fill:
                form = _form_of_example(work, head, fill, form)
        return _show_case_form(request, transactions, at, form)

    return await answer_listing(request, transactions, at, split, show)


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


def _form_of_example(work: UnitOfWork, head: PackageHead, fill: str, empty: CaseForm) -> CaseForm:
    """A right or wrong response as the author labelled it; the empty form where there is none to show."""
    for example in actions.list_response_examples(work, head.detail.card.id, head.release.version):
        case = example.case
        if case.label is _LABELS[fill]:
            form = CaseForm(
                split=example.split,
                task_id=case.task_id or "",
                task=json.dumps(case.task) if case.task else "",
                response=case.response or "",
                label=case.label,
                note=case.note,
            )
            return form.unpacked()
    return empty


@router.post("/packages/{owner}/{name}/releases/{version}/cases/new")
async def drafted_case_page(
    request: Request, transactions: TransactionsDep, at: ReleaseAt, form: Annotated[CaseForm, Form()]
) -> HTMLResponse:
    """The form with what was typed, after a search for a task or from *This verdict is wrong*; nothing is kept."""
    show = partial(_show_case_form, request, transactions, at, form.unpacked())
    return await answer_listing(request, transactions, at, form.split, show)


@router.post("/packages/{owner}/{name}/releases/{version}/cases/preview")
@runs_code
def preview_case_page(
    request: Request, transactions: TransactionsDep, at: ReleaseAt, form: Annotated[CaseForm, Form()]
) -> Response:
    """Run the case as it was typed, and show the form with the verdict; nothing is kept, and it needs no account."""
    form = form.unpacked()

    def judge() -> Response:
        preview = _preview(transactions, at, form)
        return _show_case_form(request, transactions, at, form, preview=preview)

    return send_form(judge, partial(_show_case_form, request, transactions, at, form))


@router.post("/packages/{owner}/{name}/releases/{version}/cases")
@runs_code
def submit_case_page(
    request: Request,
    transactions: TransactionsDep,
    at: ReleaseAt,
    form: Annotated[CaseForm, Form()],
) -> Response:
    """Submit: run the case, keep it, show it in the list. A refusal comes back with everything that was typed."""
    form = form.unpacked()

    def submit() -> Response:
        kept = _submit(transactions, at, form)
        url = f"/packages/{at.package}/releases/{kept.against}/cases"
        return RedirectResponse(f"{url}?submitted={kept.id}#{kept.id}", status_code=303)

    return send_form(submit, partial(_show_case_form, request, transactions, at, form))


def _preview(transactions: Transactions, at: ReleaseAddress, form: CaseForm) -> CasePreview:
    with transactions.reading() as work:
        declared = execution.declared_rewards(work, at.package, at.version)
        prepared = actions.prepare_preview(work, at.package, at.version, case_of(form, declared, is_draft=True))
    began = time.perf_counter()
    executed = actions.execute_case_soon(transactions.services, prepared)
    milliseconds = (time.perf_counter() - began) * 1000
    if executed.verdict is None:
        return CasePreview(None, executed.reason, None)
    tried = view_of_verdict(executed.verdict, declared, milliseconds)
    return CasePreview(tried, "", actions.contradicts_label(executed) if form.label else None)


def _submit(transactions: Transactions, at: ReleaseAddress, form: CaseForm) -> CounterExample:
    """Check, run, keep. Running stands outside any transaction: it may take seconds."""
    with transactions.reading() as work:
        prepared = actions.prepare_case(work, at.package, at.version, _typed_case(work, at, form))
    executed = actions.execute_case_soon(transactions.services, prepared)
    with transactions.writing() as work:
        return actions.submit_case(work, executed)


def _typed_case(work: UnitOfWork, at: ReleaseAddress, form: CaseForm) -> AuditCase:
    return case_of(form, execution.declared_rewards(work, at.package, at.version))


def _show_case_form(
    request: Request,
    transactions: Transactions,
    at: ReleaseAddress,
    form: CaseForm,
    refusal: FormRefusal = NOT_SENT,
    *,
    preview: CasePreview | None = None,
) -> HTMLResponse:
    with transactions.reading() as work:
        head = head_of(work, at, "Audit")
        package, version = head.detail.card.id, head.release.version
        rewards = execution.declared_rewards(work, package, version)
        examples = actions.list_response_examples(work, package, version)
    offered = _offered_tasks(transactions, head, form)
    context = {
        **head.context(),
        "title": f"A counter-example for {package}",
        "json_url": f"{API}{head.base}/cases",
        "form": form,
        "errors": refusal.errors,
        "problem": refusal.problem,
        **offered,
        "answer_is": form.answer_is or _kind_of_answers(transactions, head, offered["tasks"]),
        "rewards": rewards,
        "sayable": _sayable(rewards),
        "fills": [str(example.case.label) for example in examples],
        "preview": preview,
        "tried": preview.tried if preview is not None else None,
        "fault_titles": FAULTS,
    }
    return render_now(request, transactions, "new_case/new_case_page.html", status=refusal.status, **context)


def _offered_tasks(transactions: Transactions, head: PackageHead, form: CaseForm) -> dict[str, Any]:
    """The tasks that can be chosen: those that were looked for, and above them the one that is chosen already."""
    splits = head.release.task_counts
    split = form.split if form.split in splits else next(iter(splits), "")
    found, problem = (
        list_tasks(
            transactions,
            head,
            split,
            0,
            OFFERED_TASKS + 1,
            find=form.find.strip(),
            reach=MOST_GENERATED if splits[split] is None else None,
        )
        if split
        else ([], None)
    )
    tasks = found[:OFFERED_TASKS]
    if form.task_id and form.task_id not in {task.id for task in tasks}:
        chosen = find_task(transactions, head, form.task_id, None)
        tasks = [chosen, *tasks] if chosen is not None else tasks
    return {
        "splits": list(splits),
        "split": split,
        "tasks": tasks,
        "has_more": len(found) > OFFERED_TASKS,
        "is_listed": form.task_id in {task.id for task in tasks},
        "tasks_problem": problem.detail if problem is not None else "",
    }


def _kind_of_answers(transactions: Transactions, head: PackageHead, tasks: list[Task]) -> str:
    """How the release writes its own answers, as the form begins with: ``text`` or ``json``."""
    if not tasks:
        return "text"
    try:
        with transactions.reading() as work:
            answer = catalog.find_task(work, head.detail.card.id, head.release.version, tasks[0].id).answer
    except HubServerError:
        return "text"
    return "text" if answer is None or isinstance(answer, str) else "json"


def _sayable(declared: Mapping[str, RewardDeclaration]) -> dict[str, list[tuple[str, str]]]:
    """Reward -> what may be said of it, as value and words. With one reward the label says everything."""
    judged = judged_rewards(declared)
    if len(judged) < 2:
        return {}
    return {
        name: [
            ("", "not said"),
            (REACHES, f"at least {reward.threshold:g}"),
            *([(BELOW, f"below {reward.threshold:g}")] if can_fail(reward) else []),
        ]
        for name, reward in judged.items()
    }

"""Try it: judge a response, or play an episode, in the sandbox of this hub."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

import json
import time
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Header, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict

from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.errors import HubServerError, InvalidRequestError
from hub_server.execution import actions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.pages.try_it.episode import EpisodeVisit, take_turn
from hub_server.site.pages.try_it.verdict_view import FAULTS, VerdictView, view_of_verdict
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, ReleaseAt
from hub_server.site.sections.forms import TypedText
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.site.sections.task_lists import answer_listing, find_task, list_tasks, render_now
from hub_server.web.admission import runs_code
from hub_server.web.dependencies import Transactions, TransactionsDep
from hub_server.web.problems import problem_of
from schemas.evidence.cases import Label
from schemas.package import ReleaseState
from schemas.problem import Problem
from schemas.strict_json import parse_json
from schemas.verdict import ScoreRequest

router = APIRouter(include_in_schema=False)

TASKS_TO_TRY = 50  # chosen: a list to pick from; any other task can be pasted

FILLS = {Label.CORRECT: "right", Label.INCORRECT: "wrong"}
"""What an address calls an example with that label."""

MOST_RESPONSE = 200_000  # chosen; the text area takes no more either


class TryForm(BaseModel):
    """What somebody typed into Try it."""

    model_config = ConfigDict(frozen=True)

    split: str = ""
    task_id: str = ""
    task: TypedText = ""
    response: TypedText = ""
    said: str = ""
    message: TypedText = ""
    step: str = ""


@dataclass(frozen=True)
class TryItVisit:
    """One visit to Try it: what was typed, and what came of it."""

    form: TryForm
    errors: dict[str, str] = field(default_factory=dict)
    tried: VerdictView | None = None
    problem: Problem | None = None

    @property
    def status(self) -> int:
        """The answer's status."""
        return 422 if self.errors else self.problem.status if self.problem else 200


@router.get("/packages/{owner}/{name}/releases/{version}/try")
async def try_page(  # noqa: PLR0913, PLR0917 -- FastAPI fills them by name
    request: Request,
    transactions: TransactionsDep,
    at: ReleaseAt,
    split: str = "",
    task_id: str = "",
    task: str = "",
    response: str = "",
    fill: Literal["", "right", "wrong"] = "",
) -> HTMLResponse:
    """The form of Try it; an address may fill it, as the failures of an audit do, or ``fill`` with a labelled case."""

    def show() -> HTMLResponse:
        with transactions.reading() as work:
            head = head_of(work, at, "Try it")
            form = _form_of_example(work, head, fill) if fill else None
        form = form or TryForm(split=split, task_id=task_id, task=task, response=response)
        return _show(request, transactions, head, TryItVisit(form))

    return await answer_listing(request, transactions, at, split, show)


def _form_of_example(work: UnitOfWork, head: PackageHead, fill: str) -> TryForm | None:
    """A response that the author labelled right or wrong; None where there is none to show."""
    for example in audits.list_response_examples(work, head.detail.card.id, head.release.version):
        case = example.case
        if FILLS[case.label] == fill:
            task = json.dumps(case.task, ensure_ascii=False) if case.task else ""
            return TryForm(split=example.split, task_id=case.task_id or "", task=task, response=case.response or "")
    return None


@router.post("/packages/{owner}/{name}/releases/{version}/try")
@runs_code
def judge_page(
    request: Request,
    transactions: TransactionsDep,
    at: ReleaseAt,
    form: Annotated[TryForm, Form()],
    x_fragment: Annotated[str, Header()] = "",
) -> HTMLResponse:
    """Judge what was typed. The page's script asks for the verdict alone; without it the whole page comes back."""
    with transactions.reading() as work:
        head = head_of(work, at, "Try it")
    if head.release.manifest.session is not None:
        return _play(request, transactions, head, form)
    attempt = _attempt(transactions, head, form)
    if x_fragment != "verdict":
        return _show(request, transactions, head, attempt)
    if attempt.errors:
        attempt = replace(attempt, problem=problem_of(InvalidRequestError(" ".join(attempt.errors.values()))))
    with transactions.reading() as work:
        return render(request, work, "try_it/_verdict.html", **_verdict_context(work, head, attempt))


def _play(request: Request, transactions: Transactions, head: PackageHead, form: TryForm) -> HTMLResponse:
    """One turn of an episode."""
    errors: dict[str, str] = {}
    task = _own_task(form.task, errors) or (None if errors else _whole_task(transactions, head, form))
    if errors:
        return _show(request, transactions, head, TryItVisit(form, errors))
    turn = take_turn(transactions, head, task, form.said, form.message, form.step)
    return _show(request, transactions, head, TryItVisit(form, tried=turn.tried, problem=turn.problem), turn)


def _whole_task(transactions: Transactions, head: PackageHead, form: TryForm) -> dict[str, Any] | None:
    """The chosen task with its answer, from a file or made again."""
    made = _generated_task(transactions, head, form)
    if made is not None or not form.task_id:
        return made
    package, version = head.detail.card.id, head.release.version
    try:
        with transactions.reading() as work:
            found = catalog.find_task(work, package, version, form.task_id, form.split or None)
    except HubServerError:
        return None
    return found.model_dump(mode="json")


def _attempt(transactions: Transactions, head: PackageHead, form: TryForm) -> TryItVisit:
    errors: dict[str, str] = {}
    task = _own_task(form.task, errors)
    if len(form.response) > MOST_RESPONSE:
        errors["response"] = f"A response has at most {MOST_RESPONSE:,} characters here: judge it with `verihub score`."
    if errors:
        return TryItVisit(form, errors)
    package, version = head.detail.card.id, head.release.version
    began = time.perf_counter()
    try:
        with transactions.reading() as work:
            target = actions.scoring_target(work, package, version)
            rewards = actions.declared_rewards(work, package, version)
        wanted = ScoreRequest(
            id="try",
            task=task or _generated_task(transactions, head, form),
            task_id=form.task_id or None,
            split=form.split or None,
            response=form.response,
        )
        verdict = actions.judge_one(transactions.services, target, wanted)
    except HubServerError as error:
        return TryItVisit(form, problem=problem_of(error))
    milliseconds = (time.perf_counter() - began) * 1000
    return TryItVisit(form, tried=view_of_verdict(verdict, rewards, milliseconds))


def _own_task(text: str, errors: dict[str, str]) -> dict[str, Any] | None:
    """The task that was typed as JSON, if any; a fault goes to ``errors``."""
    if not text.strip():
        return None
    try:
        task = parse_json(text)
    except ValueError as error:
        errors["task"] = f"The task is not JSON: {error}."
        return None
    if not isinstance(task, dict) or "prompt" not in task:
        errors["task"] = 'A task is an object with at least a "prompt"; most verifiers also need an "answer".'
        return None
    return {"id": "typed", **task}


def _generated_task(transactions: Transactions, head: PackageHead, form: TryForm) -> dict[str, Any] | None:
    """A task of a generated split has no file to be found in: it is generated again, with its answer."""
    if not form.task_id or head.release.task_counts.get(form.split, 0) is not None:
        return None
    package, version = head.detail.card.id, head.release.version
    with transactions.reading() as work:
        stream = actions.task_stream(work, package, version, split=form.split, limit=TASKS_TO_TRY)
    whole = actions.read_tasks(transactions.services, replace(stream, answers=True))
    return next((task.model_dump(mode="json") for task in whole if task.id == form.task_id), None)


def _verdict_context(work: UnitOfWork, head: PackageHead, attempt: TryItVisit) -> dict[str, Any]:
    return {
        "release": head.release,
        "release_url": head.release_url,
        "form": attempt.form,
        "rewards": actions.declared_rewards(work, head.detail.card.id, head.release.version),
        "tried": attempt.tried,
        "problem": attempt.problem,
        "fault_titles": FAULTS,
    }


def _show(
    request: Request,
    transactions: Transactions,
    head: PackageHead,
    attempt: TryItVisit,
    turn: EpisodeVisit | None = None,
) -> HTMLResponse:
    """The page with the form, its tasks and, once judged, the vector; for a session, the conversation."""
    form = attempt.form
    with transactions.reading() as work:
        verdict = _verdict_context(work, head, attempt)
        examples = audits.list_response_examples(work, head.detail.card.id, head.release.version)
    splits = list(head.release.task_counts)
    split = form.split if form.split in splits else next(iter(splits), "")
    tasks, tasks_problem = list_tasks(transactions, head, split, 0, TASKS_TO_TRY) if split else ([], None)
    chosen = next((task for task in tasks if task.id == form.task_id), None)
    if chosen is None and form.task_id and split:
        chosen = find_task(transactions, head, form.task_id, split)
        tasks = [chosen, *tasks] if chosen is not None else tasks
    is_held = head.release.state is ReleaseState.QUARANTINED
    cannot = "" if verdict["rewards"] else "This package judges nothing itself, so there is nothing to try."
    if is_held:
        cannot = "This release is quarantined: nobody can run it while it is looked into."
    context = {
        **head.context(),
        **verdict,
        "title": f"Try {head.detail.card.id}",
        "json_url": f"{API}{head.release_url}",
        "errors": attempt.errors,
        "splits": splits,
        "split": split,
        "tasks": tasks,
        "tasks_problem": tasks_problem.detail if tasks_problem else "",
        "chosen": chosen or (tasks[0] if tasks else None),
        "cannot": cannot,
        "fills": [FILLS[example.case.label] for example in examples],
        "is_session": head.release.manifest.session is not None,
        "turn": turn,
    }
    return render_now(
        request, transactions, "try_it/try_page.html", status=410 if is_held else attempt.status, **context
    )

"""Pages that run a package: its tasks, and Try it."""

# ruff: noqa: FAST003 -- the address classes of catalog.addresses take the path's parts

import json
import time
from dataclasses import dataclass, field, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Header, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict

from hub_server.catalog import actions as catalog
from hub_server.catalog.addresses import ReleaseAt
from hub_server.catalog.pages import API, head_of
from hub_server.catalog.presenting import PackageHead
from hub_server.errors import HubServerError
from hub_server.execution import actions
from hub_server.execution.playing_pages import Turn, take_turn
from hub_server.execution.presenting import FAULTS, Tried, tell_verdict
from hub_server.web.dependencies import ReadWork
from hub_server.web.rendering import problem_of, render
from hub_server.work import Work
from schemas.package import ReleaseState
from schemas.problem import Problem
from schemas.task import Task
from schemas.verdict import ScoreRequest

router = APIRouter(include_in_schema=False)
TASKS_A_PAGE = 25
TASKS_TO_TRY = 50
MOST_GENERATED = 200  # every page of a generated split costs a box: robots shall find an end
MOST_RESPONSE = 200_000


class TryForm(BaseModel):
    """What somebody typed into Try it."""

    model_config = ConfigDict(frozen=True)

    split: str = ""
    task_id: str = ""
    task: str = ""
    response: str = ""
    said: str = ""
    message: str = ""
    wish: str = ""


@router.get("/packages/{owner}/{name}/releases/{version}/tasks")
def tasks_page(request: Request, work: ReadWork, at: ReleaseAt, split: str = "", start: int = 0) -> HTMLResponse:
    """Tasks of one split, as the model sees them."""
    head = head_of(work, at, "Tasks")
    splits = head.release.task_counts
    split = split or next(iter(splits), "")
    is_generated = split in splits and splits[split] is None
    start = min(max(start, 0), MOST_GENERATED - TASKS_A_PAGE) if is_generated else max(start, 0)
    is_last = is_generated and start + TASKS_A_PAGE >= MOST_GENERATED
    tasks, problem = _tasks(work, head, split, start, TASKS_A_PAGE + 1) if split else ([], None)
    url = f"{head.release_url}/tasks"

    def page_at(first: int) -> str:
        return f"{url}?{urlencode({'split': split, 'start': first})}"

    return render(
        request,
        work,
        "catalog/tasks.html",
        **head.context(),
        status=problem.status if problem else 200,
        json_url=f"{API}{url}?{urlencode({'split': split, 'start': start, 'limit': TASKS_A_PAGE})}" if split else None,
        splits=splits,
        split=split,
        start=start,
        tasks=tasks[:TASKS_A_PAGE],
        problem=problem,
        next_url=page_at(start + TASKS_A_PAGE) if len(tasks) > TASKS_A_PAGE and not is_last else None,
        is_endless=is_generated,
        previous_url=page_at(max(0, start - TASKS_A_PAGE)) if start else None,
    )


def _tasks(work: Work, head: PackageHead, split: str, start: int, limit: int) -> tuple[list[Task], Problem | None]:
    """Tasks, or why they cannot be shown now; a page is more than its list."""
    try:
        package, version = head.detail.card.id, head.release.version
        return actions.list_tasks(work, package, version, split=split, start=start, limit=limit), None
    except HubServerError as error:
        return [], problem_of(error)


@dataclass(frozen=True)
class Attempt:
    """One visit to Try it: what was typed, and what came of it."""

    form: TryForm
    errors: dict[str, str] = field(default_factory=dict)
    tried: Tried | None = None
    problem: Problem | None = None

    @property
    def status(self) -> int:
        """The answer's status."""
        return 422 if self.errors else self.problem.status if self.problem else 200


@router.get("/packages/{owner}/{name}/releases/{version}/try")
def try_page(request: Request, work: ReadWork, at: ReleaseAt, split: str = "", task_id: str = "") -> HTMLResponse:
    """The form of Try it."""
    head = head_of(work, at, "Try it")
    return _show(request, work, head, Attempt(TryForm(split=split, task_id=task_id)))


@router.post("/packages/{owner}/{name}/releases/{version}/try")
def judge_page(
    request: Request,
    work: ReadWork,
    at: ReleaseAt,
    form: Annotated[TryForm, Form()],
    x_fragment: Annotated[str, Header()] = "",
) -> HTMLResponse:
    """Judge what was typed. The page's script asks for the verdict alone; without it the whole page comes back."""
    head = head_of(work, at, "Try it")
    if head.release.manifest.session is not None:
        return _play(request, work, head, form)
    attempt = _attempt(work, head, form)
    if x_fragment != "verdict":
        return _show(request, work, head, attempt)
    if attempt.errors:
        fault = Problem(
            title="Not judged", status=422, code="invalid_request", detail=" ".join(attempt.errors.values())
        )
        attempt = replace(attempt, problem=fault)
    return render(request, work, "execution/_verdict.html", **_verdict_context(work, head, attempt))


def _play(request: Request, work: Work, head: PackageHead, form: TryForm) -> HTMLResponse:
    """One turn of an episode."""
    errors: dict[str, str] = {}
    task = _own_task(form.task, errors) or (None if errors else _whole_task(work, head, form))
    if errors:
        return _show(request, work, head, Attempt(form, errors))
    turn = take_turn(work, head, task, form.said, form.message, form.wish)
    return _show(request, work, head, Attempt(form, tried=turn.tried, problem=turn.problem), turn)


def _whole_task(work: Work, head: PackageHead, form: TryForm) -> dict[str, Any] | None:
    """The chosen task with its answer, from a file or made again."""
    made = _generated_task(work, head, form)
    if made is not None or not form.task_id:
        return made
    try:
        found = catalog.find_task(work, head.detail.card.id, head.release.version, form.task_id, form.split or None)
    except HubServerError:
        return None
    return found.model_dump(mode="json")


def _attempt(work: Work, head: PackageHead, form: TryForm) -> Attempt:
    errors: dict[str, str] = {}
    task = _own_task(form.task, errors)
    if errors:
        return Attempt(form, errors)
    package, version = head.detail.card.id, head.release.version
    began = time.perf_counter()
    try:
        wanted = ScoreRequest(
            id="try",
            task=task or _generated_task(work, head, form),
            task_id=form.task_id or None,
            split=form.split or None,
            response=form.response[:MOST_RESPONSE],
        )
        verdict = actions.judge(work, package, version, wanted)
    except HubServerError as error:
        return Attempt(form, problem=problem_of(error))
    milliseconds = (time.perf_counter() - began) * 1000
    rewards = actions.declared_rewards(work, package, version)
    return Attempt(form, tried=tell_verdict(verdict, rewards, milliseconds))


def _own_task(text: str, errors: dict[str, str]) -> dict[str, Any] | None:
    """The task that was typed as JSON, if any; a fault goes to ``errors``."""
    if not text.strip():
        return None
    try:
        task = json.loads(text)
    except ValueError as error:
        errors["task"] = f"The task is not JSON: {error}."
        return None
    if not isinstance(task, dict) or "prompt" not in task:
        errors["task"] = 'A task is an object with at least a "prompt"; most verifiers also need an "answer".'
        return None
    return {"id": "typed", **task}


def _generated_task(work: Work, head: PackageHead, form: TryForm) -> dict[str, Any] | None:
    """A task of a generated split has no file to be found in: it is generated again, with its answer."""
    if not form.task_id or head.release.task_counts.get(form.split, 0) is not None:
        return None
    stream = actions.task_stream(work, head.detail.card.id, head.release.version, split=form.split, limit=TASKS_TO_TRY)
    whole = actions.read_tasks(work.parts, replace(stream, answers=True))
    return next((task.model_dump(mode="json") for task in whole if task.id == form.task_id), None)


def _verdict_context(work: Work, head: PackageHead, attempt: Attempt) -> dict[str, Any]:
    return {
        "release": head.release,
        "release_url": head.release_url,
        "form": attempt.form,
        "rewards": actions.declared_rewards(work, head.detail.card.id, head.release.version),
        "tried": attempt.tried,
        "problem": attempt.problem,
        "fault_titles": FAULTS,
    }


def _show(request: Request, work: Work, head: PackageHead, attempt: Attempt, turn: Turn | None = None) -> HTMLResponse:
    """The page with the form, its tasks and, once judged, the vector; for a session, the conversation."""
    form = attempt.form
    verdict = _verdict_context(work, head, attempt)
    splits = list(head.release.task_counts)
    split = form.split if form.split in splits else next(iter(splits), "")
    tasks, tasks_problem = _tasks(work, head, split, 0, TASKS_TO_TRY) if split else ([], None)
    chosen = next((task for task in tasks if task.id == form.task_id), None)
    if chosen is None and form.task_id and split:
        chosen = _find_task(work, head, form.task_id, split)
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
        "is_session": head.release.manifest.session is not None,
        "turn": turn,
    }
    return render(request, work, "execution/try.html", status=410 if is_held else attempt.status, **context)


def _find_task(work: Work, head: PackageHead, task_id: str, split: str) -> Task | None:
    """A task further down than the list reaches."""
    try:
        return catalog.find_task(work, head.detail.card.id, head.release.version, task_id, split).public()
    except HubServerError:
        return None

"""Tasks of a split for a page: read from a file, or generated in a box."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from hub_server.catalog import actions as catalog
from hub_server.errors import HubServerError
from hub_server.execution import actions
from hub_server.site.rendering.templates import render
from hub_server.site.rendering.texts import prompt_text
from hub_server.site.sections.addresses import ReleaseAddress
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.web.admission import run_code
from hub_server.web.dependencies import Transactions
from hub_server.web.problems import problem_of
from schemas.problem import Problem
from schemas.task import Task

MOST_GENERATED = 200
"""Every look at a generated split opens a box, so there is a last task, also for crawlers."""


async def answer_listing(
    request: Request, transactions: Transactions, at: ReleaseAddress, split: str, show: Callable[[], HTMLResponse]
) -> HTMLResponse:
    """A page that lists tasks: a generated split costs a box, so it needs one of the sender's slots."""

    def is_generated() -> bool:
        with transactions.reading() as work:
            counts = head_of(work, at, "Tasks").release.task_counts
        return counts.get(split or next(iter(counts), ""), 0) is None

    if await run_in_threadpool(is_generated):
        return await run_code(request, show)
    return await run_in_threadpool(show)


def list_tasks(  # noqa: PLR0913 -- what a list is, by keyword
    transactions: Transactions,
    head: PackageHead,
    split: str,
    start: int,
    limit: int,
    *,
    find: str = "",
    reach: int | None = None,
    order: Mapping[str, float] | None = None,
) -> tuple[list[Task], Problem | None]:
    """Tasks, or why they cannot be shown now; a page is more than its list.

    With ``find``, those of the first ``reach`` tasks (None: of all) with that text in their id, a tag or what the
    model reads; ``start`` counts among these. With ``order``, those whose id is in it, the smallest first.
    """
    package, version = head.detail.card.id, head.release.version
    try:
        with transactions.reading() as work:
            first, count = (0, reach) if find or order is not None else (start, limit)
            stream = actions.task_stream(work, package, version, split=split, start=first, limit=count)
        read = actions.read_tasks(transactions.services, stream)
        if not find and order is None:
            return list(read), None
        found = (task for task in read if not find or _holds(task, find))
        if order is None:
            return list(islice(found, start, start + limit)), None
        ordered = sorted((task for task in found if task.id in order), key=lambda task: order[task.id])
        return ordered[start : start + limit], None
    except HubServerError as error:
        return [], problem_of(error)


def _holds(task: Task, text: str) -> bool:
    seen = [task.id, *task.tags, prompt_text(task)]
    return any(text.casefold() in each.casefold() for each in seen)


def render_now(request: Request, transactions: Transactions, template: str, **context: Any) -> HTMLResponse:
    """A page that is rendered in a transaction of its own, after those that made its ``context`` have ended."""
    with transactions.reading() as work:
        return render(request, work, template, **context)


def find_task(transactions: Transactions, head: PackageHead, task_id: str, split: str | None) -> Task | None:
    """A task further down than the list reaches; ``split`` None: of any file."""
    try:
        with transactions.reading() as work:
            return catalog.find_task(work, head.detail.card.id, head.release.version, task_id, split).public()
    except HubServerError:
        return None

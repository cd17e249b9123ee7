"""The tasks of a release, as the model sees them."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from collections.abc import Mapping
from functools import partial
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from hub_server.runs import actions as runs
from hub_server.runs.actions import TaskRate
from hub_server.site.sections.addresses import API, ReleaseAddress, ReleaseAt
from hub_server.site.sections.package_head import head_of
from hub_server.site.sections.task_lists import MOST_GENERATED, answer_listing, list_tasks, render_now
from hub_server.web.dependencies import Transactions, TransactionsDep
from schemas.measures.intervals import rate

router = APIRouter(include_in_schema=False)

TASKS_A_PAGE = 25
ORDERS = {"": "as given", "hardest": "hardest", "easiest": "easiest"}


class TasksForm(BaseModel):
    """What an address of a list of tasks says.

    ``find`` leaves those with that text. ``sort``: ``hardest`` or ``easiest``, by how often models solved them; those
    that nobody tried are left out then.
    """

    model_config = ConfigDict(frozen=True)

    split: str = ""
    start: int = 0
    find: str = Field(default="", max_length=200)
    sort: str = ""

    @property
    def order(self) -> str:
        """``sort``, or nothing where it is no order."""
        return self.sort if self.sort in ORDERS else ""


@router.get("/packages/{owner}/{name}/releases/{version}/tasks")
async def tasks_page(
    request: Request, transactions: TransactionsDep, at: ReleaseAt, asked: Annotated[TasksForm, Query()]
) -> HTMLResponse:
    """Tasks of one split, as the model sees them."""
    show = partial(_show_tasks, request, transactions, at, asked)
    return await answer_listing(request, transactions, at, asked.split, show)


def order_of(rates: Mapping[str, TaskRate], sort: str) -> dict[str, float] | None:
    """Task's id -> its place, for the order that is asked for; None: as the split has them.

    By the middle of the interval, so that one failed attempt does not stand before thirty of forty.
    """
    if not sort:
        return None
    turned = -1.0 if sort == "easiest" else 1.0
    return {task: turned * (found.successes + 2) / (found.attempts + 4) for task, found in rates.items()}


def _show_tasks(request: Request, transactions: Transactions, at: ReleaseAddress, asked: TasksForm) -> HTMLResponse:
    with transactions.reading() as work:
        head = head_of(work, at, "Tasks")
        rates = runs.list_task_rates(work, head.release.package, head.release.version)
    split, start, find = asked.split, asked.start, asked.find.strip()
    splits = head.release.task_counts
    split = split or next(iter(splits), "")
    is_generated = split in splits and splits[split] is None
    start = min(max(start, 0), MOST_GENERATED - TASKS_A_PAGE) if is_generated else max(start, 0)
    is_last = is_generated and start + TASKS_A_PAGE >= MOST_GENERATED
    reach = MOST_GENERATED if is_generated else None
    tasks, problem = (
        list_tasks(
            transactions,
            head,
            split,
            start,
            TASKS_A_PAGE + 1,
            find=find,
            reach=reach,
            order=order_of(rates, asked.order),
        )
        if split
        else ([], None)
    )
    url = f"{head.release_url}/tasks"

    def page_at(first: int, sort: str = asked.order) -> str:
        more = {"find": find, "sort": sort}
        return f"{url}?{urlencode({'split': split, 'start': first} | {k: v for k, v in more.items() if v})}"

    return render_now(
        request,
        transactions,
        "tasks.html",
        **head.context(),
        status=problem.status if problem else 200,
        json_url=f"{API}{url}?{urlencode({'split': split, 'start': start, 'limit': TASKS_A_PAGE})}" if split else None,
        splits=splits,
        split=split,
        start=start,
        find=find,
        sort=asked.order,
        sort_urls=[(word, page_at(0, sort)) for sort, word in ORDERS.items()] if rates else [],
        rates={
            task.id: (rates[task.id], rate(rates[task.id].successes, rates[task.id].attempts))
            for task in tasks
            if task.id in rates
        },
        download=f"verihub tasks {head.detail.card.id}@{head.release.version} --split {split} --output {split}.jsonl",
        tasks=tasks[:TASKS_A_PAGE],
        problem=problem,
        next_url=page_at(start + TASKS_A_PAGE) if len(tasks) > TASKS_A_PAGE and not is_last else None,
        is_endless=is_generated,
        previous_url=page_at(max(0, start - TASKS_A_PAGE)) if start else None,
    )

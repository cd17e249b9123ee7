"""The tasks of a release, as the model sees them."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from functools import partial
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from hub_server.site.sections.addresses import API, ReleaseAddress, ReleaseAt
from hub_server.site.sections.package_head import head_of
from hub_server.site.sections.task_lists import MOST_GENERATED, answer_listing, list_tasks, render_now
from hub_server.web.dependencies import Transactions, TransactionsDep

router = APIRouter(include_in_schema=False)

TASKS_A_PAGE = 25


@router.get("/packages/{owner}/{name}/releases/{version}/tasks")
async def tasks_page(
    request: Request,
    transactions: TransactionsDep,
    at: ReleaseAt,
    split: str = "",
    start: int = 0,
    find: Annotated[str, Query(max_length=200)] = "",
) -> HTMLResponse:
    """Tasks of one split, as the model sees them; ``find`` leaves those with that text."""
    return await answer_listing(
        request, transactions, at, split, partial(_show_tasks, request, transactions, at, split, start, find.strip())
    )


def _show_tasks(
    request: Request, transactions: Transactions, at: ReleaseAddress, split: str, start: int, find: str
) -> HTMLResponse:
    with transactions.reading() as work:
        head = head_of(work, at, "Tasks")
    splits = head.release.task_counts
    split = split or next(iter(splits), "")
    is_generated = split in splits and splits[split] is None
    start = min(max(start, 0), MOST_GENERATED - TASKS_A_PAGE) if is_generated else max(start, 0)
    is_last = is_generated and start + TASKS_A_PAGE >= MOST_GENERATED
    reach = MOST_GENERATED if is_generated else None
    tasks, problem = (
        list_tasks(transactions, head, split, start, TASKS_A_PAGE + 1, find=find, reach=reach) if split else ([], None)
    )
    url = f"{head.release_url}/tasks"

    def page_at(first: int) -> str:
        return f"{url}?{urlencode({'split': split, 'start': first} | ({'find': find} if find else {}))}"

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
        download=f"verihub tasks {head.detail.card.id}@{head.release.version} --split {split} --output {split}.jsonl",
        tasks=tasks[:TASKS_A_PAGE],
        problem=problem,
        next_url=page_at(start + TASKS_A_PAGE) if len(tasks) > TASKS_A_PAGE and not is_last else None,
        is_endless=is_generated,
        previous_url=page_at(max(0, start - TASKS_A_PAGE)) if start else None,
    )

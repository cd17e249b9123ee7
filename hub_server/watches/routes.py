"""Watches over HTTP."""

from fastapi import APIRouter

from hub_server.watches import actions
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.watches import MailPaceChange, Watching

router = APIRouter(prefix="/api/v1", tags=["watches"], responses=PROBLEMS)


@router.get("/account/watches", summary="What I watch, and how often I am mailed")
def list_watches(work: ReadTransaction) -> Watching:
    return actions.list_watches(work)


@router.put("/account/watches", status_code=204, summary="Set how often I am mailed about what I watch")
def set_pace(body: MailPaceChange, work: WriteTransaction) -> None:
    actions.set_pace(work, body.pace)


@router.put("/account/watches/{owner}", status_code=204, summary="Watch all that an owner has")
def watch_owner(owner: str, work: WriteTransaction) -> None:
    actions.watch(work, owner, None)


@router.delete("/account/watches/{owner}", status_code=204, summary="Stop watching an owner")
def unwatch_owner(owner: str, work: WriteTransaction) -> None:
    actions.unwatch(work, owner, None)


@router.put("/account/watches/{owner}/{name}", status_code=204, summary="Watch a package")
def watch_package(owner: str, name: str, work: WriteTransaction) -> None:
    actions.watch(work, owner, f"{owner}/{name}")


@router.delete("/account/watches/{owner}/{name}", status_code=204, summary="Stop watching a package")
def unwatch_package(owner: str, name: str, work: WriteTransaction) -> None:
    actions.unwatch(work, owner, f"{owner}/{name}")

"""Reports, quarantine and the moderators' log over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Path

from hub_server.moderation import actions
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.collections import Collection
from schemas.discussions import DiscussionSummary, Post, StateChange
from schemas.evidence.counter_examples import CounterExample, Reason, Ruling
from schemas.moderation import (
    CollectionReportCreate,
    ModerationEvent,
    NameBlock,
    OwnerReportCreate,
    Report,
    ReportCreate,
    ReportDecision,
    Suspension,
)
from schemas.package import PackageDetail, Release
from schemas.page import Page

PostNumber = Annotated[int, Path(ge=1, lt=2**31)]
router = APIRouter(prefix="/api/v1", tags=["moderation"], responses=PROBLEMS)


@router.post("/packages/{owner}/{name}/reports", status_code=201, summary="Report a package to the moderators")
def report_package(owner: str, name: str, body: ReportCreate, work: WriteTransaction) -> Report:
    return actions.report_package(work, f"{owner}/{name}", body)


@router.post("/collections/{owner}/{name}/reports", status_code=201, summary="Report a collection to the moderators")
def report_collection(owner: str, name: str, body: CollectionReportCreate, work: WriteTransaction) -> Report:
    return actions.report_collection(work, owner, name, body)


@router.post("/owners/{owner}/reports", status_code=201, summary="Report a person or an organisation to the moderators")
def report_owner(owner: str, body: OwnerReportCreate, work: WriteTransaction) -> Report:
    return actions.report_owner(work, owner, body)


@router.get("/reports", summary="Reports, for moderators")
def list_reports(
    work: ReadTransaction, state: str | None = "open", cursor: str | None = None, limit: int = 50
) -> Page[Report]:
    return actions.list_reports(work, state=state, cursor=cursor, limit=limit)


@router.get("/reports/{report_id}", summary="A report, for moderators and its sender")
def read_report(report_id: str, work: ReadTransaction) -> Report:
    return actions.get_report(work, report_id)


@router.post("/reports/{report_id}/decision", summary="End a report")
def decide_report(report_id: str, body: ReportDecision, work: WriteTransaction) -> Report:
    return actions.decide_report(work, report_id, body)


@router.post(
    "/packages/{owner}/{name}/releases/{version}/quarantine",
    summary="Quarantine a release: nobody can download or execute it",
)
def quarantine_release(owner: str, name: str, version: str, body: Reason, work: WriteTransaction) -> Release:
    return actions.quarantine_release(work, f"{owner}/{name}", version, body.reason)


@router.post("/packages/{owner}/{name}/releases/{version}/unquarantine", summary="End a quarantine")
def release_from_quarantine(owner: str, name: str, version: str, body: Reason, work: WriteTransaction) -> Release:
    return actions.release_from_quarantine(work, f"{owner}/{name}", version, body.reason)


@router.post("/packages/{owner}/{name}/releases/{version}/takedown", summary="Remove a release's content for good")
def take_down_release(owner: str, name: str, version: str, body: Reason, work: WriteTransaction) -> Release:
    return actions.take_down_release(work, f"{owner}/{name}", version, body.reason)


@router.post(
    "/packages/{owner}/{name}/quarantine", summary="Quarantine a whole package: nothing of it is used or added"
)
def quarantine_package(owner: str, name: str, body: Reason, work: WriteTransaction) -> PackageDetail:
    return actions.quarantine_package(work, f"{owner}/{name}", body.reason)


@router.post("/packages/{owner}/{name}/unquarantine", summary="End the quarantine of a whole package")
def unquarantine_package(owner: str, name: str, body: Reason, work: WriteTransaction) -> PackageDetail:
    return actions.unquarantine_package(work, f"{owner}/{name}", body.reason)


@router.post("/packages/{owner}/{name}/takedown", status_code=204, summary="Remove a package's content for good")
def take_down_package(owner: str, name: str, body: Reason, work: WriteTransaction) -> None:
    actions.take_down_package(work, f"{owner}/{name}", body.reason)


@router.post("/accounts/{name}/suspend", status_code=204, summary="Suspend an account: no login, its tokens refused")
def suspend_account(name: str, body: Suspension, work: WriteTransaction) -> None:
    actions.suspend_account(work, name, body)


@router.post("/accounts/{name}/unsuspend", status_code=204, summary="End a suspension")
def unsuspend_account(name: str, body: Reason, work: WriteTransaction) -> None:
    actions.unsuspend_account(work, name, body.reason)


@router.post("/accounts/{name}/profile/hide", status_code=204, summary="Hide what an owner says of itself")
def hide_profile(name: str, body: Reason, work: WriteTransaction) -> None:
    actions.hide_profile(work, name, body.reason)


@router.post("/accounts/{name}/profile/show", status_code=204, summary="Show again what an owner says of itself")
def show_profile(name: str, body: Reason, work: WriteTransaction) -> None:
    actions.show_profile(work, name, body.reason)


@router.get("/blocked-names", summary="Blocked names, for moderators")
def list_blocked(work: ReadTransaction) -> Page[NameBlock]:
    return Page[NameBlock](items=actions.list_blocked(work))


@router.post("/blocked-names", status_code=204, summary="Block a name: nobody can take it or publish under it")
def block_name(body: NameBlock, work: WriteTransaction) -> None:
    actions.block_name(work, body)


@router.post("/blocked-names/unblock", status_code=204, summary="Undo the block of a name")
def unblock_name(body: NameBlock, work: WriteTransaction) -> None:
    actions.unblock_name(work, body.name, body.reason)


@router.post("/packages/{owner}/{name}/cases/{case_id}/settle", summary="End a dispute")
def settle_case(owner: str, name: str, case_id: str, body: Ruling, work: WriteTransaction) -> CounterExample:
    return actions.settle_case(work, f"{owner}/{name}", case_id, body)


@router.post("/packages/{owner}/{name}/cases/{case_id}/hide", summary="Take a counter-example out of lists and audits")
def hide_case(owner: str, name: str, case_id: str, body: Reason, work: WriteTransaction) -> CounterExample:
    return actions.hide_case(work, f"{owner}/{name}", case_id, body.reason)


@router.post("/packages/{owner}/{name}/cases/{case_id}/show", summary="Show a hidden counter-example again")
def show_case(owner: str, name: str, case_id: str, body: Reason, work: WriteTransaction) -> CounterExample:
    return actions.show_case(work, f"{owner}/{name}", case_id, body.reason)


@router.post("/collections/{owner}/{name}/hide", summary="Show a collection to moderators alone")
def hide_collection(owner: str, name: str, body: Reason, work: WriteTransaction) -> Collection:
    return actions.hide_collection(work, owner, name, body.reason)


@router.post("/collections/{owner}/{name}/show", summary="Show a hidden collection again")
def show_collection(owner: str, name: str, body: Reason, work: WriteTransaction) -> Collection:
    return actions.show_collection(work, owner, name, body.reason)


@router.post("/packages/{owner}/{name}/discussions/{discussion_id}/close", summary="Close a discussion")
def close_discussion(
    owner: str, name: str, discussion_id: str, body: StateChange, work: WriteTransaction
) -> DiscussionSummary:
    return actions.close_discussion(work, f"{owner}/{name}", discussion_id, body.reason)


@router.post("/packages/{owner}/{name}/discussions/{discussion_id}/reopen", summary="Open a closed discussion again")
def reopen_discussion(
    owner: str, name: str, discussion_id: str, body: StateChange, work: WriteTransaction
) -> DiscussionSummary:
    return actions.reopen_discussion(work, f"{owner}/{name}", discussion_id, body.reason)


@router.post(
    "/packages/{owner}/{name}/discussions/{discussion_id}/posts/{number}/hide",
    summary="Show a post to moderators alone; the first post: the whole discussion",
)
def hide_post(
    owner: str, name: str, discussion_id: str, number: PostNumber, body: Reason, work: WriteTransaction
) -> Post:
    return actions.hide_post(work, f"{owner}/{name}", discussion_id, number, body.reason)


@router.post(
    "/packages/{owner}/{name}/discussions/{discussion_id}/posts/{number}/show", summary="Show a hidden post again"
)
def show_post(
    owner: str, name: str, discussion_id: str, number: PostNumber, body: Reason, work: WriteTransaction
) -> Post:
    return actions.show_post(work, f"{owner}/{name}", discussion_id, number, body.reason)


@router.get("/moderation/events", summary="What moderators did")
def list_events(
    work: ReadTransaction,
    package: str | None = None,
    account: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[ModerationEvent]:
    return actions.list_events(work, package=package, account=account, cursor=cursor, limit=limit)

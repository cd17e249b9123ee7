"""Giving away, archiving and deleting over HTTP."""

from fastapi import APIRouter

from hub_server.ownership import actions
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.evidence.counter_examples import Reason
from schemas.ownership import AccountDeletion, Transfer, TransferAnswer, TransferCreate
from schemas.package import PackageDetail
from schemas.page import Page

router = APIRouter(prefix="/api/v1", tags=["ownership"], responses=PROBLEMS)


@router.post("/packages/{owner}/{name}/archive", summary="Archive a package: no new releases, but it stays usable")
def archive_package(owner: str, name: str, body: Reason, work: WriteTransaction) -> PackageDetail:
    return actions.archive_package(work, f"{owner}/{name}", body.reason)


@router.post("/packages/{owner}/{name}/unarchive", summary="Reopen an archived package")
def unarchive_package(owner: str, name: str, work: WriteTransaction) -> PackageDetail:
    return actions.unarchive_package(work, f"{owner}/{name}")


@router.delete("/packages/{owner}/{name}", status_code=204, summary="Delete all releases, which nobody uses yet")
def delete_package(owner: str, name: str, work: WriteTransaction) -> None:
    actions.delete_package(work, f"{owner}/{name}")


@router.delete(
    "/packages/{owner}/{name}/releases/{version}", status_code=204, summary="Delete a release that nobody uses yet"
)
def delete_release(owner: str, name: str, version: str, work: WriteTransaction) -> None:
    actions.delete_release(work, f"{owner}/{name}", version)


@router.delete("/runs/{run_id}", status_code=204, summary="Delete a run of yours with its metrics and rollouts")
def delete_run(run_id: str, work: WriteTransaction) -> None:
    actions.delete_run(work, run_id)


@router.get("/packages/{owner}/{name}/transfers", summary="To whom a package was given")
def list_transfers(owner: str, name: str, work: ReadTransaction) -> Page[Transfer]:
    return Page[Transfer](items=actions.list_transfers(work, f"{owner}/{name}"))


@router.post("/packages/{owner}/{name}/transfer", status_code=201, summary="Offer a package to somebody else")
def offer_package(owner: str, name: str, body: TransferCreate, work: WriteTransaction) -> Transfer:
    return actions.offer_package(work, f"{owner}/{name}", body)


@router.delete("/packages/{owner}/{name}/transfer", status_code=204, summary="Take an offer back")
def take_back_offer(owner: str, name: str, work: WriteTransaction) -> None:
    actions.take_back_offer(work, f"{owner}/{name}")


@router.post("/packages/{owner}/{name}/transfer/answer", summary="Accept or decline a package that was offered")
def answer_transfer(owner: str, name: str, body: TransferAnswer, work: WriteTransaction) -> Transfer:
    return actions.answer_transfer(work, f"{owner}/{name}", accept=body.accept)


@router.post("/account/deletion", status_code=204, summary="Delete my account; its packages are handed over before")
def delete_account(body: AccountDeletion, work: WriteTransaction) -> None:
    actions.delete_account(work, body.name)


@router.get("/account/transfers", summary="Packages that are offered to you")
def list_offers(work: ReadTransaction) -> Page[Transfer]:
    return Page[Transfer](items=actions.list_offers(work))

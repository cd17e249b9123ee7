"""The journal over HTTP."""

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from hub_server.journal import actions
from hub_server.web.dependencies import ReadTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.journal.entries import ConsistencyProof, JournalPage, ReleaseProof
from schemas.journal.signing_keys import SigningKeys

router = APIRouter(prefix="/api/v1", tags=["journal"], responses=PROBLEMS)


@router.get("/keys", summary="The public keys that this hub signs, and has signed, with")
def list_signing_keys(work: ReadTransaction) -> SigningKeys:
    return actions.list_signing_keys(work)


@router.get("/journal/checkpoint", summary="The journal's size and root, as a signed note")
def read_checkpoint(work: ReadTransaction) -> PlainTextResponse:
    return PlainTextResponse(actions.get_checkpoint(work), headers={"Cache-Control": "no-store"})


@router.get("/journal/consistency", summary="Proof that a shorter journal is the beginning of a longer one")
def read_consistency(old: int, new: int, work: ReadTransaction) -> ConsistencyProof:
    return actions.get_consistency(work, old, new)


@router.get("/journal/entries", summary="Publishes and changes of state, in order")
def list_entries(work: ReadTransaction, start: int = 0, limit: int = 100) -> JournalPage:
    return actions.list_entries(work, start, limit)


@router.get("/journal/releases/{owner}/{name}/{version}", summary="Proof that a release was published with these bytes")
def read_release_proof(owner: str, name: str, version: str, work: ReadTransaction) -> ReleaseProof:
    return actions.get_release_proof(work, f"{owner}/{name}", version)

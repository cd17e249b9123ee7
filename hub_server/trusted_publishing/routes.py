"""Trusted publishing over HTTP."""

from fastapi import APIRouter, Response

from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.trusted_publishing import actions
from hub_server.web.dependencies import ReadTransaction, ServicesDep, WriteTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.account import TokenCreated
from schemas.page import Page
from schemas.trusted_publishers import IdentityTokenExchange, TrustedPublisher, TrustedPublisherCreate

router = APIRouter(prefix="/api/v1", tags=["trusted publishing"], responses=PROBLEMS)


@router.post("/trusted-publishing/token", summary="Exchange an identity token for one that publishes a package")
def exchange_identity(body: IdentityTokenExchange, services: ServicesDep, response: Response) -> TokenCreated:
    response.headers["Cache-Control"] = "no-store"
    claims = actions.read_identity(services, body.identity_token)
    with services.database.writing() as session:
        return actions.exchange_identity(UnitOfWork(session, services), body.package, claims)


@router.get("/packages/{owner}/{name}/trusted-publishers", summary="Workflows that may publish a package")
def list_publishers(owner: str, name: str, work: ReadTransaction) -> Page[TrustedPublisher]:
    return Page[TrustedPublisher](items=actions.list_publishers(work, f"{owner}/{name}"))


@router.post("/packages/{owner}/{name}/trusted-publishers", status_code=201, summary="Let a workflow publish a package")
def add_publisher(owner: str, name: str, body: TrustedPublisherCreate, work: WriteTransaction) -> TrustedPublisher:
    return actions.add_publisher(work, f"{owner}/{name}", body)


@router.delete(
    "/packages/{owner}/{name}/trusted-publishers/{publisher_id}",
    status_code=204,
    summary="Remove a workflow: it can no longer publish the package",
)
def remove_publisher(owner: str, name: str, publisher_id: str, work: WriteTransaction) -> None:
    actions.remove_publisher(work, f"{owner}/{name}", publisher_id)

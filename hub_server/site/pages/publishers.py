"""Workflows that may publish a package, which need not exist yet, without a stored token: listed, added, removed."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.errors import HubServerError, PasswordNeededError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.site.sections.proof import ProvenTransaction, ProvenTransactionsDep, proof_first
from hub_server.trusted_publishing import actions
from hub_server.web.dependencies import ReadTransaction
from schemas.trusted_publishers import Provider, TrustedPublisherCreate

router = APIRouter(include_in_schema=False)
_WRONG = {
    "repository": "A repository is owner/name; at GitLab group/project.",
    "workflow": "A workflow is its file, such as release.yml.",
    "environment": "An environment has at most 100 characters, all of them printable.",
    "provider": "Choose GitHub or GitLab.",
}


class PublisherForm(BaseModel):
    """What was typed of a new publisher."""

    model_config = ConfigDict(frozen=True)

    package: str = ""
    provider: str = Provider.GITHUB.value
    issuer: str = ""
    repository: str = ""
    workflow: str = ""
    environment: str = ""


@router.get("/publishers")
def publishers_page(request: Request, work: ReadTransaction, package: str = "") -> Response:
    """The publishers of a package, and the form for another."""
    here = f"/publishers?{urlencode({'package': package})}"
    return proof_first(work, here) or _show(request, work, PublisherForm(package=package.strip()))


@router.post("/publishers")
def add_publisher(
    request: Request, transactions: ProvenTransactionsDep, form: Annotated[PublisherForm, Form()]
) -> Response:
    """Let one more workflow publish. A refusal comes back with everything that was typed."""
    try:
        fields = {name: value.strip() for name, value in form.model_dump(exclude={"package"}).items()}
        body = TrustedPublisherCreate.model_validate(fields)
        with transactions.writing() as work:
            actions.add_publisher(work, form.package, body)
    except (PasswordNeededError, SecondFactorNeededError):
        raise
    except (ValidationError, HubServerError) as error:
        if isinstance(error, HubServerError):
            problem, status = error.detail, error.status
        else:
            problem, status = _WRONG.get(str(error.errors()[0]["loc"][0]), "Some fields are not right yet."), 422
        with transactions.reading() as work:
            return _show(request, work, form, problem=problem, status=status)
    return _back(form.package)


@router.post("/publishers/{publisher_id}/remove")
def remove_publisher(work: ProvenTransaction, publisher_id: str, package: Annotated[str, Form()] = "") -> Response:
    """Remove a workflow that may publish."""
    actions.remove_publisher(work, package, publisher_id)
    return _back(package)


def _back(package: str) -> Response:
    return RedirectResponse(f"/publishers?{urlencode({'package': package})}", status_code=303)


def _show(
    request: Request, work: UnitOfWork, form: PublisherForm, *, problem: str = "", status: int = 200
) -> HTMLResponse:
    publishers = actions.list_publishers(work, form.package)
    answer = render(
        request,
        work,
        "publishers.html",
        status=status,
        title=f"Workflows that publish {form.package}",
        section="Account",
        json_url=f"{API}/packages/{form.package}/trusted-publishers",
        package=form.package,
        publishers=publishers,
        issuers=work.services.settings.trusted_publishing.issuers,
        audience=work.services.settings.public_url,
        form=form,
        problem=problem,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer

"""CI workflows that may publish a package without a stored token. The package need not exist yet."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, send_form
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

    def add() -> Response:
        with transactions.writing() as work:
            actions.add_publisher(work, form.package, _read(form))
        return _back(form.package)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show(request, work, form, refusal)

    return send_form(add, show)


def _read(form: PublisherForm) -> TrustedPublisherCreate:
    try:
        fields = {name: value.strip() for name, value in form.model_dump(exclude={"package"}).items()}
        return TrustedPublisherCreate.model_validate(fields)
    except ValidationError as error:
        wrong = str(error.errors()[0]["loc"][0])
        raise InvalidRequestError(_WRONG.get(wrong, "Some fields are not right yet.")) from None


@router.post("/publishers/{publisher_id}/remove")
def remove_publisher(work: ProvenTransaction, publisher_id: str, package: Annotated[str, Form()] = "") -> Response:
    """Remove a workflow that may publish."""
    actions.remove_publisher(work, package, publisher_id)
    return _back(package)


def _back(package: str) -> Response:
    return RedirectResponse(f"/publishers?{urlencode({'package': package})}", status_code=303)


def _show(request: Request, work: UnitOfWork, form: PublisherForm, refusal: FormRefusal = NOT_SENT) -> HTMLResponse:
    publishers = actions.list_publishers(work, form.package)
    answer = render(
        request,
        work,
        "publishers.html",
        status=refusal.status,
        title=f"Workflows that publish {form.package}",
        section="Account",
        json_url=f"{API}/packages/{form.package}/trusted-publishers",
        package=form.package,
        publishers=publishers,
        issuers=work.services.settings.trusted_publishing.issuers,
        audience=work.services.settings.public_url,
        form=form,
        problem=refusal.problem,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer

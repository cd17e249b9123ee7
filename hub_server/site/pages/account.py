"""Your account, with its tokens."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict

from hub_server.accounts import actions
from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import require_person
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ownership import actions as ownership
from hub_server.site.rendering.templates import render
from hub_server.site.sections.forms import FormRefusal, send_form
from hub_server.site.sections.proof import ProvenTransactionsDep
from hub_server.web.cookies import clear_session
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.account import LOGIN_SCOPES, Scope, TokenCreate, TokenCreated
from schemas.titles import check_line

router = APIRouter(include_in_schema=False)

SCOPES = (
    (Scope.PUBLISH.value, "publish releases"),
    (Scope.RUNS.value, "send runs, their metrics and rollouts"),
    (Scope.CASES.value, "submit and dispute counter-examples"),
    (Scope.READ.value, "read what is private to you, and tasks with their answers"),
    (Scope.MODERATE.value, "see reports and what is hidden (for moderators of this hub)"),
)

_SHOWN_CHANGES = 10

LOGIN_SCOPE_VALUES = [scope.value for scope in LOGIN_SCOPES]


class TokenForm(BaseModel):
    """What was asked of a new token."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    scopes: list[str] = []
    expires_days: int = 90
    package: str = ""
    owner: str = ""


@router.get("/account")
def account_page(request: Request, work: ReadTransaction) -> Response:
    """Who you are, your tokens and your browsers."""
    if work.caller is None or not work.caller.by_session:
        return RedirectResponse("/login?next=/account", status_code=303)
    return _show_account(request, work, TokenForm(scopes=LOGIN_SCOPE_VALUES))


@router.post("/account/tokens")
def make_token(request: Request, transactions: ProvenTransactionsDep, form: Annotated[TokenForm, Form()]) -> Response:
    """Make a token and show its secret, this once."""
    try:
        body = _body_of(form)
    except ValueError:
        errors = {"name": _name_fault(form.name.strip())}
        if form.package.strip():
            errors["package"] = "A package is OWNER/NAME."
        if form.owner.strip():
            errors["owner"] = "An owner is the name of an account or organisation."
        with transactions.reading() as work:
            return _show_account(
                request, work, form, errors=errors, problem="Some fields are not right yet.", status=422
            )

    def act() -> Response:
        with transactions.writing() as work:
            fresh = actions.create_token(work, body)
            return _show_account(request, work, TokenForm(scopes=LOGIN_SCOPE_VALUES), fresh=fresh)

    def show(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return _show_account(request, work, form, problem=refusal.problem, status=refusal.status)

    return send_form(act, show)


def _name_fault(name: str) -> str:
    try:
        check_line(name)
    except ValueError as error:
        return f"A name: {error}."
    return "" if name else "Say what it is for."


def _body_of(form: TokenForm) -> TokenCreate:
    """What was asked for. A token of one package or owner publishes, whatever is ticked. Raises ``ValueError``."""
    package, owner = form.package.strip() or None, form.owner.strip() or None
    scopes = [Scope.PUBLISH] if package or owner else [Scope(scope) for scope in form.scopes]
    return TokenCreate(
        name=form.name.strip(), scopes=scopes, expires_days=form.expires_days, package=package, owner=owner
    )


@router.post("/account/tokens/{token_id}/revoke")
def revoke_token(work: WriteTransaction, token_id: str) -> Response:
    """End a token."""
    actions.revoke_token(work, token_id)
    return RedirectResponse("/account", status_code=303)


@router.post("/account/sessions/{session_id}/end")
def end_session(work: WriteTransaction, session_id: str) -> Response:
    """Log another browser out."""
    actions.end_web_session(work, session_id)
    return RedirectResponse("/account", status_code=303)


@router.post("/account/invitations/{organization}")
def answer_invitation(work: WriteTransaction, organization: str, answer: Annotated[str, Form()] = "") -> Response:
    """Accept or decline; any other word is no answer."""
    if answer not in ("accept", "decline"):
        raise InvalidRequestError("Say accept or decline.")
    actions.answer_invitation(work, organization, accept=answer == "accept")
    return RedirectResponse("/account", status_code=303)


@router.post("/account/offers")
def answer_offer(
    request: Request,
    transactions: ProvenTransactionsDep,
    package: Annotated[str, Form()] = "",
    answer: Annotated[str, Form()] = "",
) -> Response:
    """Take a package over, or decline it; any other word is no answer."""
    if answer not in ("accept", "decline"):
        raise InvalidRequestError("Say accept or decline.")

    def act() -> Response:
        with transactions.writing() as work:
            ownership.answer_transfer(work, package, accept=answer == "accept")
        return RedirectResponse(f"/packages/{package}" if answer == "accept" else "/account", status_code=303)

    def show(refusal: FormRefusal) -> Response:
        form = TokenForm(scopes=LOGIN_SCOPE_VALUES)
        with transactions.reading() as work:
            return _show_account(request, work, form, problem=refusal.problem, status=refusal.status)

    return send_form(act, show)


@router.post("/account/deletion")
def delete_account(
    request: Request, transactions: ProvenTransactionsDep, name: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Delete the account, whose name was typed."""

    def act() -> Response:
        with transactions.writing() as work:
            ownership.delete_account(work, name.strip())
        answer = RedirectResponse("/", status_code=303)
        clear_session(answer, request)
        return answer

    def show(refusal: FormRefusal) -> Response:
        form = TokenForm(scopes=LOGIN_SCOPE_VALUES)
        with transactions.reading() as work:
            return _show_account(request, work, form, problem=refusal.problem, status=refusal.status)

    return send_form(act, show)


def _show_account(
    request: Request,
    work: UnitOfWork,
    form: TokenForm,
    *,
    fresh: TokenCreated | None = None,
    errors: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    return render(
        request,
        work,
        "account.html",
        status=status,
        title="Your account",
        section="Account",
        account=actions.find_caller_account(work),
        profile=actions.get_profile(work, require_person(work.caller).name),
        tokens=actions.list_tokens(work),
        sessions=actions.list_web_sessions(work),
        second_factor=actions.get_second_factor(work),
        email=actions.get_email(work),
        has_mail=bool(work.services.settings.mail.host),
        is_proven=require_person(work.caller).is_proven,
        invitations=actions.list_invitations(work),
        offers=ownership.list_offers(work),
        memberships=actions.list_memberships(work),
        activity=actions.list_own_activity(work, limit=_SHOWN_CHANGES).items,
        scopes=SCOPES,
        fresh=fresh,
        form=form,
        errors=errors or {},
        problem=problem,
    )

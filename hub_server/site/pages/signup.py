"""Making an account."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hub_server.accounts import actions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, send_form, wrong_fields
from hub_server.site.sections.web_sessions import AFTER_LOGIN, safe_next, sign_in
from hub_server.web.dependencies import ReadTransaction, ServicesDep
from schemas.account import AccountCreate

router = APIRouter(include_in_schema=False)


class SignUpForm(BaseModel):
    """What was typed to make an account."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    email: str = ""
    password: str = Field(default="", repr=False)
    next: str = AFTER_LOGIN


@router.get("/signup")
def signup_page(request: Request, work: ReadTransaction, next: str = AFTER_LOGIN) -> HTMLResponse:  # noqa: A002 -- see login
    """The empty form."""
    return _show_signup(request, work, SignUpForm(next=safe_next(next)))


@router.post("/signup")
def sign_up(request: Request, services: ServicesDep, form: Annotated[SignUpForm, Form()]) -> Response:
    """Make the account and sign this browser in. A refusal keeps what was typed, but not the password."""

    def make_account() -> Response:
        body = _account_request(form)
        password_hash = actions.hash_password(body.password)
        with services.database.writing() as session:
            actions.add_account(UnitOfWork(session, services), body, password_hash)
        answer = RedirectResponse(safe_next(form.next), status_code=303)
        sign_in(request, services, actions.prove_password(services, body.name, body.password), answer)
        return answer

    def show(refusal: FormRefusal) -> Response:
        with services.database.reading() as session:
            return _show_signup(request, UnitOfWork(session, services), form, refusal)

    return send_form(make_account, show)


_FIELD_HINTS = {
    "name": "A name is 2 to 39 small letters and digits, without hyphens.",
    "email": "This is not an e-mail address.",
    "password": "A password has 12 characters or more.",
}


def _account_request(form: SignUpForm) -> AccountCreate:
    try:
        return AccountCreate(name=form.name.strip(), email=form.email.strip(), password=form.password)
    except ValidationError as error:
        faults = {str(item["loc"][0]): str(item["msg"]) for item in error.errors()}
        raise wrong_fields({name: _FIELD_HINTS.get(name, said) for name, said in faults.items()}) from None


def _show_signup(request: Request, work: UnitOfWork, form: SignUpForm, refusal: FormRefusal = NOT_SENT) -> HTMLResponse:
    return render(
        request,
        work,
        "signup.html",
        status=refusal.status,
        title="Make an account",
        section="Sign in",
        form=form,
        errors=refusal.errors,
        problem=refusal.problem,
        next=safe_next(form.next),
    )

"""Pages of accounts: sign up, sign in, the account with its tokens, letting a device in."""

from typing import Annotated
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hub_server.accounts import actions
from hub_server.errors import HubServerError, NotAuthenticatedError
from hub_server.web.cookies import clear_session, session_secret, set_session
from hub_server.web.dependencies import PartsDep, ReadWork, WriteWork
from hub_server.web.rendering import render
from hub_server.work import Work
from schemas.account import AccountCreate, Scope, TokenCreate, TokenCreated

router = APIRouter(include_in_schema=False)
AFTER_LOGIN = "/account"
SCOPES = (
    (Scope.PUBLISH.value, "publish releases"),
    (Scope.RUNS.value, "send runs, their metrics and rollouts"),
    (Scope.CASES.value, "submit and dispute counter-examples"),
    (Scope.READ.value, "read tasks with their answers"),
)

ALL_SCOPES = [scope.value for scope in Scope]


def safe_next(target: str) -> str:
    """``target`` when it is a path of this hub, else the account page: nobody is sent elsewhere after logging in."""
    parts = urlsplit(target)
    is_path = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return target if is_path and target.isprintable() and "\\" not in target else AFTER_LOGIN


class LoginForm(BaseModel):
    """What was typed to log in."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    password: str = Field(default="", repr=False)
    next: str = AFTER_LOGIN


@router.get("/login")
def login_page(request: Request, work: ReadWork, next: str = AFTER_LOGIN) -> Response:  # noqa: A002 -- the address's word
    """The form; whoever is signed in already goes on."""
    if work.caller is not None and work.caller.by_session:
        return RedirectResponse(safe_next(next), status_code=303)
    return _show_login(request, work, LoginForm(next=safe_next(next)))


@router.post("/login")
def log_in(request: Request, parts: PartsDep, form: Annotated[LoginForm, Form()]) -> Response:
    """Open a session for this browser."""
    try:
        with parts.database.writing() as session:
            _, secret = actions.open_web_session(Work(session, parts), form.name.strip().lower(), form.password)
    except NotAuthenticatedError as error:
        with parts.database.reading() as session:
            return _show_login(request, Work(session, parts), form, problem=error.detail, status=401)
    answer = RedirectResponse(safe_next(form.next), status_code=303)
    set_session(answer, secret, request)
    return answer


def _show_login(request: Request, work: Work, form: LoginForm, *, problem: str = "", status: int = 200) -> HTMLResponse:
    return render(
        request,
        work,
        "accounts/login.html",
        status=status,
        title="Sign in",
        section="Sign in",
        form=form,
        problem=problem,
        next=safe_next(form.next),
    )


@router.post("/logout")
def log_out(request: Request, work: WriteWork) -> Response:
    """End this browser's session."""
    secret = session_secret(request)
    if secret is not None:
        actions.close_web_session(work, secret)
    answer = RedirectResponse("/", status_code=303)
    clear_session(answer, request)
    return answer


class SignUpForm(BaseModel):
    """What was typed to make an account."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    email: str = ""
    password: str = Field(default="", repr=False)
    next: str = AFTER_LOGIN


@router.get("/signup")
def signup_page(request: Request, work: ReadWork, next: str = AFTER_LOGIN) -> HTMLResponse:  # noqa: A002 -- see login
    """The empty form."""
    return _show_signup(request, work, SignUpForm(next=safe_next(next)))


@router.post("/signup")
def sign_up(request: Request, parts: PartsDep, form: Annotated[SignUpForm, Form()]) -> Response:
    """Make the account and sign this browser in. A refusal keeps what was typed, but not the password."""
    errors: dict[str, str] = {}
    problem, status = "", 422
    wish = _account_wish(form, errors)
    if wish is not None:
        try:
            with parts.database.writing() as session:
                work = Work(session, parts)
                created = actions.sign_up(work, wish)
                actions.revoke_found_token(work, created.token)  # a browser needs none, and nobody would see it
                _, secret = actions.open_web_session(work, wish.name, wish.password)
            answer = RedirectResponse(safe_next(form.next), status_code=303)
            set_session(answer, secret, request)
            return answer
        except HubServerError as error:
            problem, status = error.detail, error.status
    with parts.database.reading() as session:
        return _show_signup(request, Work(session, parts), form, errors=errors, problem=problem, status=status)


_FIELD_HINTS = {
    "name": "A name is 2 to 39 small letters and digits, without hyphens.",
    "email": "This is not an e-mail address.",
    "password": "A password has 12 characters or more.",
}


def _account_wish(form: SignUpForm, errors: dict[str, str]) -> AccountCreate | None:
    try:
        return AccountCreate(name=form.name.strip(), email=form.email.strip(), password=form.password)
    except ValidationError as error:
        for item in error.errors():
            name = str(item["loc"][0])
            errors[name] = _FIELD_HINTS.get(name, str(item["msg"]))
        return None


def _show_signup(
    request: Request,
    work: Work,
    form: SignUpForm,
    *,
    errors: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    return render(
        request,
        work,
        "accounts/signup.html",
        status=status,
        title="Make an account",
        section="Sign in",
        form=form,
        errors=errors or {},
        problem=problem or ("Some fields are not right yet." if errors else ""),
        next=safe_next(form.next),
    )


class TokenForm(BaseModel):
    """What was asked of a new token."""

    model_config = ConfigDict(frozen=True)

    name: str = ""
    scopes: list[str] = []
    expires_days: int = 90


@router.get("/account")
def account_page(request: Request, work: ReadWork) -> Response:
    """Who you are, and your tokens."""
    if work.caller is None:
        return RedirectResponse("/login?next=/account", status_code=303)
    return _show_account(request, work, TokenForm(scopes=ALL_SCOPES))


@router.post("/account/tokens")
def make_token(request: Request, work: WriteWork, form: Annotated[TokenForm, Form()]) -> Response:
    """Make a token and show its secret, this once."""
    try:
        wish = TokenCreate(
            name=form.name.strip(), scopes=[Scope(scope) for scope in form.scopes], expires_days=form.expires_days
        )
    except ValueError:
        errors = {"name": "" if form.name.strip() else "Say what it is for."}
        return _show_account(request, work, form, errors=errors, problem="Some fields are not right yet.", status=422)
    return _show_account(request, work, TokenForm(scopes=ALL_SCOPES), fresh=actions.create_token(work, wish))


@router.post("/account/tokens/{token_id}/revoke")
def revoke_token(work: WriteWork, token_id: str) -> Response:
    """End a token."""
    actions.revoke_token(work, token_id)
    return RedirectResponse("/account", status_code=303)


def _show_account(
    request: Request,
    work: Work,
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
        "accounts/account.html",
        status=status,
        title="Your account",
        section="Account",
        account=actions.find_caller_account(work),
        tokens=actions.list_tokens(work),
        scopes=SCOPES,
        fresh=fresh,
        form=form,
        errors=errors or {},
        problem=problem,
    )


@router.get("/device")
def device_page(request: Request, work: ReadWork, code: str = "") -> Response:
    """Where ``verihub login`` sends a person to type the code that the shell shows."""
    if work.caller is None:
        here = "/device" + (f"?{urlencode({'code': code})}" if code else "")
        return RedirectResponse(f"/login?{urlencode({'next': here})}", status_code=303)
    return _show_device(request, work, code)


@router.post("/device")
def decide_device(
    request: Request, work: WriteWork, code: Annotated[str, Form()] = "", decision: Annotated[str, Form()] = ""
) -> Response:
    """Let the device in, or turn it away."""
    if work.caller is None:
        return RedirectResponse("/login?next=/device", status_code=303)
    wanted = code.strip().upper()
    try:
        name = actions.approve_device(work, wanted) if decision == "allow" else actions.deny_device(work, wanted)
    except HubServerError as error:
        return _show_device(request, work, code, problem=error.detail, status=error.status)
    said = f"{name} is signed in as {work.caller.name}." if decision == "allow" else f"{name} was turned away."
    return _show_device(request, work, "", done=f"{said} You can close this page.")


def _show_device(
    request: Request, work: Work, code: str, *, problem: str = "", done: str = "", status: int = 200
) -> HTMLResponse:
    return render(
        request,
        work,
        "accounts/device.html",
        status=status,
        title="Let a device in",
        section="Account",
        code=code,
        problem=problem,
        done=done,
    )

"""The page of second factors, which the routes of apps and of security keys both answer with."""

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse

from hub_server.accounts import actions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.forms import FormRefusal
from hub_server.web.dependencies import Transactions
from schemas.account import RecoveryCodes, SecondFactorStart


def show_second_factor(
    request: Request,
    work: UnitOfWork,
    *,
    fresh: SecondFactorStart | None = None,
    codes: RecoveryCodes | None = None,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    """The page; ``fresh`` and ``codes`` are secrets that no other page shows."""
    answer = render(
        request,
        work,
        "second_factor.html",
        status=status,
        title="Second factor",
        section="Account",
        state=actions.get_second_factor(work),
        keys_work_here=actions.keys_work_here(work.services),
        fresh=fresh,
        codes=codes,
        problem=problem,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def show_refused(request: Request, transactions: Transactions, refusal: FormRefusal) -> HTMLResponse:
    """The page with the reason why nothing was changed."""
    with transactions.reading() as work:
        return show_second_factor(request, work, problem=refusal.problem, status=refusal.status)


def password_first() -> RedirectResponse:
    """To the page that asks for the password and leads back."""
    return RedirectResponse("/account/proof?next=/account/second-factor", status_code=303)

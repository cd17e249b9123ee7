"""The page that asks for the password or the second factor where a form came without it or with a wrong one, and sends
that form again.

One page for every act, so the forms themselves need no field for it, and nothing that was typed is lost.
"""

from fastapi import Request, Response
from starlette.datastructures import FormData

from hub_server.accounts import actions
from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.errors import PasswordNeededError
from hub_server.site.rendering.templates import render
from hub_server.site.sections.proof import CODE, KEY, PASSWORD
from hub_server.web.dependencies import Transactions, get_credentials, get_services
from hub_server.web.problems import refuse, wants_page
from hub_server.web.rate_limits import PROOF_QUERY, may_guess

_PROOFS = (CODE, KEY, PASSWORD)


def ask_for_proof(request: Request, error: Exception) -> Response:
    """Answers ``PasswordNeededError`` and ``SecondFactorNeededError``: this page where a person sent a form for one
    act, else the refusal.
    """
    assert isinstance(error, PasswordNeededError | SecondFactorNeededError)
    form: FormData | None = getattr(request.state, "sent_form", None)
    if form is None or not wants_page(request):
        return refuse(request, error)
    fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    with Transactions(request, get_services(request), get_credentials(request)).reading() as work:
        if work.caller is None or not work.caller.by_session:  # the session ended just now, or it is a token's
            return refuse(request, error)
        needs_password = not work.caller.is_proven
        factors = actions.get_second_factor(work)
        has_factor = bool(factors.enabled_at or factors.security_keys)
        was_tried = may_guess(request.scope) if needs_password else any(dict(fields).get(name) for name in (CODE, KEY))
        return render(
            request,
            work,
            "confirmation.html",
            status=error.status,
            title=_title(needs_password=needs_password, has_factor=has_factor),
            section="Account",
            act=_act_of(request),
            action=request.url.path + (f"?{PROOF_QUERY}" if needs_password else ""),
            path=request.url.path,
            fields=[(name, value) for name, value in fields if name not in _PROOFS],
            problem=error.detail if was_tried else "",
            needs_password=needs_password,
            factors=factors,
        )


def _title(*, needs_password: bool, has_factor: bool) -> str:
    if not needs_password:
        return "Your second factor, for this"
    return "Your password and second factor, for this" if has_factor else "Your password, for this"


def _act_of(request: Request) -> str:
    """What the route does, in its own words: the first line of what it says of itself."""
    return str(getattr(request.scope.get("route"), "description", "")).partition("\n")[0].partition(".")[0]

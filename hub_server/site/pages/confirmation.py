"""The page that asks for the second factor where a form came without it or with a wrong one, and sends that form again.

One page for every act, so the forms themselves need no field for it, and nothing that was typed is lost.
"""

from fastapi import Request, Response
from starlette.datastructures import FormData

from hub_server.accounts import actions
from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.site.rendering.templates import render
from hub_server.site.sections.proof import CODE, KEY
from hub_server.web.dependencies import Transactions, get_credentials, get_services
from hub_server.web.problems import refuse, wants_page


def ask_for_factor(request: Request, error: Exception) -> Response:
    """Answers ``SecondFactorNeededError``: this page where a person sent a form for one act, else the refusal."""
    assert isinstance(error, SecondFactorNeededError)
    form: FormData | None = getattr(request.state, "sent_form", None)
    if form is None or not wants_page(request):
        return refuse(request, error)
    fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    was_tried = any(value.strip() for name, value in fields if name in (CODE, KEY))
    with Transactions(request, get_services(request), get_credentials(request)).reading() as work:
        if work.caller is None:  # the session ended just now
            return refuse(request, error)
        return render(
            request,
            work,
            "confirmation.html",
            status=error.status,
            title="Your second factor, for this",
            section="Account",
            act=_act_of(request),
            action=request.url.path,
            fields=[(name, value) for name, value in fields if name not in (CODE, KEY)],
            problem=error.detail if was_tried else "",
            factors=actions.get_second_factor(work),
        )


def _act_of(request: Request) -> str:
    """What the route does, in its own words: the first line of what it says of itself."""
    return str(getattr(request.scope.get("route"), "description", "")).partition("\n")[0].partition(".")[0]

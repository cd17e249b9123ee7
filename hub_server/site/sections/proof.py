"""Pages that need the password, typed in the last minutes."""

from urllib.parse import urlencode

from fastapi import Response
from fastapi.responses import RedirectResponse

from hub_server.kernel.unit_of_work import UnitOfWork


def proof_first(work: UnitOfWork, here: str) -> Response | None:
    """The way to the page that asks for the password and leads back to ``here``; None where it was just typed."""
    if work.caller is not None and work.caller.is_proven:
        return None
    return RedirectResponse(f"/account/proof?{urlencode({'next': here})}", status_code=303)

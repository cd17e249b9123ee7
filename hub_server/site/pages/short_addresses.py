"""Addresses as people guess them: ``/OWNER`` and ``/OWNER/NAME``, as on other hubs, lead to the page that is meant."""

import re

from fastapi import APIRouter, HTTPException
from fastapi.responses import RedirectResponse

from hub_server.accounts.rules.names import RESERVED_NAMES
from schemas.names import NAME_PATTERN, OWNER_PATTERN

router = APIRouter(include_in_schema=False)


@router.get("/{owner}")
def to_owner(owner: str) -> RedirectResponse:
    """To an owner's page, which says itself when there is no such owner."""
    return _to("/owners", owner)


@router.get("/{owner}/{name}")
def to_package(owner: str, name: str) -> RedirectResponse:
    """To a package's page, which says itself when the reader may see none. So this answers alike for all names."""
    if not re.fullmatch(NAME_PATTERN, name.lower()):
        raise HTTPException(404)
    return _to("/packages", owner, name)


def _to(page: str, owner: str, *names: str) -> RedirectResponse:
    """A temporary redirect. 404 for words that no owner can have, such as ``api`` and ``static``."""
    owner = owner.lower()
    if owner in RESERVED_NAMES or not re.fullmatch(OWNER_PATTERN, owner):
        raise HTTPException(404)
    return RedirectResponse("/".join([page, owner, *(name.lower() for name in names)]), status_code=307)

"""Signing a browser in: opening its session, and where it goes afterwards."""

from fastapi import Request

from hub_server.accounts import actions
from hub_server.accounts.actions.passwords import ProvenPassword
from hub_server.accounts.actions.security_keys import KeyAnswer
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.web.cookies import session_secret

AFTER_LOGIN = "/account"


def safe_next(target: str) -> str:
    """``target`` when it is a path of this hub, else the account page: nobody is sent elsewhere after logging in."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if is_path and target.isprintable() and "\\" not in target else AFTER_LOGIN


def key_answer(request: Request, answer: str) -> KeyAnswer | None:
    """What a security key answered, as a form brings it, with the session that it was asked for; None: nothing."""
    return KeyAnswer(answer, session_secret(request) or "") if answer else None


def open_session_of(services: Services, proven: ProvenPassword, client: str) -> str:
    """The cookie's secret for who has proven both factors."""
    with services.database.writing() as session:
        return actions.open_web_session(UnitOfWork(session, services), proven, client)[1]


def open_session(services: Services, name: str, password: str, client: str) -> str:
    """The cookie's secret for a name and a password. ``client``: what the browser calls itself."""
    return open_session_of(services, actions.prove_password(services, name, password), client)

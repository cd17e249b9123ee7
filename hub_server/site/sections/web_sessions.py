"""Signing a browser in: opening its session, and where it goes afterwards."""

from fastapi import Request, Response

from hub_server.accounts import actions
from hub_server.accounts.actions.passwords import ProvenPassword
from hub_server.accounts.actions.security_keys import KeyAnswer
from hub_server.accounts.rules.passwords import KNOWN_BROWSER_LIFETIME
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.web.cookies import known_secret, session_secret, set_known, set_session

AFTER_LOGIN = "/account"


def safe_next(target: str) -> str:
    """``target`` when it is a path of this hub, else the account page: nobody is sent elsewhere after logging in."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if is_path and target.isprintable() and "\\" not in target else AFTER_LOGIN


def key_answer(request: Request, answer: str) -> KeyAnswer | None:
    """What a security key answered, as a form brings it, with the session that it was asked for; None: nothing."""
    return KeyAnswer(answer, session_secret(request) or "") if answer else None


def known_here(request: Request, services: Services, name: str) -> str:
    """By what ``name`` is known in this browser before its password was checked; empty where nobody signed in as it."""
    return actions.find_known_browser(services, name, known_secret(request))


def sign_in(request: Request, services: Services, proven: ProvenPassword, answer: Response) -> None:
    """Let ``answer`` sign this browser in as who has proven both factors."""
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        _, secret = actions.open_web_session(work, proven, request.headers.get("user-agent", ""))
        known = actions.remember_browser(work, proven.name, known_secret(request))
    set_session(answer, secret, request)
    set_known(answer, known, KNOWN_BROWSER_LIFETIME, request)


def keep_known(request: Request, services: Services, name: str, answer: Response) -> None:
    """The person has just set a new password in this browser, so it stays known."""
    with services.database.writing() as session:
        known = actions.remember_browser(UnitOfWork(session, services), name, known_secret(request))
    set_known(answer, known, KNOWN_BROWSER_LIFETIME, request)

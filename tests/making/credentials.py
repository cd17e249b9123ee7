"""Somebody with a password, and who the hub takes a credential for."""

from hub_server.accounts import actions
from hub_server.accounts.actions.passwords import prove_password
from hub_server.kernel.caller import Caller, Credentials
from schemas.account import AccountCreate
from tests.making.action_driver import ActionDriver

OLD, NEW = "correct horse battery staple", "another long password"


def signed_up(driver: ActionDriver, name: str = "carol") -> str:
    request = AccountCreate(name=name, email=f"{name}@example.org", password=OLD)
    return driver.do(None, actions.sign_up, request, actions.hash_password(OLD)).token


def session_of(driver: ActionDriver, name: str = "carol") -> str:
    proven = prove_password(driver.services, name, OLD)
    return driver.do(None, actions.open_web_session, proven)[1]


def who(driver: ActionDriver, **credentials: str) -> Caller | None:
    return driver.ask(None, actions.authenticate, Credentials(**credentials))

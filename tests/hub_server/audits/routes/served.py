"""A desk behind HTTP: everybody by name, without passwords."""

from hub_server.accounts.actions import create_token
from hub_server.app import create_app
from hub_server.kernel.caller import Caller
from schemas.account import TokenCreate
from tests.making.desk import Desk
from tests.making.hub import Api


def as_account(desk: Desk, by: Caller | None) -> Api:
    """The hub as that account sees it; None: a stranger."""
    app = create_app(desk.services)
    return Api(app, desk.do(by, create_token, TokenCreate(name="test")).secret if by is not None else None)

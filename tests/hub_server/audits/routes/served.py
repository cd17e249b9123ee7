"""A desk behind HTTP: everybody by name, without passwords."""

from hub_server.accounts.actions import create_token
from hub_server.app import create_app
from hub_server.kernel.caller import Caller
from schemas.account import Scope, TokenCreate
from tests.making.desk import Desk, person
from tests.making.hub import Api


def as_account(desk: Desk, by: Caller | None) -> Api:
    """The hub as that account sees it; None: a stranger."""
    app = create_app(desk.services)
    if by is None:
        return Api(app)
    asked = TokenCreate(name="test", scopes=list(Scope))
    return Api(app, desk.do(person(by.name, is_moderator=by.is_moderator), create_token, asked).secret)

"""A driver behind HTTP: everybody by name, without passwords."""

from hub_server.accounts.actions import create_token
from hub_server.app import create_app
from hub_server.kernel.caller import Caller
from schemas.account import Scope, TokenCreate
from tests.making.action_driver import ActionDriver, person
from tests.making.hub import Api


def as_account(driver: ActionDriver, by: Caller | None) -> Api:
    """The hub as that account sees it; None: a stranger."""
    app = create_app(driver.services)
    if by is None:
        return Api(app)
    asked = TokenCreate(name="test", scopes=list(Scope))
    return Api(app, driver.do(person(by.name, is_moderator=by.is_moderator), create_token, asked).secret)

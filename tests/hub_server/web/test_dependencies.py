"""What a route may ask for: credentials that are never mixed, and transactions that end as they must."""

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from starlette.requests import HTTPConnection

from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.caller import Caller, Credentials
from hub_server.web.dependencies import (
    Transactions,
    authenticated,
    find_caller,
    get_credentials,
    public_url,
    read_transaction,
    write_transaction,
)
from tests.making.action_driver import ActionDriver, caller

INSERT = text("INSERT INTO signing_keys (id, public_key, first_used_at) VALUES ('k', 'p', '2026-01-01')")


class App:
    """An application that knows one token."""

    def __init__(self, driver: ActionDriver) -> None:
        self.state = self
        self.services = driver.services
        self.asked: list[Credentials] = []

    def authenticate(self, _work: object, credentials: Credentials) -> Caller | None:
        self.asked.append(credentials)
        if credentials.token not in (None, "good"):
            raise NotAuthenticatedError("no")
        return caller("ann") if credentials.token else None


def connection(driver: ActionDriver, *headers: tuple[str, str]) -> HTTPConnection:
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    scope = {"type": "http", "headers": raw, "app": App(driver), "method": "GET", "path": "/", "query_string": b"",
             "server": ("hub.test", 80), "scheme": "http", "root_path": ""}  # fmt: skip
    return HTTPConnection(scope)


@pytest.mark.parametrize(
    ("header", "token"),
    [("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER  abc ", "abc"), ("Bearer", None), ("Bearer ", None),
     ("Basic abc", None), ("", None), ("abc", None), ("Bearer a b", "a b"), ("Bearer\tabc", None)],
)  # fmt: skip
def test_a_token_comes_as_a_bearer_and_in_no_other_way(driver: ActionDriver, header: str, token: str | None) -> None:
    assert get_credentials(connection(driver, ("Authorization", header))).token == token


def test_a_request_with_a_token_is_never_a_sessions(driver: ActionDriver) -> None:
    both = (("Authorization", "Bearer abc"), ("Cookie", "verihub_session=secret; __Host-verihub_session=secret"))
    assert get_credentials(connection(driver, *both)) == Credentials(token="abc")


@pytest.mark.parametrize(
    "header", ["Bearer \x00", "Bearer \xff", "Bearer " + "x" * 100_000, "\x00", "Bearer\xa0abc", "Bearer  "]
)
def test_any_header_is_a_token_or_none(driver: ActionDriver, header: str) -> None:
    found = get_credentials(connection(driver, ("Authorization", header))).token
    assert found is None or (found != "" and found == found.strip())


def test_what_a_route_wrote_is_there_when_it_returns_and_gone_when_it_raises(driver: ActionDriver) -> None:
    for fails in (True, False):
        work = write_transaction(connection(driver), driver.services, Credentials(token="good"))
        unit = next(work)
        assert unit.caller is not None
        unit.session.execute(INSERT)
        if fails:
            with pytest.raises(LookupError):
                work.throw(LookupError())
        else:
            assert next(work, None) is None
        assert len(driver.rows("SELECT id FROM signing_keys")) == (not fails)


def test_a_reading_route_cannot_write(driver: ActionDriver) -> None:
    work = read_transaction(connection(driver), driver.services, Credentials())
    with pytest.raises(OperationalError):
        next(work).session.execute(INSERT)
    work.close()


def test_each_transaction_of_a_request_asks_again_who_the_caller_is(driver: ActionDriver) -> None:
    """A token may have been revoked since the last one."""
    request = connection(driver)
    transactions = Transactions(request, driver.services, Credentials(token="good"))
    with transactions.reading() as first, transactions.reading():
        assert first.caller == caller("ann")
    with transactions.writing() as work:
        work.session.execute(INSERT)
    assert len(request.app.asked) == 3
    assert len(driver.rows("SELECT id FROM signing_keys")) == 1
    revoked = Transactions(request, driver.services, Credentials(token="revoked"))
    with pytest.raises(NotAuthenticatedError), revoked.writing():
        raise AssertionError("nothing runs for whom it cannot tell")


def test_who_sent_it_is_found_without_a_route(driver: ActionDriver) -> None:
    assert find_caller(connection(driver), Credentials(token="good")) == caller("ann")
    assert find_caller(connection(driver), Credentials()) is None
    with pytest.raises(NotAuthenticatedError):
        find_caller(connection(driver), Credentials(token="bad"))
    with driver.reading() as work:
        assert authenticated(work, connection(driver), Credentials()).caller is None


@pytest.mark.parametrize(
    ("configured", "expected"),
    [("", "http://hub.test"), ("https://hub.example/", "https://hub.example"), ("https://h/base", "https://h/base")],
)
def test_readers_are_led_to_the_address_that_the_operator_set(
    driver: ActionDriver, configured: str, expected: str
) -> None:
    settings = driver.services.settings.model_copy(update={"public_url": configured})
    assert public_url(connection(driver), replace(driver.services, settings=settings)) == expected

"""Who is behind a credential: what logs in, what does not, and what each of them may do."""

from dataclasses import replace

import pytest

from hub_server.accounts import actions
from hub_server.accounts.actions.passwords import prove_password
from hub_server.accounts.models import MembershipRow
from hub_server.accounts.queries.accounts import find_account
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.caller import SESSION_LIFETIME, Credentials
from schemas.account import LOGIN_SCOPES, Scope, TokenCreate
from tests.making.action_driver import ActionDriver, person
from tests.making.credentials import OLD, session_of, signed_up, who


def test_a_fresh_account_has_a_token_for_the_command_line_and_is_no_moderator(driver: ActionDriver) -> None:
    found = who(driver, token=signed_up(driver))
    assert found is not None
    assert (found.name, found.scopes, found.is_moderator, found.by_session) == (
        "carol",
        frozenset(LOGIN_SCOPES),
        False,
        False,
    )


@pytest.mark.parametrize(("asked", "kept"), [("", "login"), ("x" * 200, "x" * 80), ("laptop", "laptop")])
def test_a_login_names_its_token_as_long_as_names_may_be(driver: ActionDriver, asked: str, kept: str) -> None:
    signed_up(driver)
    made = driver.do(None, actions.log_in, prove_password(driver.services, "carol", OLD), asked)
    assert made.token.name == kept


def test_a_cookie_lasts_its_time_and_an_old_one_is_nobody_rather_than_an_error(driver: ActionDriver) -> None:
    signed_up(driver)
    cookie = session_of(driver)
    found = who(driver, session_secret=cookie)
    assert found is not None
    assert found.by_session
    driver.clock.advance(SESSION_LIFETIME.total_seconds() + 1)
    assert who(driver, session_secret=cookie) is None


def test_logging_out_ends_that_browser_alone(driver: ActionDriver) -> None:
    signed_up(driver)
    first, second = session_of(driver), session_of(driver)
    driver.do(None, actions.close_web_session, first)
    driver.do(None, actions.close_web_session, "never given out")
    assert who(driver, session_secret=first) is None
    assert who(driver, session_secret=second) is not None


def test_a_bad_token_is_refused_even_beside_a_good_cookie(driver: ActionDriver) -> None:
    """Else a script that sends both would go on as somebody else than it thinks."""
    signed_up(driver)
    with pytest.raises(NotAuthenticatedError):
        who(driver, token="verihub_pat_nonsense", session_secret=session_of(driver))


@pytest.mark.parametrize("secret", ["", " ", "\x00", "é", "x" * 100_000])
def test_any_text_can_be_sent_as_a_cookie(driver: ActionDriver, secret: str) -> None:
    assert who(driver, session_secret=secret) is None


@pytest.mark.parametrize(
    ("kind", "by_row", "by_settings", "scopes", "expected"),
    [
        ("person", True, False, {Scope.MODERATE}, True),
        ("person", False, True, {Scope.MODERATE}, True),
        ("person", True, True, set(Scope) - {Scope.MODERATE}, False),
        ("person", False, False, {Scope.MODERATE}, False),
        ("organization", True, True, {Scope.MODERATE}, False),
    ],
)
def test_a_moderator_is_a_person_who_was_named_and_a_token_that_may(
    driver: ActionDriver, kind: str, by_row: bool, by_settings: bool, scopes: set[Scope], expected: bool
) -> None:
    name = "moda" if by_settings else "carol"
    driver.person(name) if kind == "person" else driver.organization(name)
    with driver.writing() as work:
        row = find_account(work.session, name)
        assert row is not None
        row.is_moderator = by_row
        made = actions.create_token(replace(work, caller=person(name)), TokenCreate(name="t", scopes=sorted(scopes)))
    found = who(driver, token=made.secret)
    assert found is not None
    assert found.is_moderator is expected


def test_the_callers_organisations_come_with_it(driver: ActionDriver) -> None:
    token = signed_up(driver)
    with driver.writing() as work:
        row = find_account(work.session, "carol")
        assert row is not None
        row_id = row.id
    driver.organization("lab")
    driver.organization("other")
    with driver.writing() as work:
        membership = MembershipRow(organization_id="id-lab", account_id=row_id, role="member", created_at=work.now)
        work.session.add(membership)
    found = who(driver, token=token)
    assert found is not None
    assert (found.owns("carol"), found.owns("lab"), found.owns("other")) == (True, True, False)


def test_reading_writes_nothing_not_even_when_a_token_was_last_used(driver: ActionDriver) -> None:
    token = signed_up(driver)
    assert who(driver, token=token) is not None
    assert driver.rows("SELECT last_used_at FROM tokens") == [(None,)]


def test_the_last_use_is_written_at_most_every_five_minutes(driver: ActionDriver) -> None:
    token, seen = signed_up(driver), set()
    for _ in range(4):
        driver.do(None, actions.authenticate, Credentials(token=token))
        seen.update(driver.rows("SELECT last_used_at FROM tokens"))
        driver.clock.advance(100)
    assert len(seen) == 2


def test_forgetting_what_is_over_keeps_what_is_not(driver: ActionDriver) -> None:
    signed_up(driver)
    session_of(driver)
    driver.clock.advance(SESSION_LIFETIME.total_seconds() - 10)
    fresh = session_of(driver)
    driver.clock.advance(20)
    driver.do(None, actions.forget_expired)
    assert len(driver.rows("SELECT * FROM web_sessions")) == 1
    assert who(driver, session_secret=fresh) is not None

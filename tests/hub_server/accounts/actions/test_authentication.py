"""Who is behind a credential: what logs in, what does not, and what each of them may do."""

from dataclasses import replace

import pytest
from argon2 import PasswordHasher

from hub_server.accounts import actions
from hub_server.accounts.actions import authentication
from hub_server.accounts.actions.authentication import account_of, check_name_is_free, prove_password
from hub_server.accounts.errors import AccountNotFoundError, NameTakenError, SignUpClosedError
from hub_server.accounts.models import AccountRow, MembershipRow
from hub_server.accounts.queries.accounts import find_account
from hub_server.accounts.rules.names import RESERVED_NAMES
from hub_server.accounts.rules.secrets import SESSION_LIFETIME
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.caller import Caller, Credentials
from schemas.account import LOGIN_SCOPES, AccountCreate, Scope, TokenCreate
from tests.making.action_driver import ActionDriver, person

OLD, NEW = "correct horse battery staple", "another long password"


def signed_up(driver: ActionDriver, name: str = "carol") -> str:
    wish = AccountCreate(name=name, email=f"{name}@example.org", password=OLD)
    return driver.do(None, actions.sign_up, wish, actions.hash_password(OLD)).token


def session_of(driver: ActionDriver, name: str = "carol") -> str:
    proven = prove_password(driver.services, name, OLD)
    return driver.do(None, actions.open_web_session, proven)[1]


def who(driver: ActionDriver, **credentials: str) -> Caller | None:
    return driver.ask(None, actions.authenticate, Credentials(**credentials))


def test_a_fresh_account_has_a_token_for_the_command_line_and_is_no_moderator(driver: ActionDriver) -> None:
    found = who(driver, token=signed_up(driver))
    assert found is not None
    assert (found.name, found.scopes, found.is_moderator, found.by_session) == (
        "carol",
        frozenset(LOGIN_SCOPES),
        False,
        False,
    )


def test_nobody_signs_up_where_the_operator_closed_it(driver: ActionDriver) -> None:
    settings = driver.services.settings.model_copy(update={"sign_up_open": False})
    driver.services = replace(driver.services, settings=settings)
    with pytest.raises(SignUpClosedError):
        signed_up(driver)
    assert driver.rows("SELECT id FROM accounts") == []


@pytest.mark.parametrize("name", ["carol", "car0l", *sorted(RESERVED_NAMES)[:3]])
def test_a_name_that_is_taken_reserved_or_looks_alike_cannot_be_had(driver: ActionDriver, name: str) -> None:
    signed_up(driver, "carol")
    with driver.reading() as work, pytest.raises(NameTakenError):
        check_name_is_free(work, name)


@pytest.mark.parametrize("one", "l1io0ab")
@pytest.mark.parametrize("other", "l1io0ab")
def test_two_names_of_look_alike_letters_are_taken_together_or_not_at_all(one: str, other: str) -> None:
    fold = authentication.fold_name
    assert fold(fold(one)) == fold(one), "folding twice changes nothing, or a folded name could be taken again"
    assert (fold(f"a{one}b") == fold(f"a{other}b")) == (fold(one) == fold(other))


@pytest.mark.parametrize(
    ("name", "password"), [("carol", "wrong wrong wrong"), ("nobody", OLD), ("carol", ""), ("", OLD), ("team", "")]
)
def test_every_reason_for_a_wrong_password_is_the_same_words(driver: ActionDriver, name: str, password: str) -> None:
    signed_up(driver)
    driver.organization("team")
    with pytest.raises(NotAuthenticatedError, match=r"^Name or password is wrong\.$"):
        prove_password(driver.services, name, password)


def test_a_password_is_hashed_as_owasp_asks(real_hasher: PasswordHasher) -> None:
    """Argon2id with 19 MiB, two passes, one lane. Other tests use a quicker hasher, so this one holds the hub's own."""
    assert real_hasher is not authentication._HASHER
    assert real_hasher.hash(OLD).startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_the_password_of_nobody_opens_no_account_that_has_none(driver: ActionDriver) -> None:
    """An organisation has no password: the hash that stands in for a missing one must not log anybody in as it."""
    driver.organization("team")
    with pytest.raises(NotAuthenticatedError):
        prove_password(driver.services, "team", "nobody has this password")


def test_a_stored_hash_that_is_damaged_is_a_wrong_password_and_no_fault(driver: ActionDriver) -> None:
    signed_up(driver)
    with driver.writing() as work:
        row = find_account(work.session, "carol")
        assert row is not None
        row.password_hash = "$argon2id$damaged"
    with pytest.raises(NotAuthenticatedError):
        prove_password(driver.services, "carol", OLD)


def test_a_password_that_was_changed_between_proof_and_login_no_longer_counts(driver: ActionDriver) -> None:
    signed_up(driver)
    proven = prove_password(driver.services, "carol", OLD)
    driver.do(person("carol"), actions.change_password, proven, actions.hash_password(NEW))
    for act, rest in ((actions.log_in, ("laptop",)), (actions.open_web_session, ())):
        with pytest.raises(NotAuthenticatedError):
            driver.do(None, act, proven, *rest)


def test_nobody_changes_the_password_of_an_account_by_knowing_its_password_and_holding_another_token(
    driver: ActionDriver,
) -> None:
    signed_up(driver)
    proven = prove_password(driver.services, "carol", OLD)
    with pytest.raises(NotAuthenticatedError):
        driver.do(driver.person("bob"), actions.change_password, proven, actions.hash_password(NEW))
    assert prove_password(driver.services, "carol", OLD)


def test_a_new_password_logs_browsers_out_and_revokes_tokens(driver: ActionDriver) -> None:
    token, cookie = signed_up(driver), session_of(driver)
    proven = prove_password(driver.services, "carol", OLD)
    driver.do(who(driver, token=token), actions.change_password, proven, actions.hash_password(NEW))
    assert who(driver, session_secret=cookie) is None
    with pytest.raises(NotAuthenticatedError):
        who(driver, token=token)


def test_a_hash_of_older_parameters_is_renewed_at_the_next_login(driver: ActionDriver) -> None:
    signed_up(driver)
    old = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(OLD)
    with driver.writing() as work:
        row = find_account(work.session, "carol")
        assert row is not None
        row.password_hash = old
    driver.do(None, actions.log_in, prove_password(driver.services, "carol", OLD), "laptop")
    ((stored,),) = driver.rows("SELECT password_hash FROM accounts")
    assert stored != old
    assert not authentication._HASHER.check_needs_rehash(stored)


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


def test_what_everybody_sees_of_an_account_holds_neither_mail_nor_password(driver: ActionDriver) -> None:
    signed_up(driver)
    shown = driver.ask(None, actions.get_account, "carol").model_dump_json()
    assert "example.org" not in shown
    assert "argon2" not in shown


def test_an_organisation_is_no_account_to_read(driver: ActionDriver) -> None:
    driver.organization("team")
    for name in ("team", "nobody", "", "\x00"):
        with pytest.raises(AccountNotFoundError):
            driver.ask(None, actions.get_account, name)


def test_nobody_has_no_account(driver: ActionDriver) -> None:
    assert driver.ask(None, actions.find_caller_account) is None
    found = driver.ask(driver.person("bob"), actions.find_caller_account)
    assert found is not None
    assert found.name == "bob"


def test_a_row_shows_moderators_by_the_operators_list(driver: ActionDriver) -> None:
    with driver.reading() as work:
        row = AccountRow(id="1", name="moda", kind="person", created_at=work.now, is_moderator=False)
        assert account_of(work, row).is_moderator


def test_forgetting_what_is_over_keeps_what_is_not(driver: ActionDriver) -> None:
    signed_up(driver)
    session_of(driver)
    driver.clock.advance(SESSION_LIFETIME.total_seconds() - 10)
    fresh = session_of(driver)
    driver.clock.advance(20)
    driver.do(None, actions.forget_expired)
    assert len(driver.rows("SELECT * FROM web_sessions")) == 1
    assert who(driver, session_secret=fresh) is not None

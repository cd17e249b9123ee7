"""Who may do what: by account, by the scopes of a token, by ownership."""

import pytest

from hub_server.errors import NotAllowedError, NotAuthenticatedError, PasswordNeededError
from hub_server.kernel.caller import (
    Caller,
    operator,
    require_caller,
    require_moderator,
    require_operator,
    require_owner,
    require_person,
    require_proof,
    require_proven_moderator,
)
from schemas.account import Scope

EVERY = frozenset(Scope)


def caller(scopes=EVERY, **more):
    return Caller("id", "alice", frozenset(scopes), **more)


@pytest.mark.parametrize("check", [require_caller, require_moderator, require_person])
def test_nobody_is_told_to_log_in(check) -> None:
    with pytest.raises(NotAuthenticatedError, match="verihub login"):
        check(None)


@pytest.mark.parametrize("scope", Scope)
def test_a_token_does_only_what_its_scopes_say(scope) -> None:
    assert require_caller(caller([scope]), scope).name == "alice"
    with pytest.raises(NotAllowedError, match=scope.value):
        require_caller(caller(EVERY - {scope}), scope)


@pytest.mark.parametrize(
    ("owner", "may"), [("alice", True), ("acme", True), ("bob", False), ("", False), ("ALICE", False)]
)
def test_an_account_acts_for_itself_and_its_organisations(owner, may) -> None:
    alice = caller(organizations=frozenset({"acme"}))
    if may:
        assert require_owner(alice, owner, Scope.PUBLISH) is alice
    else:
        with pytest.raises(NotAllowedError, match="neither your account"):
            require_owner(alice, owner, Scope.PUBLISH)


def test_an_owner_without_the_scope_is_told_of_the_scope_and_not_of_ownership() -> None:
    with pytest.raises(NotAllowedError, match="scope 'publish'"):
        require_owner(caller([Scope.READ]), "alice", Scope.PUBLISH)


def test_every_scope_makes_no_moderator() -> None:
    with pytest.raises(NotAllowedError, match="moderator"):
        require_moderator(caller())
    assert require_moderator(caller(is_moderator=True)).is_moderator
    assert require_proven_moderator(caller(is_moderator=True, by_session=True, is_proven=True)).is_moderator
    assert require_proven_moderator(operator()).is_operator
    for more in ({}, {"by_session": True}):
        with pytest.raises(PasswordNeededError):
            require_proven_moderator(caller(is_moderator=True, **more))
    with pytest.raises(NotAllowedError):
        require_proven_moderator(caller(by_session=True, is_proven=True))


@pytest.mark.parametrize("scopes", [EVERY, EVERY - {Scope.MODERATE}, frozenset()])
def test_no_token_manages_the_account_whatever_its_scopes(scopes) -> None:
    for require in (require_person, require_proof):
        with pytest.raises(PasswordNeededError, match="token"):
            require(caller(scopes))


def test_a_session_manages_the_account_and_what_lasts_needs_the_password_again() -> None:
    assert require_person(caller([], by_session=True)).by_session
    with pytest.raises(PasswordNeededError):
        require_proof(caller([], by_session=True))
    assert require_proof(caller([], by_session=True, is_proven=True)).is_proven


def test_the_operator_is_nobody_who_comes_over_the_network() -> None:
    with pytest.raises(NotAllowedError):
        require_operator(caller(is_moderator=True, by_session=True, is_proven=True))
    assert require_operator(operator()).is_operator

"""Who may do what: by account, by the scopes of a token, by ownership."""

import pytest

from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.kernel.caller import Caller, require_caller, require_moderator, require_owner, require_person
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


@pytest.mark.parametrize("missing", [scope for scope in Scope if scope is not Scope.MODERATE])
def test_a_limited_token_never_manages_the_account(missing) -> None:
    with pytest.raises(NotAllowedError, match="limited scope"):
        require_person(caller(EVERY - {missing}))


def test_a_session_and_a_token_with_all_scopes_but_moderate_manage_the_account() -> None:
    assert require_person(caller([], by_session=True)).by_session
    assert require_person(caller(EVERY - {Scope.MODERATE})).name == "alice"

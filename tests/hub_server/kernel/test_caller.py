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
    require_password,
    require_person,
    require_publisher,
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
        assert require_owner(alice, owner, Scope.RUNS) is alice
    else:
        with pytest.raises(NotAllowedError, match="neither your account"):
            require_owner(alice, owner, Scope.RUNS)


def test_publishing_for_an_organisation_takes_more_than_membership() -> None:
    acme = frozenset({"acme"})
    with pytest.raises(NotAllowedError, match="maintainer"):
        require_owner(caller(organizations=acme), "acme", Scope.PUBLISH)
    assert require_owner(caller(organizations=acme, maintained=acme), "acme", Scope.PUBLISH).name == "alice"


@pytest.mark.parametrize(
    ("owner", "may"), [("alice", True), ("acme", True), ("visited", False), ("bob", False), ("", False)]
)
def test_a_member_of_an_organisation_publishes_nothing_for_it_and_is_not_told_whose_it_is(owner, may) -> None:
    alice = caller(organizations=frozenset({"acme", "visited"}), maintained=frozenset({"acme"}))
    if may:
        assert require_publisher(alice, "some/package", owner) is alice
        return
    with pytest.raises(NotAllowedError, match="some/package") as refused:
        require_publisher(alice, "some/package", owner)
    assert not owner or owner not in refused.value.detail, "it would say that a private package exists"


def test_a_token_of_one_package_publishes_no_other() -> None:
    workflow = caller(only_package="alice/sums")
    assert require_publisher(workflow, "alice/sums", "alice") is workflow
    with pytest.raises(NotAllowedError, match="nothing else"):
        require_publisher(workflow, "alice/other", "alice")


def test_an_owner_without_the_scope_is_told_of_the_scope_and_not_of_ownership() -> None:
    with pytest.raises(NotAllowedError, match="scope 'publish'"):
        require_owner(caller([Scope.READ]), "alice", Scope.PUBLISH)


def test_every_scope_makes_no_moderator() -> None:
    with pytest.raises(NotAllowedError, match="moderator"):
        require_moderator(caller())
    assert require_moderator(caller(is_moderator=True)).is_moderator


@pytest.mark.parametrize("scopes", [EVERY, EVERY - {Scope.MODERATE}, frozenset()])
def test_no_token_manages_the_account_whatever_its_scopes(scopes) -> None:
    for require in (require_person, require_password):
        with pytest.raises(PasswordNeededError, match="token"):
            require(caller(scopes))


def test_a_session_manages_the_account_and_what_lasts_needs_the_password_again() -> None:
    assert require_person(caller([], by_session=True)).by_session
    with pytest.raises(PasswordNeededError):
        require_password(caller([], by_session=True))
    assert require_password(caller([], by_session=True, is_proven=True)).is_proven


def test_the_operator_is_nobody_who_comes_over_the_network() -> None:
    with pytest.raises(NotAllowedError):
        require_operator(caller(is_moderator=True, by_session=True, is_proven=True))
    assert require_operator(operator()).is_operator

"""Organisations from the command line: who is asked is no member, and answers for themselves alone."""

import json

import pytest

from schemas.names import check_package_id

ANN, BOB = {"account": "ann", "role": "owner"}, {"account": "bob", "role": "member"}
LAB = {"name": "lab", "display_name": "", "created_at": "2026-11-01T00:00:00Z", "members": [ANN]}
ASKED = {"organization": "lab", "role": "member", "invited_by": "ann", "created_at": "2026-11-01T00:00:00Z"}


def test_who_is_asked_is_shown_apart_from_the_members(verihub, scripted):
    scripted.on("PUT", "/organizations/lab/members", {**LAB, "invited": [BOB]})
    said = verihub("organization", "invite", "lab", "bob")
    assert (said.code, said.out.splitlines()) == (0, ["lab: ann (owner)", "invited: bob (member)"])
    assert json.loads(scripted.bodies[0]) == {"account": "bob", "role": "member"}


@pytest.mark.parametrize(("word", "accept", "said"), [("accept", True, "lab: ann (owner), bob (member)"),
                                                      ("decline", False, "declined: you are no member of lab")])  # fmt: skip
def test_an_invitation_is_accepted_or_declined(verihub, scripted, word, accept, said):
    scripted.on("POST", "/organizations/lab/invitation", {**LAB, "members": [ANN, BOB] if accept else [ANN]})
    assert verihub("organization", word, "lab").out.strip() == said
    assert json.loads(scripted.bodies[0]) == {"accept": accept}


def test_invitations_are_listed_and_none_is_said(verihub, scripted):
    scripted.on("GET", "/account/invitations", {"items": [ASKED]})
    assert verihub("organization", "invitations").out.strip() == "lab invites you as member (by ann)"
    assert verihub("organization", "invitations", "-q").out.strip() == "lab"
    scripted.on("GET", "/account/invitations", {"items": []})
    assert verihub("organization", "invitations").out.strip() == "no invitations"


def test_an_organisation_is_founded_shown_and_left(verihub, scripted):
    scripted.on("POST", "/organizations", LAB)
    scripted.on("GET", "/organizations/lab", LAB)
    scripted.on("DELETE", "/organizations/lab/members/bob", LAB)
    for arguments in (("create", "lab"), ("show", "lab"), ("remove", "lab", "bob")):
        said = verihub("organization", *arguments)
        assert (said.code, said.out.strip()) == (0, "lab: ann (owner)")


def test_a_name_that_no_account_can_have_is_no_request(verihub, scripted):
    assert verihub("organization", "invite", "lab", "No Name").code == 2
    assert scripted.asked == []


@pytest.mark.parametrize("word", ["create", "show", "invite", "remove", "accept", "decline"])
def test_the_examples_name_an_organisation_that_can_be(verihub, word):
    """They had a hyphen, which the hub refuses in the name of an account."""
    shown = verihub("organization", word, "--help").out.split("Examples:")[1]
    name = shown.split(f"verihub organization {word} ")[1].split()[0]
    assert check_package_id(f"{name}/x")

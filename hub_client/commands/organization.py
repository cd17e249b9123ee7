"""``verihub organization``: several people publish under one name; nobody becomes a member without accepting."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context, request_of
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import send_as_person
from hub_client.transport.requests import accounts
from schemas.account import InvitationAnswer, Member, Organization, OrganizationCreate, Role

app = subcommands("Organisations: create, invite, accept, leave.")

Name = Annotated[str, typer.Argument(metavar="ORGANIZATION", help="The organisation.")]
Who = Annotated[str, typer.Argument(metavar="ACCOUNT", help="The account.")]


@app.command()
def create(name: Name) -> None:
    """Create an organisation; you are its first owner.

    \b
    Examples:
      verihub organization create ourlab
    """
    with open_context() as context:
        made = send_as_person(context, accounts.create_organization(request_of(OrganizationCreate, name=name)))
        context.output.result(made, human=_text(made), quiet=made.name)


@app.command()
def show(name: Name) -> None:
    """Show an organisation's members. Members also see who was invited.

    \b
    Examples:
      verihub organization show ourlab
    """
    with open_context() as context:
        found = context.hub.send(accounts.get_organization(name))
        members = "\n".join(member.account for member in found.members)
        context.output.result(found, human=_text(found), quiet=members)


@app.command()
def invite(
    name: Name,
    account: Who,
    role: Annotated[
        Role,
        typer.Option(help="A member sees what is private; a maintainer publishes; an owner changes the members."),
    ] = Role.MEMBER,
) -> None:
    """Invite an account, or change a member's role. The account becomes a member when it accepts.

    \b
    Examples:
      verihub organization invite ourlab bob --role maintainer
    """
    with open_context() as context:
        member = request_of(Member, account=account, role=role)
        found = send_as_person(context, accounts.invite_member(name, member))
        context.output.result(found, human=_text(found), quiet=found.name)


@app.command()
def remove(name: Name, account: Who) -> None:
    """Remove a member, take an invitation back, or leave.

    \b
    Examples:
      verihub organization remove ourlab bob
    """
    with open_context() as context:
        found = send_as_person(context, accounts.remove_member(name, account))
        context.output.result(found, human=_text(found), quiet=found.name)


@app.command()
def invitations() -> None:
    """List the organisations that have invited you.

    \b
    Examples:
      verihub organization invitations
    """
    with open_context() as context:
        found = send_as_person(context, accounts.list_invitations()).items
        lines = [f"{one.organization} invites you as {one.role} (by {one.invited_by})" for one in found]
        human = "\n".join(lines) or "no invitations"
        context.output.result({"items": found}, human=human, quiet="\n".join(one.organization for one in found))


@app.command()
def accept(name: Name) -> None:
    """Accept an invitation. Your labels and votes no longer count for its packages, which are then yours too.

    \b
    Examples:
      verihub organization accept ourlab
    """
    _answer(name, is_accepted=True)


@app.command()
def decline(name: Name) -> None:
    """Decline an invitation.

    \b
    Examples:
      verihub organization decline ourlab
    """
    _answer(name, is_accepted=False)


def _answer(name: str, *, is_accepted: bool) -> None:
    with open_context() as context:
        found = send_as_person(context, accounts.answer_invitation(name, InvitationAnswer(accept=is_accepted)))
        human = _text(found) if is_accepted else f"declined: you are no member of {found.name}"
        context.output.result(found, human=human, quiet=found.name)


def _text(found: Organization) -> str:
    lines = [f"{found.name}: " + ", ".join(f"{one.account} ({one.role})" for one in found.members)]
    lines += [
        f"{one.account} is to be no owner from {one.ends_at:%Y-%m-%d %H:%M} UTC on; each owner can stop it: "
        f"verihub organization invite {found.name} {one.account} --role owner"
        for one in found.members
        if one.ends_at is not None
    ]
    if found.invited:
        lines.append("invited: " + ", ".join(f"{one.account} ({one.role})" for one in found.invited))
    return "\n".join(lines)

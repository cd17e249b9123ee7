"""``verihub owner``: who owns a package; giving it away, archiving it, deleting releases that nobody uses yet.

Also what an owner says of itself.
"""

from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context, request_of
from hub_client.commands.confirmation import require_yes
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import send_as_person
from hub_client.errors import UsageError
from hub_client.transport.requests import accounts, ownership
from schemas.account import OwnerProfile, Profile
from schemas.ownership import Transfer, TransferCreate, TransferState

app = subcommands("Who has a package: give it away, archive it, delete it. What an owner says of itself.")

Package = Annotated[str, typer.Argument(metavar="OWNER/NAME", help="One package.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@app.command()
def show(name: Package) -> None:
    """Say who has a package, and to whom it was given before.

    \b
    Examples:
      verihub owner show alice/final-number
    """
    package = parse_reference(name).package
    with open_context() as context:
        detail = context.hub.package(package)
        transfers = context.hub.send(ownership.list_transfers(package)).items
        lines = [f"{package} is {detail.owner}'s"]
        lines += [f"  {_words(one)}" for one in transfers]
        if detail.archived_reason is not None:
            lines.append(f"  archived: {detail.archived_reason}")
        data = {"package": package, "owner": detail.owner, "archived_reason": detail.archived_reason}
        context.output.result({**data, "transfers": transfers}, human="\n".join(lines), quiet=detail.owner)


@app.command()
def offer(
    name: Package,
    to: Annotated[str, typer.Argument(metavar="RECEIVER", help="An account or an organisation.")],
) -> None:
    """Offer a package to somebody else. It is theirs once they accept, and keeps its name and all its releases.

    Users who have pinned it get the same bytes as before. Your workflows can no longer publish it.

    \b
    Examples:
      verihub owner offer alice/final-number ourlab
    """
    package = parse_reference(name).package
    with open_context() as context:
        to = request_of(TransferCreate, to=to).to
        made = send_as_person(context, ownership.offer(package, to))
        human = f"{_words(made)}\n{to} accepts by: verihub owner accept {package}"
        context.output.result(made, human=human, quiet=made.state)


@app.command(name="take-back")
def take_back(name: Package) -> None:
    """Take an offer back that has no answer yet.

    \b
    Examples:
      verihub owner take-back alice/final-number
    """
    package = parse_reference(name).package
    with open_context() as context:
        send_as_person(context, ownership.take_back(package))
        context.output.result({"package": package}, human=f"{package} is offered to nobody")


@app.command()
def offers() -> None:
    """List the packages that are offered to you. Also those to organisations that you are an owner of.

    \b
    Examples:
      verihub owner offers
    """
    with open_context() as context:
        found = context.hub.send(ownership.list_offers()).items
        human = "\n".join(_words(one) for one in found) or "no offers"
        context.output.result({"items": found}, human=human, quiet="\n".join(one.package for one in found))


@app.command()
def accept(name: Package) -> None:
    """Take over a package that was offered to you. What you have measured of it counts as its owner's from then on.

    \b
    Examples:
      verihub owner accept alice/final-number
    """
    _answer(name, is_accepted=True)


@app.command()
def decline(name: Package) -> None:
    """Decline a package that was offered to you.

    \b
    Examples:
      verihub owner decline alice/final-number
    """
    _answer(name, is_accepted=False)


@app.command()
def archive(
    name: Package,
    reason: Annotated[str, typer.Option(help="Why, and what to use instead.")] = "",
) -> None:
    """Close a package to new releases. Its releases stay usable, and their users read the reason.

    \b
    Examples:
      verihub owner archive alice/final-number --reason 'use alice/last-number'
    """
    package = parse_reference(name).package
    if not reason.strip():
        raise UsageError("say why with --reason: whoever uses the package reads it")
    with open_context() as context:
        found = context.hub.send(ownership.archive(package, reason))
        context.output.result(found.card, human=f"{package} is archived", quiet="archived")


@app.command()
def unarchive(name: Package) -> None:
    """Go on with an archived package.

    \b
    Examples:
      verihub owner unarchive alice/final-number
    """
    package = parse_reference(name).package
    with open_context() as context:
        found = context.hub.send(ownership.unarchive(package))
        context.output.result(found.card, human=f"{package} is open", quiet="open")


@app.command()
def delete(
    reference: Annotated[str, typer.Argument(metavar="OWNER/NAME[@VERSION]", help="One release, or all of a package.")],
    yes: Yes = False,
) -> None:
    """Delete releases for good. It works for three days, as long as nobody else has built on them.

    No other release gets that version, and the name stays yours. After three days: yank it, or archive the package.

    \b
    Examples:
      verihub owner delete alice/final-number@0.1.0
      verihub owner delete alice/final-number --yes
    """
    wanted = parse_reference(reference)
    if wanted.specifier is not None or reference.endswith("@latest"):
        raise UsageError(f"name one release, for example {wanted.package}@1.0.0, or {wanted.package} for all of them")
    chosen = wanted.version or wanted.digest
    require_yes(f"Delete {reference} for good?", yes=yes)
    package = wanted.package
    with open_context() as context:
        call = ownership.delete_release(package, chosen) if chosen else ownership.delete_package(package)
        send_as_person(context, call)
        context.output.result({"deleted": reference}, human=f"{reference} is deleted", quiet=reference)


@app.command()
def delete_run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run of yours, as its address ends.")],
    yes: Yes = False,
) -> None:
    """Delete a run for good, with its metrics and rollouts. Their bytes no longer count against your limit.

    \b
    Examples:
      verihub owner delete-run 01k0c9s0v4f0m7q8
    """
    require_yes(f"Delete run {run} for good?", yes=yes)
    with open_context() as context:
        send_as_person(context, ownership.delete_run(run))
        context.output.result({"deleted": run}, human=f"run {run} is deleted", quiet=run)


@app.command()
def profile(
    owner: Annotated[str, typer.Argument(metavar="OWNER", help="An account or an organisation.")],
    display_name: Annotated[str | None, typer.Option(help="What it is called in full.")] = None,
    description: Annotated[str | None, typer.Option(help="One or two sentences.")] = None,
    link: Annotated[str | None, typer.Option(help="A web page of its own, http or https.")] = None,
) -> None:
    """Show what an owner says of itself, or change it. What you do not name stays; '' empties a field.

    \b
    Examples:
      verihub owner profile ourlab
      verihub owner profile ourlab --description 'Verifiers for chemistry.' --link https://example.org/lab
    """
    given = {"display_name": display_name, "description": description, "link": link}
    changes = {name: value for name, value in given.items() if value is not None}
    with open_context() as context:
        found = context.hub.send(accounts.get_profile(owner))
        if changes:
            said = {name: getattr(found, name) for name in Profile.model_fields}
            found = send_as_person(context, accounts.change_profile(owner, request_of(Profile, **{**said, **changes})))
        context.output.result(found, human=_profile_text(found), quiet=found.name)


def _profile_text(found: OwnerProfile) -> str:
    kind = "an organisation" if found.kind == "organization" else "a person"
    lines = [f"{found.name}: {kind}, here since {found.created_at:%Y-%m-%d}"]
    lines += [f"  {text}" for text in (found.display_name, found.description, found.link) if text]
    if found.hidden_reason is not None:
        lines.append(f"  moderators hide what it says of itself: {found.hidden_reason}")
    return "\n".join(lines)


def _answer(name: str, *, is_accepted: bool) -> None:
    package = parse_reference(name).package
    with open_context() as context:
        found = send_as_person(context, ownership.answer(package, accept=is_accepted))
        human = f"{package} is {found.to_owner}'s" if is_accepted else f"declined: {package} stays {found.from_owner}'s"
        context.output.result(found, human=human, quiet=found.state)


def _words(one: Transfer) -> str:
    if one.state is TransferState.ACCEPTED and one.answered_at is not None:
        return f"{one.package}: given by {one.from_owner} to {one.to_owner} on {one.answered_at:%Y-%m-%d}"
    state = "is offered" if one.state is TransferState.OPEN else "was offered and declined"
    return f"{one.package}: {state} to {one.to_owner} (by {one.offered_by}, {one.offered_at:%Y-%m-%d})"

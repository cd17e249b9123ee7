"""``verihub key``: the key that one signs releases with."""

from typing import Annotated

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import send_as_person
from hub_client.integrity.author_keys import AuthorKeyFile
from hub_client.terminal.output import table
from hub_client.transport.requests import accounts
from schemas.account import AuthorKeyCreate
from schemas.journal.authors import key_claim
from schemas.journal.entries import encode
from schemas.journal.signed_note import key_id

app = subcommands("Sign your releases with a key of your own.")


@app.command()
def new() -> None:
    """Make a key for this hub, unless there is one, and register it. From then on `verihub publish` signs with it.

    \b
    Examples:
      verihub key new
    """
    with open_context() as context:
        name = context.hub.send(accounts.whoami()).name
        file = _file(context)
        is_fresh = file.find() is None
        key = file.make()
        claim = encode(key.sign(key_claim(name)))
        try:
            made = send_as_person(
                context, accounts.add_author_key(AuthorKeyCreate(public_key=_public(key), claim=claim))
            )
        except BaseException:
            if is_fresh:
                file.forget()  # otherwise the next publish would sign with a key that the hub does not know
            raise
        human = f"key {made.id} signs the releases of {name} on {context.hub.url} from now on"
        context.output.result(made, human=human, quiet=made.id)
        context.output.remark(f"it is in {file.path}: keep a copy, nobody else has one")


@app.command()
def show() -> None:
    """List your keys on the hub, and say which one is on this machine.

    \b
    Examples:
      verihub key show
    """
    with open_context() as context:
        found = context.hub.send(accounts.list_author_keys()).items
        key = _file(context).find()
        here = key_id(_public(key)) if key is not None else ""
        listing = table("key", "public key", "since", "")
        for item in found:
            listing.add_row(item.id, item.public_key, f"{item.added_at:%Y-%m-%d}", "here" if item.id == here else "")
        if here and here not in {item.id for item in found}:
            context.output.warn(f"the key {here} is on this machine, and the hub does not take it: verihub key new")
        human = listing if found else "no keys: releases come unsigned (`verihub key new`)"
        context.output.result({"items": found, "here": here}, human=human, quiet="\n".join(one.id for one in found))


@app.command()
def remove(key: Annotated[str, typer.Argument(metavar="KEY", help="As `verihub key show` lists it.")]) -> None:
    """Stop signing with a key: no new release may use it. What it has signed keeps its signature.

    Where the key is on this machine, it is deleted.

    \b
    Examples:
      verihub key remove 3f9c1b7a5d2e4860
    """
    with open_context() as context:
        send_as_person(context, accounts.remove_author_key(key))
        file = _file(context)
        here = file.find()
        if here is not None and key_id(_public(here)) == key:
            file.forget()
        context.output.result({"removed": key}, human=f"{key} signs nothing any more")


def _file(context: CommandContext) -> AuthorKeyFile:
    return AuthorKeyFile(context.settings.config_dir, context.settings.url)


def _public(key: Ed25519PrivateKey) -> str:
    return encode(key.public_key().public_bytes_raw())

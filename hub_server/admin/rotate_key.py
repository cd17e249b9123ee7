"""``verihub admin rotate-key``: the hub goes on with another key, and what the old one signed stays good."""

from pathlib import Path
from typing import Annotated

import typer

from hub_server.admin.opened_hub import Data, opened_hub
from hub_server.cli import say
from hub_server.errors import InvalidRequestError
from hub_server.journal import actions
from hub_server.kernel.caller import operator
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.wiring import open_following_signer, put_following_key_in_place


def rotate_key(
    to: Annotated[
        Path | None,
        typer.Option(help="The new key (Ed25519, PEM), where VERIHUB_SERVER_SIGNING_KEY names the present one."),
    ] = None,
    data: Data = None,
) -> None:
    """Sign with a new key from now on.

    Present key and new key both sign that the hub goes on with the new one, so clients that know one trust the other.
    What the present key has signed stays good. Restart the hub's processes afterwards: they hold the present key.
    Cases that audits draw in secret are drawn anew.

    \b
    Examples:
      verihub admin rotate-key --data /srv/verihub
      verihub admin rotate-key --to /etc/verihub/2027.pem
    """
    with opened_hub(data, on_mirror=False) as services:
        settings = services.settings
        if (to is None) != (settings.signing_key is None):
            raise InvalidRequestError(
                "The setting VERIHUB_SERVER_SIGNING_KEY names the key: make a new one, and name it with --to."
                if to is None
                else "This hub keeps its key in its data folder and makes the new one there: leave --to out."
            )
        following = open_following_signer(settings, to)
        with services.database.writing() as session:
            actions.rotate_key(UnitOfWork(session, services, operator()), following)
        former = services.signer.key_id
        if to is None:
            put_following_key_in_place(settings)
    say(f"The hub signs with {following.key_id} from its next start on; it was {former}.")
    say("Restart its processes now." if to is None else f"Set VERIHUB_SERVER_SIGNING_KEY to {to} and restart it now.")

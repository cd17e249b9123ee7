"""``verihub report``: tell a hub's moderators about a package."""

from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context, request_of
from hub_client.errors import UsageError
from hub_client.transport.requests import reports
from schemas.moderation import ReportCreate, ReportReason


def report(
    reference: Annotated[
        str, typer.Argument(metavar="OWNER/NAME[@VERSION]", help="A package, or one of its releases.")
    ],
    reason: Annotated[
        ReportReason,
        typer.Option(
            help="malware: its code does harm. dishonest: labels or rates that are made to deceive. licence: it breaks "
            "one. spam: it is no package that does anything."
        ),
    ],
    text: Annotated[str, typer.Option(help="What you saw, so that others can see it too.")] = "",
) -> None:
    """Tell the moderators about a package. Only they read it. If a verdict is wrong, submit it: `verihub cases add`.

    \b
    Examples:
      verihub report mallory/final-number@1.0.0 --reason malware --text 'verify() opens a socket in line 12'
    """
    wanted = parse_reference(reference)
    if wanted.specifier is not None or wanted.digest is not None:
        raise UsageError(f"name a package or one release, for example {wanted.package}@1.0.0")
    if not text.strip():
        raise UsageError("say what you saw with --text: the moderators have nothing else to go by")
    with open_context() as context:
        body = request_of(ReportCreate, reason=reason, text=text.strip(), version=wanted.version)
        sent = context.hub.send(reports.send_report(wanted.package, body))
        human = f"the moderators have it as {sent.id}; what they decide stands in {context.settings.url}/moderation"
        context.output.result(sent, human=human, quiet=sent.id)

"""``verihub report``: tell a hub's moderators about a package, a person or an organisation."""

import re
from typing import Annotated

import typer

from hub_client.client import parse_reference
from hub_client.commands.command_context import open_context, request_of
from hub_client.errors import UsageError
from hub_client.transport.requests import reports
from hub_client.transport.requests.call import ApiCall
from schemas.moderation import OwnerReportCreate, Report, ReportCreate, ReportReason
from schemas.names import OWNER_PATTERN, names_package


def report(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="OWNER[/NAME[@VERSION]]", help="A package, one of its releases, a person or an organisation."
        ),
    ],
    reason: Annotated[
        ReportReason,
        typer.Option(
            help="malware: code does harm. dishonest: labels or rates that are made to deceive, or somebody who says "
            "to be another. licence: it breaks one. spam: it is no package that does anything, or advertises."
        ),
    ],
    text: Annotated[str, typer.Option(help="What you saw, so that others can see it too.")] = "",
) -> None:
    """Tell the moderators about a package, a person or an organisation. Only they read it.

    If a verdict is wrong, submit it: `verihub cases add`.

    \b
    Examples:
      verihub report mallory/final-number@1.0.0 --reason malware --text 'verify() opens a socket in line 12'
      verihub report mallory --reason dishonest --text 'the profile says that it is the lecture account'
    """
    call = _about_package if names_package(reference) else _about_owner
    if not text.strip():
        raise UsageError("say what you saw with --text: the moderators have nothing else to go by")
    request = call(reference, reason, text.strip())
    with open_context() as context:
        sent = context.hub.send(request)
        human = f"the moderators have it as {sent.id}; what they decide stands in {context.settings.url}/moderation"
        context.output.result(sent, human=human, quiet=sent.id)


def _about_package(reference: str, reason: ReportReason, text: str) -> ApiCall[Report]:
    wanted = parse_reference(reference)
    if wanted.specifier is not None or wanted.digest is not None:
        raise UsageError(f"name a package or one release, for example {wanted.package}@1.0.0")
    body = request_of(ReportCreate, reason=reason, text=text, version=wanted.version)
    return reports.send_report(wanted.package, body)


def _about_owner(name: str, reason: ReportReason, text: str) -> ApiCall[Report]:
    if re.fullmatch(OWNER_PATTERN, name) is None:
        raise UsageError(
            f"{name!r} is no person, organisation or package: an owner's name has 2 to 39 letters a-z and digits, and "
            "a package is OWNER/NAME"
        )
    return reports.send_owner_report(name, request_of(OwnerReportCreate, reason=reason, text=text))

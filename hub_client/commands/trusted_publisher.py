"""``verihub trusted-publisher``: workflows of GitHub or GitLab that publish a package without a stored token."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context, request_of
from hub_client.commands.group import subcommands
from hub_client.commands.package_ids import checked_id
from hub_client.commands.password_proof import send_as_person
from hub_client.errors import UsageError
from hub_client.terminal.output import table
from hub_client.transport.requests import trusted_publishers
from schemas.trusted_publishers import Provider, TrustedPublisher, TrustedPublisherCreate

app = subcommands("Let workflows of GitHub or GitLab publish without a stored token.")

_ISSUERS = {Provider.GITHUB: "https://token.actions.githubusercontent.com", Provider.GITLAB: "https://gitlab.com"}
Package = Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The package; it need not exist yet.")]


@app.command()
def add(
    package: Package,
    github: Annotated[str, typer.Option(metavar="OWNER/REPOSITORY", help="A repository at GitHub.")] = "",
    gitlab: Annotated[str, typer.Option(metavar="GROUP/PROJECT", help="A project at GitLab.")] = "",
    workflow: Annotated[
        str, typer.Option(metavar="FILE", help="The workflow's file; at GitLab .gitlab-ci.yml unless you say another.")
    ] = "",
    environment: Annotated[str, typer.Option(help="Only jobs in this environment. Recommended.")] = "",
    issuer: Annotated[str, typer.Option(metavar="URL", help="The identity provider, if it is your own.")] = "",
) -> None:
    """Let one workflow publish a package, in your name.

    \b
    Examples:
      verihub trusted-publisher add alice/sums --github alice/sums --workflow release.yml --environment release
      verihub trusted-publisher add alice/sums --gitlab lab/sums
    """
    if bool(github) == bool(gitlab):
        raise UsageError("name either --github OWNER/REPOSITORY or --gitlab GROUP/PROJECT")
    if github and not workflow:
        raise UsageError("name the workflow that publishes: --workflow release.yml")
    provider = Provider.GITHUB if github else Provider.GITLAB
    with open_context() as context:
        publisher = request_of(
            TrustedPublisherCreate,
            provider=provider,
            issuer=issuer.rstrip("/") or _ISSUERS[provider],
            repository=github or gitlab,
            workflow=workflow or ".gitlab-ci.yml",
            environment=environment,
        )
        made = send_as_person(context, trusted_publishers.add_publisher(checked_id(package), publisher))
        context.output.result(made, human=f"{package} may be published by {_words(made)}", quiet=made.id)
        context.output.remark(f"its identity token must have the audience {context.settings.url}")


@app.command(name="list")
def list_publishers(package: Package) -> None:
    """List the workflows that may publish a package.

    \b
    Examples:
      verihub trusted-publisher list alice/sums
    """
    with open_context() as context:
        found = send_as_person(context, trusted_publishers.list_publishers(checked_id(package))).items
        listing = table("id", "who", "registered by", "last used")
        for item in found:
            used = f"{item.last_used_at:%Y-%m-%d}" if item.last_used_at else "never"
            listing.add_row(item.id, _words(item), item.registered_by, used)
        human = listing if found else "no trusted publishers"
        context.output.result({"items": found}, human=human, quiet="\n".join(item.id for item in found))


@app.command()
def remove(
    package: Package,
    publisher_id: Annotated[str, typer.Argument(metavar="ID", help="As `verihub trusted-publisher list` shows it.")],
) -> None:
    """Remove a workflow: it can no longer publish the package.

    \b
    Examples:
      verihub trusted-publisher remove alice/sums ID
    """
    with open_context() as context:
        send_as_person(context, trusted_publishers.remove_publisher(checked_id(package), publisher_id))
        context.output.result({"removed": publisher_id}, human=f"{publisher_id} publishes {package} no more")


def _words(publisher: TrustedPublisher) -> str:
    place = f"{publisher.provider}: {publisher.repository} {publisher.workflow}"
    return f"{place} in environment {publisher.environment}" if publisher.environment else place

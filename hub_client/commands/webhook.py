"""``verihub webhook``: addresses that a hub sends events to."""

from typing import Annotated

import typer

from hub_client.commands.command_context import open_context, request_of
from hub_client.commands.group import subcommands
from hub_client.commands.password_proof import send_as_person
from hub_client.errors import UsageError
from hub_client.terminal.output import table
from hub_client.transport.requests import accounts, webhooks
from schemas.events import EventKind
from schemas.names import names_package
from schemas.webhooks import Webhook, WebhookCreate, WebhookSecret

app = subcommands("Have the hub tell your programs what happens.")

WebhookId = Annotated[str, typer.Argument(metavar="ID", help="As `verihub webhook list` shows it.")]


@app.command()
def add(
    what: Annotated[str, typer.Argument(metavar="OWNER[/NAME]", help="A package, or all that an owner has.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="Where to send it: https://…, at a public address.")],
    event: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="Only this kind, e.g. release.published. May be repeated.")
    ] = None,
) -> None:
    """Have the hub send what happens to a URL of yours, signed.

    The secret that signs is shown once.

    \b
    Examples:
      verihub webhook add alice/sums https://hooks.example/verihub
      verihub webhook add alice https://hooks.example/verihub --event release.published --event release.yanked
    """
    unknown = [kind for kind in event or [] if kind not in set(EventKind)]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no kind of event: use {', '.join(EventKind)}")
    if not url.startswith(("https://", "http://")):
        raise UsageError(f"{url!r} is no web address: one begins with https:// (or http://)")
    with open_context() as context:
        package = what if names_package(what) else None
        wanted = request_of(
            WebhookCreate,
            owner=what.partition("/")[0],
            package=package,
            url=url,
            events=[EventKind(k) for k in event or []],
        )
        made = send_as_person(context, webhooks.add_webhook(wanted))
        context.output.result(made, human=_with_secret(made), quiet=made.secret)
        context.output.remark(f"try it: verihub webhook test {made.webhook.id}")


@app.command(name="list")
def list_webhooks(
    owner: Annotated[
        str | None, typer.Argument(metavar="OWNER", help="You, or an organisation.", show_default="you")
    ] = None,
) -> None:
    """List the webhooks of an owner.

    \b
    Examples:
      verihub webhook list
      verihub webhook list ourlab
    """
    with open_context() as context:
        whose = owner or context.hub.send(accounts.whoami()).name
        found = send_as_person(context, webhooks.list_webhooks(whose)).items
        listing = table("id", "of", "address", "events", "state")
        for item in found:
            kinds = ", ".join(item.events) or "all"
            listing.add_row(item.id, item.package or item.owner, item.url, kinds, _state(item))
        human = listing if found else "no webhooks"
        context.output.result({"items": found}, human=human, quiet="\n".join(item.id for item in found))


@app.command()
def remove(webhook: WebhookId) -> None:
    """Send nothing more to a webhook, and forget what was sent.

    \b
    Examples:
      verihub webhook remove ID
    """
    with open_context() as context:
        send_as_person(context, webhooks.remove_webhook(webhook))
        context.output.result({"removed": webhook}, human=f"{webhook} is removed")


@app.command()
def rotate(webhook: WebhookId) -> None:
    """Give a webhook another secret. The former one signs beside it for a day.

    \b
    Examples:
      verihub webhook rotate ID
    """
    with open_context() as context:
        made = send_as_person(context, webhooks.rotate_secret(webhook))
        context.output.result(made, human=_with_secret(made), quiet=made.secret)


@app.command()
def enable(webhook: WebhookId) -> None:
    """Switch a webhook on again.

    \b
    Examples:
      verihub webhook enable ID
    """
    with open_context() as context:
        found = send_as_person(context, webhooks.enable_webhook(webhook))
        context.output.result(found, human=f"{webhook}: {_state(found)}")


@app.command()
def test(webhook: WebhookId) -> None:
    """Send a test message to a webhook.

    \b
    Examples:
      verihub webhook test ID
    """
    with open_context() as context:
        sent = send_as_person(context, webhooks.send_test(webhook))
        context.output.result(sent, human=f"message {sent.id} is on its way", quiet=sent.id)
        context.output.remark(f"what became of it: verihub webhook log {webhook}")


@app.command()
def log(webhook: WebhookId) -> None:
    """Show what was sent to a webhook, newest first, and what came back.

    \b
    Examples:
      verihub webhook log ID
    """
    with open_context() as context:
        found = send_as_person(context, webhooks.list_deliveries(webhook)).items
        listing = table("message", "type", "about", "state", "tries", "answer")
        for item in found:
            answer = str(item.status or "") if item.state == "delivered" else f"{item.status or ''} {item.note}".strip()
            listing.add_row(item.id, item.type, item.subject, item.state, str(item.attempts), answer)
        human = listing if found else "nothing was sent yet"
        context.output.result({"items": found}, human=human, quiet="\n".join(item.id for item in found))


@app.command()
def again(
    webhook: WebhookId,
    message: Annotated[str, typer.Argument(metavar="MESSAGE", help="As `verihub webhook log` shows it.")],
) -> None:
    """Send a message again. It keeps its id.

    \b
    Examples:
      verihub webhook again ID MESSAGE
    """
    with open_context() as context:
        sent = send_as_person(context, webhooks.send_again(webhook, message))
        context.output.result(sent, human=f"message {sent.id} is on its way", quiet=sent.id)


def _with_secret(made: WebhookSecret) -> str:
    return f"webhook {made.webhook.id}\nsecret  {made.secret}\nKeep the secret now: it is shown once."


def _state(webhook: Webhook) -> str:
    if webhook.disabled_reason:
        return f"off: {webhook.disabled_reason}"
    return f"fails since {webhook.failing_since:%Y-%m-%d %H:%M}" if webhook.failing_since else "on"

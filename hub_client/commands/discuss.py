"""``verihub discuss``: what people say about a package or a counter-example."""

from enum import StrEnum
from typing import Annotated

import typer

from hub_client.commands.command_context import CommandContext, open_context, request_of
from hub_client.commands.confirmation import require_yes
from hub_client.commands.group import subcommands
from hub_client.commands.package_ids import checked_id
from hub_client.commands.score import read_text
from hub_client.terminal.output import table
from hub_client.transport.requests import discussions
from schemas.discussions import Discussion, DiscussionCreate, DiscussionSummary, Post, PostWrite
from schemas.wording import counted

app = subcommands("Discussions: list, show, open, reply, edit, delete, follow, close, hide.")

Package = Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The package.")]
Which = Annotated[str, typer.Argument(metavar="ID", help="The discussion, as `list` gives it.")]
Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="The post, as `show` numbers it.")]
Why = Annotated[str, typer.Option(help="Why, for whoever reads it. A moderator must say it.")]


class DiscussionState(StrEnum):
    """Which discussions to list."""

    OPEN = "open"
    CLOSED = "closed"


@app.command(name="list")
def list_discussions(
    package: Package,
    case: Annotated[str | None, typer.Option(metavar="ID", help="Only about this counter-example.")] = None,
    state: Annotated[DiscussionState | None, typer.Option(help="Only these.  [default: all]")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 20,
) -> None:
    """List a package's discussions, the one with the newest post first.

    \b
    Examples:
      verihub discuss list lecture/gsm8k --state open
    """
    with open_context() as context:
        call = discussions.list_discussions(checked_id(package), case=case, state=state, limit=limit)
        page = context.hub.send(call)
        listing = table("discussion", "state", "replies", "by", "title")
        for one in page.items:
            listing.add_row(one.id, _state(one), str(one.reply_count), one.author, one.title)
        human = listing if page.items else "no discussion"
        quiet = "\n".join(one.id for one in page.items)
        context.output.result({"items": page.items, "next": page.next}, human=human, quiet=quiet)


@app.command()
def show(
    package: Package,
    discussion: Which,
    after: Annotated[int, typer.Option(min=0, help="Only posts that follow this number.")] = 0,
) -> None:
    """Show a discussion: its posts in order, a hundred at most.

    \b
    Examples:
      verihub discuss show lecture/gsm8k ID
    """
    with open_context() as context:
        call = discussions.get_discussion(checked_id(package), discussion, after=after, limit=100)
        found = context.hub.send(call)
        context.output.result(found, human=_text(found), quiet="\n\n".join(post.text for post in found.posts))


@app.command(name="open")
def open_discussion(
    package: Package,
    title: Annotated[str, typer.Option(help="One line.")],
    text: Annotated[str, typer.Option(metavar="TEXT|-", help="Markdown; - reads it from stdin.")],
    case: Annotated[str | None, typer.Option(metavar="ID", help="The counter-example that it is about.")] = None,
) -> None:
    """Begin a discussion on a package or a counter-example. Its owners are told.

    \b
    Examples:
      verihub discuss open lecture/gsm8k --title 'Units' --text 'Is "18 dollars" meant to be accepted?'
      verihub discuss open lecture/gsm8k --title 'This label' --case ID --text - < why.md
    """
    with open_context() as context:
        body = request_of(DiscussionCreate, title=title, text=read_text(text), case=case)
        made = context.hub.send(discussions.open_discussion(checked_id(package), body))
        context.output.result(made, human=f"{_line(made)}\n{_url(context, made)}", quiet=made.id)


@app.command()
def reply(
    package: Package,
    discussion: Which,
    text: Annotated[str, typer.Option(metavar="TEXT|-", help="Markdown; - reads it from stdin.")],
) -> None:
    """Reply in a discussion.

    \b
    Examples:
      verihub discuss reply lecture/gsm8k ID --text 'Yes: the unit is left out.'
    """
    with open_context() as context:
        body = request_of(PostWrite, text=read_text(text))
        made = context.hub.send(discussions.reply(checked_id(package), discussion, body))
        context.output.result(made, human=f"post {made.number} is added", quiet=str(made.number))


@app.command()
def edit(
    package: Package,
    discussion: Which,
    number: Number,
    text: Annotated[str, typer.Option(metavar="TEXT|-", help="Markdown; - reads it from stdin.")],
) -> None:
    """Change a post of your own. It says that it was edited.

    \b
    Examples:
      verihub discuss edit lecture/gsm8k ID 3 --text 'Yes: the unit may be left out.'
    """
    with open_context() as context:
        body = request_of(PostWrite, text=read_text(text))
        made = context.hub.send(discussions.edit_post(checked_id(package), discussion, number, body))
        context.output.result(made, human=f"post {made.number} is changed", quiet=str(made.number))


@app.command()
def delete(
    package: Package,
    discussion: Which,
    number: Number,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a post of your own for good. Its number stays, with nothing in it.

    \b
    Examples:
      verihub discuss delete lecture/gsm8k ID 3
    """
    with open_context() as context:
        call = discussions.delete_post(checked_id(package), discussion, number)
        require_yes(f"Delete post {number} of {discussion} for good?", yes=yes)
        context.hub.send(call)
        context.output.result({"deleted": number}, human=f"post {number} is deleted", quiet=str(number))


@app.command()
def follow(
    package: Package,
    discussion: Which,
    stop: Annotated[bool, typer.Option("--stop", help="Be mailed no more.")] = False,
) -> None:
    """Be mailed replies in a discussion, or no more. Who wrote in it follows it.

    \b
    Examples:
      verihub discuss follow lecture/gsm8k ID
      verihub discuss follow lecture/gsm8k ID --stop
    """
    with open_context() as context:
        context.hub.send(discussions.set_followed(checked_id(package), discussion, is_followed=not stop))
        human = f"you follow {discussion}{' no more' if stop else ''}"
        context.output.result({"discussion": discussion, "follows": not stop}, human=human, quiet=discussion)


@app.command()
def hide(
    package: Package,
    discussion: Which,
    number: Number,
    reason: Annotated[str, typer.Option(help="Why; it is in the moderators' public log.")],
    show_again: Annotated[bool, typer.Option("--show", help="Show it again.")] = False,
) -> None:
    """Hide a post, or show it again; for moderators.

    Moderators still see it. Post 1 stands for the whole discussion.

    \b
    Examples:
      verihub discuss hide lecture/gsm8k ID 3 --reason 'An advertisement.'
      verihub discuss hide lecture/gsm8k ID 3 --show --reason 'It was none.'
    """
    with open_context() as context:
        call = discussions.set_hidden(checked_id(package), discussion, number, reason, is_hidden=not show_again)
        changed = context.hub.send(call)
        human = f"post {number} is {'shown again' if show_again else 'hidden'}"
        context.output.result(changed, human=human, quiet=str(number))


@app.command()
def close(
    package: Package,
    discussion: Which,
    reason: Why = "",
    reopen: Annotated[bool, typer.Option("--reopen", help="Open it again.")] = False,
) -> None:
    """Close a discussion, or open it again.

    Its author, the package's owner and moderators may.

    \b
    Examples:
      verihub discuss close lecture/gsm8k ID --reason 'Answered.'
      verihub discuss close lecture/gsm8k ID --reopen
    """
    with open_context() as context:
        changed = context.hub.send(discussions.set_open(checked_id(package), discussion, reason, is_open=reopen))
        context.output.result(changed, human=_line(changed), quiet=changed.id)


def _url(context: CommandContext, found: DiscussionSummary) -> str:
    return f"{context.settings.url}/packages/{found.package}/discussions/{found.id}"


def _state(found: DiscussionSummary) -> str:
    return "open" if found.is_open else "closed"


def _line(found: DiscussionSummary) -> str:
    title = found.title or "(its author deleted it)"
    closed = f" by {found.closed_by}" if found.closed_by else ""
    why = f", {found.closed_reason!r}" if found.closed_reason else ""
    return f"{found.id}: {title} ({_state(found)}{closed}{why}, {counted(found.reply_count, 'reply', 'replies')})"


def _text(found: Discussion) -> str:
    about = [f"about counter-example {found.case}"] if found.case else []
    lines = [_line(found), *about]
    for post in found.posts:
        edited = ", edited" if post.edited_at is not None else ""
        lines += ["", f"{post.number}. {post.author}, {post.posted_at:%Y-%m-%d %H:%M}{edited}", _words(post)]
    more = [f"\nmore: --after {found.next}"] if found.next is not None else []
    return "\n".join([*lines, *more])


def _words(post: Post) -> str:
    if post.is_deleted:
        return "   (deleted)"
    if post.hidden_reason is not None and not post.text:
        return f"   (not shown: {post.hidden_reason})"
    return "\n".join(f"   {line}" for line in post.text.splitlines())

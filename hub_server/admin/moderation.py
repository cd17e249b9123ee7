"""``verihub admin``: moderators, suspensions, quarantines, takedowns, blocked names, and the log."""

import getpass
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from hub_server.accounts import actions as accounts
from hub_server.accounts.errors import AccountNotFoundError
from hub_server.admin.opened_hub import Data, Reason, operating
from hub_server.cli import say
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions
from schemas.account import AccountCreate
from schemas.moderation import NameBlock, ReportDecision, Suspension
from schemas.names import InvalidNameError, Reference, names_release

Account = Annotated[str, typer.Argument(metavar="ACCOUNT", help="The account or organisation.")]
Package = Annotated[str, typer.Argument(metavar="OWNER/NAME[@VERSION]", help="A package, or one of its releases.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="owner, or owner/name.")]
_LOG_LINES = 50  # chosen: a screen or two


def make_admin(
    account: Account,
    email: Annotated[str | None, typer.Option(help="Make the account first, with this address.")] = None,
    password_stdin: Annotated[bool, typer.Option("--password-stdin", help="Read its password from stdin.")] = False,
    data: Data = None,
) -> None:
    """Make an account a moderator.

    With --email the account is made too.

    \b
    Examples:
      verihub admin make-admin alice
      verihub admin make-admin alice --email alice@example.org
    """
    password = _new_password(from_stdin=password_stdin) if email is not None else ""
    with operating(data) as work:
        if email is not None:
            _make_account(work, account, email, password)
        try:
            actions.set_moderator(work, account, is_moderator=True)
        except AccountNotFoundError as error:
            raise AccountNotFoundError(f"{error.detail} To make it: add --email ADDRESS.") from None
    say(f"{account} is a moderator.")


def _new_password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.read().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise typer.BadParameter("there is no terminal to type a password on: add --password-stdin")
    first = getpass.getpass("new password: ")
    if getpass.getpass("the same again: ") != first:
        raise typer.BadParameter("the two differ")
    return first


def _make_account(work: UnitOfWork, name: str, email: str, password: str) -> None:
    try:
        body = AccountCreate(name=name, email=email, password=password)
    except ValidationError as error:
        words = "; ".join(f"{fault['loc'][0]}: {fault['msg']}" for fault in error.errors())
        raise InvalidRequestError(words) from None
    accounts.add_account(work, body, accounts.hash_password(password), by_operator=True)


def remove_admin(account: Account, data: Data = None) -> None:
    """Take a moderator's powers away. Names in VERIHUB_SERVER_MODERATORS keep them.

    \b
    Examples:
      verihub admin remove-admin alice
    """
    with operating(data) as work:
        actions.set_moderator(work, account, is_moderator=False)
        if account in work.services.settings.moderators:
            say(f"{account} stays a moderator as long as it is in VERIHUB_SERVER_MODERATORS.")
    say(f"{account} was made no moderator any more.")


def suspend(
    account: Account,
    reason: Reason,
    hide: Annotated[
        bool, typer.Option("--hide", help="Also hide its packages, counter-examples, runs, collections and posts.")
    ] = False,
    data: Data = None,
) -> None:
    """Stop an account, and refuse its tokens.

    \b
    Examples:
      verihub admin suspend mallory --reason "publishes malware" --hide
    """
    with operating(data) as work:
        actions.suspend_account(work, account, Suspension(reason=reason, hide_content=hide))
    say(f"{account} is suspended{' and hidden' if hide else ''}.")


def unsuspend(account: Account, reason: Reason, data: Data = None) -> None:
    """End a suspension, and show again what it hid.

    \b
    Examples:
      verihub admin unsuspend mallory --reason "it was a mistake"
    """
    with operating(data) as work:
        actions.unsuspend_account(work, account, reason)
    say(f"{account} is no longer suspended.")


def reset_second_factor(account: Account, reason: Reason, data: Data = None) -> None:
    """Switch off a second factor that its person has lost.

    Make sure who asks: whoever knows the password is in afterwards.

    \b
    Examples:
      verihub admin reset-second-factor alice --reason "lost her phone; called back"
    """
    with operating(data) as work:
        actions.reset_second_factor(work, account, reason)
    say(f"The second factor of {account} is off.")


def quarantine(package: Package, reason: Reason, data: Data = None) -> None:
    """Stop a release, or a whole package.

    Nobody can use it, and nothing is added to a package that is stopped.

    \b
    Examples:
      verihub admin quarantine mallory/steals --reason "reads ssh keys"
      verihub admin quarantine mallory/steals@1.2.0 --reason "reads ssh keys"
    """
    name, version = _parts(package)
    with operating(data) as work:
        if version is None:
            actions.quarantine_package(work, name, reason)
        else:
            actions.quarantine_release(work, name, version, reason)
    say(f"{package} is quarantined.")


def unquarantine(package: Package, reason: Reason, data: Data = None) -> None:
    """End a quarantine.

    \b
    Examples:
      verihub admin unquarantine alice/sums --reason "it does not"
    """
    name, version = _parts(package)
    with operating(data) as work:
        if version is None:
            actions.unquarantine_package(work, name, reason)
        else:
            actions.release_from_quarantine(work, name, version, reason)
    say(f"{package} is no longer quarantined.")


def takedown(
    package: Package,
    reason: Reason,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask for confirmation. A takedown cannot be undone.")
    ] = False,
    data: Data = None,
) -> None:
    """Remove content for good.

    Of a release, or of a whole package; a tombstone stays.

    \b
    Examples:
      verihub admin takedown mallory/leak@1.0.0 --reason "private data"
    """
    if not yes:
        typer.confirm(f"Remove the content of {package} for good?", abort=True, err=True)
    name, version = _parts(package)
    with operating(data) as work:
        if version is None:
            actions.take_down_package(work, name, reason)
        else:
            actions.take_down_release(work, name, version, reason)
    say(f"{package} is taken down.")


def block(name: Name, reason: Reason, data: Data = None) -> None:
    """Let nobody take a name, or publish under it.

    \b
    Examples:
      verihub admin block openai --reason "not them"
    """
    with operating(data) as work:
        actions.block_name(work, _block_of(name, reason))
    say(f"{name} is blocked.")


def unblock(name: Name, reason: Reason, data: Data = None) -> None:
    """Undo the block of a name.

    \b
    Examples:
      verihub admin unblock openai --reason "it is them"
    """
    with operating(data) as work:
        actions.unblock_name(work, name, reason)
    say(f"{name} is no longer blocked.")


def log(
    account: Annotated[str | None, typer.Option(help="Only what was done to this account or name.")] = None,
    package: Annotated[str | None, typer.Option(help="Only what was done to this package.")] = None,
    data: Data = None,
) -> None:
    """Show what moderators and operators did, newest first.

    \b
    Examples:
      verihub admin log --account mallory
    """
    with operating(data) as work:
        for event in actions.list_events(work, package=package, account=account, limit=_LOG_LINES).items:
            about = event.account or f"{event.package}{f'@{event.version}' if event.version else ''} {event.case_id}"
            line = f"{event.at:%Y-%m-%d %H:%M}  {event.actor}  {event.action}  {about.strip()}  {event.reason}"
            _print_line(line)


def reports(state: Annotated[str, typer.Option(help="open, acted or dismissed.")] = "open", data: Data = None) -> None:
    """Show reports, newest first.

    Those about moderators too, which these do not see themselves.

    \b
    Examples:
      verihub admin reports
    """
    with operating(data) as work:
        page = actions.list_reports(work, state=state)
        while True:  # all of them: whoever sends many would push out the others
            for one in page.items:
                about = one.package or one.collection or one.account
                post = f"#{one.discussion}/{one.post or 1}" if one.discussion else ""
                said = f"{one.reporter}  {one.reason.value}  {about}{post}  {one.text}"
                _print_line(f"{one.created_at:%Y-%m-%d %H:%M}  {one.id}  {said}")
            if page.next is None:
                return
            page = actions.list_reports(work, state=state, cursor=page.next)


def decide(
    report: Annotated[str, typer.Argument(metavar="REPORT", help="Its id, from `verihub admin reports`.")],
    reason: Annotated[str, typer.Option(help="Why, in words that its sender reads, and everybody in the log.")],
    acted: Annotated[bool, typer.Option("--acted/--dismissed", help="Whether something was done about it.")],
    data: Data = None,
) -> None:
    """End a report.

    \b
    Examples:
      verihub admin decide 01J… --dismissed --reason "it reads its own file"
    """
    with operating(data) as work:
        try:
            body = ReportDecision(state="acted" if acted else "dismissed", decision=reason.strip())
        except ValidationError:
            raise typer.BadParameter("the reason has 1 to 2,000 letters") from None
        state = actions.decide_report(work, report, body).state
    say(f"The report is {'acted on' if state == 'acted' else state}.")


def _print_line(line: str) -> None:
    typer.echo("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line))


def _parts(package: str) -> tuple[str, str | None]:
    try:
        reference = Reference.parse(package)
    except InvalidNameError as error:
        raise typer.BadParameter(str(error)) from None
    return reference.package, reference.selector if names_release(package) else None


def _block_of(name: str, reason: str) -> NameBlock:
    try:
        return NameBlock(name=name, reason=reason)
    except ValidationError:
        raise typer.BadParameter(f"{name!r} is neither owner nor owner/name, or there is no reason") from None


COMMANDS: dict[str, Callable[..., Any]] = {
    "make-admin": make_admin,
    "remove-admin": remove_admin,
    "suspend": suspend,
    "unsuspend": unsuspend,
    "reset-second-factor": reset_second_factor,
    "quarantine": quarantine,
    "unquarantine": unquarantine,
    "takedown": takedown,
    "block": block,
    "unblock": unblock,
    "reports": reports,
    "decide": decide,
    "log": log,
}

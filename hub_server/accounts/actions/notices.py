"""Mails about changes: an account that loses something, and all who share it, are told when it happens."""

from collections.abc import Iterable
from dataclasses import dataclass

from hub_server.accounts.models import AccountRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.kernel.job_names import JobName
from hub_server.kernel.pace import take_pace
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.mailer import Mail


@dataclass(frozen=True)
class _Notice:
    subject: str
    text: str


_NOTICES = {
    "member_removed": _Notice(
        "A member of {thing} was removed",
        "{actor} has removed {other} from the organisation {thing}.\n",
    ),
    "owner_leaves": _Notice(
        "{other} is about to lose the ownership of {thing}",
        "{actor} has removed {other} as an owner of the organisation {thing}. It takes effect at {until} (UTC).\n"
        "Until then each owner, {other} too, can cancel it, at {url}/owners/{thing}\n",
    ),
    "owner_stays": _Notice(
        "{other} stays an owner of {thing}",
        "{actor} has cancelled the removal of {other} as an owner of the organisation {thing}.\n",
    ),
    "package_offered": _Notice(
        "{thing} is offered to {other}",
        "{actor} has offered the package {thing} to {other}, who can take it over from {until} (UTC) on.\n"
        "Until then each of its owners can take the offer back, at {url}/packages/{thing}/settings\n",
    ),
    "package_archived": _Notice(
        "{thing} is archived",
        "{actor} has archived the package {thing}. Who may publish it can open it again.\n",
    ),
    "release_deleted": _Notice(
        "A release of {thing} was deleted",
        "{actor} has deleted {thing} {other}.\n",
    ),
    "role_changed": _Notice(
        "A role in {thing} was changed",
        "{actor} has changed the role of {other} in the organisation {thing}.\n",
    ),
    "member_joined": _Notice(
        "{thing} has a new member",
        "{other} has become a member of the organisation {thing}.\n",
    ),
    "package_transferred": _Notice(
        "{thing} has another owner",
        "{actor} has taken the package {thing} over for {other}.\n",
    ),
    "email_changed": _Notice(
        "The address of your account was changed",
        "The account {thing} has another e-mail address from now on. No more mail goes to this one. "
        "For three days nobody can have a new password mailed to the new address.\n",
    ),
    "key_added": _Notice(
        "The account {thing} has a new security key",
        "The security key {other} signs in to the account {thing} from now on, beside the password.\n",
    ),
    "author_key_added": _Notice(
        "The account {thing} signs releases with a new key",
        "Releases that the key {other} has signed count as signed by the account {thing} from now on.\n",
    ),
    "author_key_removed": _Notice(
        "A key that {thing} signs releases with was removed",
        "Releases that the key {other} signs from now on are refused for the account {thing}.\n",
    ),
    "key_removed": _Notice(
        "A security key of {thing} was removed",
        "The security key {other} signs in to the account {thing} no more.\n",
    ),
    "app_added": _Notice(
        "The account {thing} has an authenticator app",
        "Codes of an authenticator app sign in to the account {thing} from now on, beside the password.\n",
    ),
    "app_removed": _Notice(
        "The authenticator app of {thing} was switched off",
        "Codes of an authenticator app sign in to the account {thing} no more.\n",
    ),
    "recovery_code_used": _Notice(
        "A recovery code of {thing} was used",
        "Somebody, we hope you, has used a recovery code of the account {thing}.\n",
    ),
    "codes_guessed": _Notice(
        "Somebody guesses codes of your account {thing}",
        "Five wrong codes in a row were typed for the account {thing}, after the right password. For a quarter of an\n"
        "hour no code of the app is taken; recovery codes and security keys are. If it was not you, somebody knows\n"
        "your password: set a new one at {url}/account/recovery, which also ends the wait.\n",
    ),
    "passwords_guessed": _Notice(
        "Somebody guesses the password of your account {thing}",
        "Too many wrong passwords were typed for the account {thing}, where nobody had signed in to it before. From\n"
        "there nobody gets in for a while; browsers that you have signed in with and your tokens go on. If you are\n"
        "locked out all the same, set a new password at {url}/account/recovery. With a second factor a guessed\n"
        "password opens nothing.\n",
    ),
    "account_deleted": _Notice(
        "Your account {thing} was deleted",
        "The account {thing} was deleted for good, with its password and second factor, as its page asks for. The hub\n"
        "has forgotten this address. What stays, and why: {url}/docs/how_to/own_packages#delete-an-account\n",
    ),
    "publisher_added": _Notice(
        "{thing} may be published by a workflow",
        "{actor} has let {other} publish {thing} without a token.\n",
    ),
    "webhook_disabled": _Notice(
        "A webhook of {thing} was switched off",
        "The hub sends nothing more to {other}: its receiver took no message for days, is gone, or fell far behind,\n"
        "or the account that registered it may not act for {thing} any more. The webhook's page says which of these\n"
        "it was. Correct that, and switch the webhook on again.\n",
    ),
}
_IF_UNKNOWN = "\nIf you know nothing of this, tell whoever runs the hub, and change your password: {url}/account\n"


def queue_notices(
    work: UnitOfWork, kind: str, receivers: Iterable[str], *, thing: str, other: str = "", until: str = ""
) -> None:
    """Mail ``receivers`` (names of accounts) about what the caller does, where the hub has a mail server.

    ``until``: for a change that comes later, when. Raises ``TooManyRequestsError`` for an account that causes too many:
    the change is refused, as none of these may happen without its mail.
    """
    if not work.services.settings.mail.host:
        return
    names, limits = sorted(set(receivers)), work.services.settings.limits
    burst, per_hour = limits.notices_burst, limits.notices_per_hour
    take_pace(work.session, work.caller, "mails", len(names), burst=burst, per_hour=per_hour, now=work.now)
    for name in names:
        row = account_queries.find_account(work.session, name)
        if row is not None and row.email:
            queue_notice(work, kind, row, thing=thing, other=other, until=until)


def tell_account(work: UnitOfWork, account_id: str, kind: str, *, other: str = "") -> None:
    """Mail an account, where it has an address, about what was done to its own keys or codes."""
    row = work.session.get(AccountRow, account_id)
    if row is not None and row.email:
        queue_notice(work, kind, row, thing=row.name, other=other)


def tell_owners(work: UnitOfWork, organization: AccountRow, kind: str, account: str, until: str = "") -> None:
    """Mail an organisation's owners, as they are before the change, and the account that it is about."""
    owners = organization_queries.owners_of(work.session, organization.id)
    queue_notices(work, kind, [*owners, account], thing=organization.name, other=account, until=until)


def queue_notice(work: UnitOfWork, kind: str, row: AccountRow, *, thing: str, other: str = "", until: str = "") -> None:
    """Mail one account at the address that it has now, whatever it changes that to."""
    if work.services.settings.mail.host:
        actor = work.caller.name if work.caller is not None else ""
        payload = {"kind": kind, "email": row.email, "thing": thing, "other": other, "actor": actor, "until": until}
        work.queue(JobName.SEND_NOTICE, payload)


def write_notice(url: str, payload: dict[str, str]) -> Mail:
    """In a job: the mail."""
    notice = _NOTICES[payload["kind"]]
    words = {"until": "", **payload, "url": url.rstrip("/")}
    text = notice.text.format(**words) + _IF_UNKNOWN.format(url=url.rstrip("/"))
    return Mail(to=payload["email"], subject=notice.subject.format(**words), text=text)

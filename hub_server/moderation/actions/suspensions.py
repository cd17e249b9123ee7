"""Accounts that are stopped, names that nobody gets, and who is a moderator."""

from hub_server.accounts import actions as accounts
from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.errors import NotAllowedError
from hub_server.evaluations import actions as evaluations
from hub_server.kernel.caller import operator, require_moderator, require_operator
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import queries
from hub_server.moderation.actions.log import note_act, require_reason
from hub_server.moderation.actions.own_matters import refuse_lifting_own
from hub_server.moderation.actions.reports import seen_by
from hub_server.runs import actions as runs
from schemas.moderation import NameBlock, Suspension


def suspend_account(work: UnitOfWork, name: str, body: Suspension) -> None:
    """Suspend an account: it cannot log in and its tokens are refused; an organisation: nobody publishes under it.

    ``hide_content``: its packages, counter-examples, runs, results on benchmarks, labels and collections are not shown
    meanwhile, nor are its reports; open reports about what it has are ended by this one act. Moderators are suspended
    by the operator alone, so that one stolen moderator cannot shut out the others.
    """
    moderator = accounts.require_proven_moderator(work)
    reason = require_reason(body.reason, "A suspension")
    _leave_moderators_to_the_operator(work, name)
    accounts.suspend_account(work, name, reason, hide_content=body.hide_content)
    _follow(work, name, reason if body.hide_content else None)
    about, decision = queries.about_account(name), f"{name} was suspended: {reason}"
    if body.hide_content:
        about = queries.about_owner(name)
        decision = f"{name} was suspended, and what it published is hidden: {reason}"
    queries.end_open_reports(work.session, about, moderator.name, work.now, decision, seen_by(work, moderator))
    note_act(work, "suspend", f"{reason} (content hidden)" if body.hide_content else reason, account=name)


def unsuspend_account(work: UnitOfWork, name: str, reason: str) -> None:
    """End a suspension, and show again what it hid. What else stops a package of its stays."""
    accounts.require_proven_moderator(work)
    _leave_moderators_to_the_operator(work, name)
    refuse_lifting_own(work, "suspend", "unsuspend", [name], account=name)
    accounts.unsuspend_account(work, name)
    _follow(work, name, None)
    note_act(work, "unsuspend", require_reason(reason, "The end of a suspension"), account=name)


def _leave_moderators_to_the_operator(work: UnitOfWork, name: str) -> None:
    row = accounts.find_any_account(work, name)
    is_ours = work.caller is not None and work.caller.is_operator
    if row is not None and accounts.is_moderator(work, row) and not is_ours:
        raise NotAllowedError(f"{name} is a moderator: that is for this hub's operator (`verihub admin`).")


def _follow(work: UnitOfWork, name: str, hidden: str | None) -> None:
    work.session.flush()
    catalog.hide_packages_of(work, name, hidden)
    audits.follow_hidden_account(work, name)
    runs.follow_hidden_account(work, name)
    evaluations.follow_hidden_account(work, name)


def reset_second_factor(work: UnitOfWork, name: str, reason: str) -> None:
    """For the operator: switch off a second factor that its person has lost, and log the account's browsers out."""
    require_operator(work.caller)
    why = require_reason(reason, "Switching off a second factor")
    accounts.reset_second_factor(work, name)
    note_act(work, "reset_second_factor", why, account=name)


def list_suspended(work: UnitOfWork) -> list[tuple[str, str]]:
    """(name, why) of every suspended account. For moderators."""
    require_moderator(work.caller)
    return accounts.list_suspended(work)


def block_name(work: UnitOfWork, body: NameBlock) -> None:
    """Nobody can take this name or one that looks like it, or publish under it."""
    moderator = accounts.require_proven_moderator(work)
    _leave_moderators_to_the_operator(work, body.name.partition("/")[0])
    accounts.block_name(work, body, moderator.name)
    note_act(work, "block_name", require_reason(body.reason, "A block"), account=body.name)


def unblock_name(work: UnitOfWork, name: str, reason: str) -> None:
    """Undo ``block_name``. A block by the operator is undone by the operator alone."""
    moderator = accounts.require_proven_moderator(work)
    if accounts.blocked_by(work, name) == operator().name and not moderator.is_operator:
        raise NotAllowedError(f"The operator blocked {name}: only the operator undoes it (`verihub admin unblock`).")
    accounts.unblock_name(work, name)
    note_act(work, "unblock_name", require_reason(reason, "The end of a block"), account=name)


def list_blocked(work: UnitOfWork) -> list[NameBlock]:
    """Every blocked name with its reason. For moderators."""
    require_moderator(work.caller)
    return accounts.list_blocked(work)


def set_moderator(work: UnitOfWork, name: str, *, is_moderator: bool) -> None:
    """Make an account a moderator, or no longer one. For the operator."""
    require_operator(work.caller)
    accounts.set_moderator(work, name, is_moderator=is_moderator)
    note_act(work, "make_moderator" if is_moderator else "remove_moderator", "By this hub's operator.", account=name)

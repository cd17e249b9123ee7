"""An account's ledger: every case by which it has gained or lost points, and what its points let it do."""

from hub_server.accounts import actions as accounts
from hub_server.accounts.errors import AccountNotFoundError
from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits.actions.quotas import is_trusted, quotas_by_rank
from hub_server.audits.actions.standing import changes_of, is_moderator
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries.cases import CaseOfAccount
from hub_server.audits.rules.ledger import PointChange
from hub_server.audits.rules.quotas import quotas_of, rank_of
from hub_server.audits.rules.standing import ENOUGH
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.standing import Standing, StandingEvent


def get_standing(work: UnitOfWork, name: str, *, cursor: str | None = None, limit: int = 50) -> Standing:
    """A page of a person's ledger, newest first, with its sum and what that allows.

    What moderators hide is named to them alone: of a hidden case the line says how many points, and no more. Raises
    ``AccountNotFoundError``, also for a hidden account, whose ledger only it and moderators read.
    """
    account = accounts.get_account(work, name).name
    is_own = work.caller is not None and work.caller.name == account
    if not (work.sees_hidden or is_own) and account_queries.is_hidden(work.session, account):
        raise AccountNotFoundError(f"Moderators hide what {account} said of cases, so its ledger is not shown.")
    after = decode_cursor(cursor, "standing", str, str)
    found = sorted(changes_of(work, account), key=_place, reverse=True)
    points = sum(change.points for _, change in found)
    left = [one for one in found if after is None or _place(one) < (after[0], after[1])]
    shown = left[: check_limit(limit)]
    rank = rank_of(points, is_trusted=is_trusted(work, account))
    has_standing = points >= ENOUGH or is_moderator(work, account)
    return Standing(
        account=account,
        points=points,
        has_standing=has_standing,
        rank=rank,
        missing=0 if has_standing else ENOUGH - points,
        waiting=sum(change.points == 0 for _, change in found),
        quotas=quotas_of(rank, points, quotas_by_rank(work)),
        items=_events(work, shown),
        next=encode_cursor("standing", *_place(shown[-1])) if len(left) > len(shown) else None,
    )


def _place(one: tuple[CaseOfAccount, PointChange]) -> tuple[str, str]:
    case, change = one
    return change.at.isoformat(), case.id


def _events(work: UnitOfWork, found: list[tuple[CaseOfAccount, PointChange]]) -> list[StandingEvent]:
    """The lines. Where a case, its submitter or its package is hidden, nothing of it is named."""
    named = {case.id for case, _ in found}
    if not work.sees_hidden:
        listed = case_queries.of_listed_packages(work.session, named)
        named = listed - case_queries.hidden_among(work.session, named)
    return [
        StandingEvent(
            at=change.at,
            points=change.points,
            why=change.why,
            **({"package": case.package_id, "case": case.id, "version": case.against} if case.id in named else {}),
        )
        for case, change in found
    ]

"""What an account may do to others' verifiers: its quotas, and refusals beyond them."""

from datetime import timedelta

from hub_server.accounts import actions as accounts
from hub_server.audits.actions.standing import is_moderator, points
from hub_server.audits.errors import TooManyCasesError, TooManyTodayError
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import labels as label_queries
from hub_server.audits.rules.quotas import Rank, how_to_get_more, quotas_of, rank_of
from hub_server.catalog import actions as catalog
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.standing import Quotas

_DAY = timedelta(days=1)
_AGAIN_SECONDS = 3600


def quotas_by_rank(work: UnitOfWork) -> dict[Rank, Quotas]:
    """What this hub's operator allows."""
    limits = work.services.settings.quotas
    return {
        "new": Quotas(
            waiting=limits.waiting_new, cases=limits.cases_new, labels=limits.labels_new, words=limits.words_new
        ),
        "standing": Quotas(
            waiting=limits.waiting_standing,
            cases=limits.cases_standing,
            labels=limits.labels_standing,
            words=limits.words_standing,
        ),
        "trusted": Quotas(
            waiting=limits.waiting_trusted,
            cases=limits.cases_trusted,
            labels=limits.labels_trusted,
            words=limits.words_trusted,
        ),
    }


def is_trusted(work: UnitOfWork, account: str) -> bool:
    """Whether the operator vouches for an account: it is a moderator, or an owner whom ``suite_owners`` names."""
    return account in work.services.settings.suite_owners or is_moderator(work, account)


class AccountQuotas:
    """What one account may do, on one package or (``package_id`` None) on those of others."""

    def __init__(self, work: UnitOfWork, account: str, package_id: str | None = None) -> None:
        self.account = account
        self.is_owner = package_id is not None and accounts.may_publish_for(
            work, account, catalog.owner_of(work, package_id)
        )
        self.points = points(work, account)
        self.rank = rank_of(self.points, is_trusted=self.is_owner or is_trusted(work, account))
        self._by_rank = quotas_by_rank(work)
        self.quotas = quotas_of(self.rank, self.points, self._by_rank)

    def more(self, name: str) -> str:
        """How to get more of a quota."""
        return how_to_get_more(self.account, self.rank, self.points, getattr(self._by_rank["standing"], name))


def refuse_too_many_cases(work: UnitOfWork, package: str, version: str, by: str) -> None:
    """Refuse too many cases: every later audit runs each of them again."""
    allowed = AccountQuotas(work, by, package)
    if case_queries.count_waiting_cases(work.session, package, by) >= allowed.quotas.waiting:
        raise TooManyCasesError(
            f"{allowed.quotas.waiting} of your counter-examples to {package} wait to be seconded, which is the most "
            f"that you may have: ask its owner or others to second them. {allowed.more('waiting')}"
        )
    if case_queries.count_cases_by(work.session, package, version, by) >= allowed.quotas.cases:
        raise TooManyCasesError(
            f"You have submitted {allowed.quotas.cases} counter-examples to {package} {version}, which is the most "
            f"that you may: continue with its next release. {allowed.more('cases')}"
        )


def refuse_too_many_words(work: UnitOfWork, package: str, by: str) -> None:
    """Refuse too many seconds and disputes a day: others have to read and answer them. Owners have no limit at home."""
    allowed = AccountQuotas(work, by, package)
    if allowed.is_owner:
        return
    if case_queries.count_words(work.session, by, work.now - _DAY) >= allowed.quotas.words:
        raise TooManyTodayError(
            f"You have seconded or disputed {allowed.quotas.words} cases in 24 hours, which is the most that you may. "
            f"{allowed.more('words')}",
            retry_after_seconds=_AGAIN_SECONDS,
        )


def refuse_too_many_labels(work: UnitOfWork, by: str) -> None:
    """Refuse too many answers a day."""
    allowed = AccountQuotas(work, by)
    if label_queries.count_labels(work.session, by, work.now - _DAY) >= allowed.quotas.labels:
        raise TooManyTodayError(
            f"You have answered questions {allowed.quotas.labels} times in 24 hours, which is the most that you may. "
            f"{allowed.more('labels')}",
            retry_after_seconds=_AGAIN_SECONDS,
        )

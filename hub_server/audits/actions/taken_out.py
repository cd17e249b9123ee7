"""How many cases that count accounts of standing alone take out of a package's rates."""

from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.rules.crowd_limit import most_taken_out
from hub_server.audits.rules.event_words import is_by_moderator
from hub_server.audits.rules.standing import BY_MODERATOR, BY_OWNER, BY_VERIFIERS
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.cases import Label


def why_kept(work: UnitOfWork, row: CounterExampleRow) -> str:
    """Why accounts of standing alone may not take the case out of the rates; empty where they may.

    What somebody else has confirmed stays until a moderator decides: five confirmed errors are an F, so taking out one
    of them would lift a friend's verifier by several letters. A case that counts for nothing, or waits, has no limit:
    nothing is gained by taking it away. Nor has a report: withdrawn, it brings a suite's case back in.
    """
    package = package_queries.find_package(work.session, row.package_id)
    is_report = package is not None and package.kind == "suite"
    deciding = (BY_MODERATOR,) if is_report else (BY_MODERATOR, BY_VERIFIERS, BY_OWNER)
    others = [one for one in deciding if one in (row.counted_by, row.corroborated_by)]
    if others:
        return f"It counts by the word of others than accounts of standing ({others[0]}): a moderator decides."
    if is_report or not row.counted_by or row.waits:
        return ""
    label = Label(row.case["label"])
    release = package_queries.find_shown_release(work.session, row.package_id)
    audit = catalog.release_of(release).audit if release is not None else None
    most = most_taken_out((audit.reads or audit.overall) if audit is not None else None, label)
    if _taken_out(work, row.package_id, label) < most:
        return ""
    return (
        f"Accounts of standing alone take out at most {most} of the cases of this package with this label; a moderator "
        "decides about more."
    )


def _taken_out(work: UnitOfWork, package_id: str, label: Label) -> int:
    """How many cases with this label counted until accounts of standing took them out."""
    return sum(
        case_label == label and _was_taken_out(history)
        for case_label, history in case_queries.cases_that_count_no_more(work.session, package_id)
    )


def _was_taken_out(history: list[dict[str, str]]) -> bool:
    counted = next((n for n, one in enumerate(history) if one["what"] == "counted"), len(history))
    return any(one["what"] == "overturned" and not is_by_moderator(one) for one in history[counted:])

"""Counter-examples in the form in which the API shows them, and lists of them."""

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from hub_server.accounts.queries import accounts as account_queries
from hub_server.audits.actions.other_verdicts import other_verdicts
from hub_server.audits.errors import CaseNotFoundError
from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.rules.cases import place_of_case
from hub_server.audits.rules.event_words import HUB, names_in, without_names
from hub_server.catalog import actions as catalog
from hub_server.catalog.queries import packages as package_queries
from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import CaseEvent, CaseState, CounterExample, OtherVerdict
from schemas.page import Page

DISPUTE_LASTS = timedelta(days=14)
"""After this time a dispute ends by what was said until then."""
MOST_OTHERS = 20
"""Verdicts of other verifiers that are shown with one case."""
_SPEAKING = frozenset({"seconded", "disputed"})
_BY_WHOM = _SPEAKING | {"labelled"}
_log = logging.getLogger("hub_server.audits")


def note_event(
    work: UnitOfWork, row: CounterExampleRow, what: str, by: str = HUB, *, reason: str = "", version: str = ""
) -> None:
    """Record who did what to a case, with its label and state afterwards."""
    event = CaseEvent.read(
        {
            "at": work.now,
            "by": by,
            "what": what,
            "label": row.case["label"],
            "state": row.state,
            "version": version or row.against,
            "reason": reason,
        }
    )
    row.history = [*(row.history or []), event.model_dump(mode="json")]


def set_state(row: CounterExampleRow, state: CaseState) -> None:
    """Set a case's state and the unique key that follows from it: a refuted case does not block the same claim."""
    row.state = state.value
    row.case_key = place_of_case(row.content_key, row.claim, row.state, row.id)


def is_agreed(row: CounterExampleRow) -> bool:
    """Whether people agreed on the label before the case was made."""
    return any(event["what"] == "labelled" for event in row.history or [])


def list_cases(
    work: UnitOfWork, package_id: str, *, state: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[CounterExample]:
    """A package's counter-examples, newest first. Hidden ones are for moderators alone."""
    package = catalog.get_package_row(work, package_id).id
    wanted = None if state is None else _known_state(state)
    after = decode_cursor(cursor, "cases", str)
    rows = case_queries.page_of_cases(
        work.session,
        package,
        wanted,
        after[0] if after else None,
        check_limit(limit) + 1,
        with_hidden=work.sees_hidden,
    )
    more = encode_cursor("cases", rows[limit - 1].id) if len(rows) > limit else None
    return Page[CounterExample](
        items=_with_others(work, rows[:limit]),
        next=more,
        facets={"state": case_queries.count_cases(work.session, package)},
    )


def _known_state(state: str) -> CaseState:
    try:
        return CaseState(state)
    except ValueError:
        raise InvalidRequestError(f"state={state!r} is unknown: use one of {', '.join(CaseState)}.") from None


def count_cases(work: UnitOfWork, package_id: str) -> dict[str, int]:
    """Counter-examples by state, hidden ones left out."""
    return case_queries.count_cases(work.session, package_id)


def get_case(work: UnitOfWork, package_id: str, case_id: str) -> CounterExample:
    """One counter-example. Raises ``CaseNotFoundError`` and ``WithheldError`` as :func:`get_row` does."""
    row = get_row(work, package_id, case_id)
    case = next(iter(_with_others(work, [row])), None)
    if case is None:
        raise CaseNotFoundError(f"Counter-example {case_id!r} of {package_id} is damaged and cannot be shown.")
    return case


def newest_cases(work: UnitOfWork, count: int) -> list[CounterExample]:
    """The newest counter-examples of all listed packages, hidden ones left out."""
    return _readable(work, case_queries.newest_cases(work.session, count))


def _with_others(work: UnitOfWork, rows: Sequence[CounterExampleRow]) -> list[CounterExample]:
    others = other_verdicts(work, rows)
    return [_with_verdicts(case, others[case.id]) for case in _readable(work, rows)]


def _with_verdicts(case: CounterExample, others: Sequence[OtherVerdict]) -> CounterExample:
    agree = sum(other.agrees for other in others)
    counts = {"others_agree": agree, "others_disagree": len(others) - agree}
    return case.model_copy(update={"other_verdicts": others[:MOST_OTHERS], **counts})


def _readable(work: UnitOfWork, rows: Sequence[CounterExampleRow]) -> list[CounterExample]:
    """The rows that can be shown.

    A row that cannot be read is logged and left out, so that it does not break the list.
    """
    seconders = case_queries.seconders_by_case(work.session, [row.id for row in rows], with_hidden=work.sees_hidden)
    found = []
    for row in rows:
        try:
            case = case_of(row, seconders.get(row.id, ()))
            case.model_dump_json()
        except (ValidationError, PydanticSerializationError) as error:
            _log.warning("counter-example %s of %s cannot be shown: %s", row.id, row.package_id, error)
        else:
            found.append(case)
    hidden = set() if work.sees_hidden or not found else _hidden_speakers(work, found)
    return [_without(case, hidden) for case in found]


def told(work: UnitOfWork, row: CounterExampleRow) -> CounterExample:
    """A case as its decider is told of it: nothing of hidden accounts that reading it would not show."""
    seconders = case_queries.seconders_by_case(work.session, [row.id], with_hidden=work.sees_hidden)
    case = case_of(row, seconders.get(row.id, ()))
    return case if work.sees_hidden else _without(case, _hidden_speakers(work, [case]))


def _hidden_speakers(work: UnitOfWork, cases: Sequence[CounterExample]) -> set[str]:
    """Who seconded, disputed or labelled one of the cases and is hidden: that they did is for moderators alone."""
    said = {name for case in cases for one in case.history for name in _speakers_of(one)}
    return account_queries.hidden_among(work.session, said)


def _speakers_of(event: CaseEvent) -> set[str]:
    named = set(names_in(event.what, event.reason))
    return {event.by} | named if event.what in _BY_WHOM else named


def _without(case: CounterExample, hidden: set[str]) -> CounterExample:
    if not hidden:
        return case
    history = [_said(one, hidden) for one in case.history if one.by not in hidden or one.what not in _SPEAKING]
    words = {"dispute_reason": "", "disputed_by": ""} if case.disputed_by in hidden else {}
    return case.model_copy(update={**words, "history": history})


def _said(event: CaseEvent, hidden: set[str]) -> CaseEvent:
    if not hidden & _speakers_of(event):
        return event
    by = HUB if event.by in hidden else event.by
    return event.model_copy(update={"by": by, "reason": without_names(event.what, event.reason, hidden)})


def _is_hidden(work: UnitOfWork, row: CounterExampleRow) -> bool:
    return row.hidden_reason is not None or account_queries.is_hidden(work.session, row.submitted_by)


def get_row(work: UnitOfWork, package_id: str, case_id: str) -> CounterExampleRow:
    """The case's row. Raises ``CaseNotFoundError``, also for a hidden one unless a moderator asks.

    Raises ``WithheldError`` where its package is hidden or gone.
    """
    row = case_queries.find_case(work.session, package_id, case_id)
    if row is None or (not work.sees_hidden and _is_hidden(work, row)):
        raise CaseNotFoundError(f"{package_id} has no counter-example {case_id!r}.")
    catalog.get_package_row(work, package_id)
    return row


def row_to_decide(work: UnitOfWork, package_id: str, case_id: str) -> CounterExampleRow:
    """The case's row, for who decides about it. Deciders of one package come one after another until they commit.

    Two who second at the same moment would each see one seconder, and a case would count that somebody takes away.
    """
    package_queries.lock_package(work.session, package_id)
    return get_row(work, package_id, case_id)


def case_of(row: CounterExampleRow, seconded_by: Iterable[str] = ()) -> CounterExample:
    """A row as the API shows it. Raises ``ValidationError`` for a row of an older hub that cannot be read."""
    return CounterExample.read(
        {
            "id": row.id,
            "package": row.package_id,
            "case": AuditCase.read(row.case),
            "state": row.state,
            "submitted_by": row.submitted_by,
            "submitted_at": row.submitted_at,
            "against": row.against,
            "fixed_in": row.fixed_in,
            "verdicts": row.verdicts,
            "error": row.error,
            "dispute_reason": row.dispute_reason,
            "disputed_by": row.disputed_by,
            "dispute_ends_at": row.disputed_at + DISPUTE_LASTS if row.disputed_at is not None else None,
            "hidden_reason": row.hidden_reason,
            "seconded_by": list(seconded_by),
            "counted_by": row.counted_by,
            "corroborated_by": row.corroborated_by,
            "waits": bool(row.counted_by) and row.waits,
            "repeats": row.repeats if row.counted_by else "",
            "history": row.history or [],
        }
    )

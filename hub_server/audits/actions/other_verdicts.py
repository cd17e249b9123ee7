"""What the hub has stored of other verifiers' verdicts on the responses of counter-examples. Nothing is run for it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from pydantic import ValidationError

from hub_server.audits.models import CounterExampleRow
from hub_server.audits.queries import cases as case_queries
from hub_server.audits.queries import labels as label_queries
from hub_server.audits.rules.other_verdicts import agrees_with_claim, is_wrong_by_state
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.rules.versions import version_key
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.counter_examples import OtherVerdict
from schemas.evidence.labels import VerdictBy
from schemas.names import Reference

_MOST_READ = 200
"""Counter-examples of other packages that are read for one case."""


def other_verdicts(work: UnitOfWork, rows: Sequence[CounterExampleRow]) -> dict[str, list[OtherVerdict]]:
    """Case -> a verdict of each other package on its task and response, those that disagree with it first.

    Stored are those of counter-examples about the same response, and those with which people are asked for labels. Left
    out is what the hub did not run itself, what packages say that the caller does not see or that stand in no list, and
    what releases say that are in quarantine or taken down. Four statements for any number of cases.
    """
    found: dict[str, list[OtherVerdict]] = defaultdict(list)
    by_key: dict[str, list[CounterExampleRow]] = defaultdict(list)
    for row in rows:
        if row.content_key:
            by_key[row.content_key].append(row)
    for question in label_queries.questions_about(work.session, sorted(by_key)):
        for row in by_key[question.case_key]:
            found[row.id] += _of_question(row, question.verdicts)
    claims = {"correct", "incorrect", *(row.claim for each in by_key.values() for row in each)}
    for other in case_queries.cases_about(work.session, sorted(by_key), claims, _MOST_READ):
        for row in by_key[other.content_key]:
            found[row.id] += _of_case(row, other)
    shown = _shown(work, {one.package for each in found.values() for one in each})
    barred = package_queries.barred_releases(work.session, sorted(shown))
    return {
        row.id: _first(row, (one for one in found[row.id] if one.package in shown and one.release not in barred))
        for row in rows
    }


def _of_question(row: CounterExampleRow, verdicts: Iterable[object]) -> Iterator[OtherVerdict]:
    """Verdicts as a whole, so they say nothing of a case about single rewards."""
    for said in verdicts:
        try:
            verdict = VerdictBy.read(said)
            by = Reference.parse(verdict.by)
        except ValueError:  # a damaged row
            continue
        is_whole = verdict.executed is True and verdict.accepted is not None and by.version is not None
        if is_whole and row.claim in ("correct", "incorrect"):
            agrees = verdict.accepted == (row.claim == "correct")
            yield OtherVerdict(package=by.package, version=by.version, agrees=agrees)


def _of_case(row: CounterExampleRow, other: case_queries.JudgedCase) -> Iterator[OtherVerdict]:
    is_wrong = is_wrong_by_state(other.state, other.state_before_dispute)
    agrees = agrees_with_claim(row.claim, other.claim, is_other_wrong=is_wrong) if is_wrong is not None else None
    if agrees is not None:
        version = other.fixed_in or other.against
        with suppress(ValidationError):  # a damaged row
            yield OtherVerdict(package=other.package_id, version=version, agrees=agrees, case=other.id)


def _shown(work: UnitOfWork, packages: set[str]) -> set[str]:
    if not packages:
        return set()
    rows = package_queries.packages_by_ids(work.session, sorted(packages))
    return {
        name
        for name, row in rows.items()
        if row.is_listed and row.hidden_reason is None and row.taken_down_reason is None
    }


def _first(row: CounterExampleRow, found: Iterable[OtherVerdict]) -> list[OtherVerdict]:
    """One voice a package, that of its newest release: three releases that repeat each other are no three verifiers."""
    # Of one release a case says more than a question, and comes later.
    newest: dict[str, OtherVerdict] = {}
    for one in found:
        before = newest.get(one.package)
        is_newer = before is None or version_key(one.version) >= version_key(before.version)
        if is_newer and one.package != row.package_id:
            newest[one.package] = one
    return sorted(newest.values(), key=lambda one: (one.agrees, one.package))

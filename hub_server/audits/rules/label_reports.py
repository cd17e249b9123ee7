"""Which cases of a suite count in no rate because their label was found to be wrong."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from hub_server.audits.rules.case_revisions import is_revision_of, numbers_said
from hub_server.audits.rules.cases import case_key
from hub_server.audits.rules.standing import BY_MODERATOR, BY_OWNER
from schemas.evidence.cases import AuditCase, Label, Origin

_UNBOUNDED = frozenset({BY_OWNER, BY_MODERATOR})
_MOST_COMPARED = 100
"""Cases with one label and the same numbers that are compared with a reported one: those nearest to its length. A suite
may have thousands without any number.
"""
_RATE = 0.02
"""The error rate at which the limit of accounts of standing is one standard error."""
KeysOf = Callable[[str], Collection[str]]
"""The content keys of the cases of one version of the suite."""


@dataclass(frozen=True)
class CountedReport:
    """A report that counts. ``case``: the suite's, with the opposite label, as ``version`` of the suite had it."""

    id: str
    case: AuditCase
    version: str
    counted_by: str


@dataclass(frozen=True)
class LeftOut:
    """Ids of a suite's cases that count in no rate; and reports that have no effect, because too many others do."""

    cases: frozenset[str] = frozenset()
    by_report: tuple[tuple[str, str], ...] = ()
    waiting: frozenset[str] = frozenset()
    by_standing: frozenset[str] = frozenset()
    """The reports that leave something out by the word of accounts of standing alone."""

    @property
    def reports(self) -> frozenset[str]:
        """The reports that leave something out."""
        return frozenset(report for report, _ in self.by_report)


def opposite_of(label: Label) -> Label:
    """The label that whoever reports this one says is right."""
    return Label.INCORRECT if label is Label.CORRECT else Label.CORRECT


def most_by_standing(cases: int) -> int:
    """How many of so many cases with one label accounts of standing take out without the suite's owner.

    As many as one standard error of an error rate of 2 %. Chance alone moves a rate by that much; the 95 % interval
    allows for twice as much. So no number of accounts that lie moves a suite's rate by more than half the
    width of its interval.
    One at least: the interval of few cases is wide (decision 31).
    """
    return max(1, math.floor(math.sqrt(cases * _RATE * (1 - _RATE))))


def left_out(cases: Sequence[AuditCase], reports: Iterable[CountedReport], keys_of: KeysOf) -> LeftOut:
    """Which of the cases count in no rate. ``reports``: oldest first; they take up the limit in this order.

    A report speaks of what the case says and not of its id: a later release can neither bring the wrong label back
    under another id or with other words (``case_revisions``), nor lose the case when it has turned the label round.
    """
    found: dict[str, str] = {}
    waiting, taken, by_standing = set(), Counter[Label](), set()
    by_key: dict[str, list[AuditCase]] = {}
    for case in cases:
        by_key.setdefault(case_key(case), []).append(case)
    revised = _Revisions(by_key, keys_of)
    many = Counter(label for several in by_key.values() for label in {case.label for case in several})
    for report in sorted(reports, key=lambda one: one.counted_by not in _UNBOUNDED):
        label = opposite_of(report.case.label)
        new = {case: key for case, key in _about(report, by_key, revised).items() if case not in found}
        if report.counted_by not in _UNBOUNDED:
            size = len(set(new.values()))  # the same case twice is one in every rate
            if size and taken[label] + size > most_by_standing(many[label]):
                waiting.add(report.id)
                continue
            taken[label] += size
            by_standing.add(report.id)
        found |= dict.fromkeys(new, report.id)
    pairs = tuple((report, case) for case, report in found.items())
    return LeftOut(frozenset(found), pairs, frozenset(waiting), frozenset(by_standing))


class _Turn(NamedTuple):
    turn: int
    """How many reports of the suite come before it."""
    report: str
    suite: str
    cases: dict[str, AuditCase]


@dataclass(frozen=True)
class AskedSuite:
    """What one verifier is asked of a suite that counts for it, and what reports leave out of that suite."""

    suite: str
    cases: Sequence[AuditCase]
    out: LeftOut


def left_out_of_pool(asked: Sequence[AskedSuite]) -> dict[str, frozenset[str]]:
    """Suite -> the cases that count in no rate of a verifier that all these suites measure.

    Accounts of standing take no more out of all suites together than out of one of that size: what they may take out of
    each adds up, while the interval of the pooled rate narrows. Suites take turns, each with its oldest report first,
    so that many reports in one suite do not use up what another needs.
    """
    taken, most = Counter[Label](), Counter[Label]()
    for one in asked:
        most.update(label for _, label in {(case_key(case), case.label) for case in one.cases})
    found = {one.suite: one.out.cases for one in asked}
    for _, _, suite, cases in sorted((turn for one in asked for turn in _turns(one)), key=lambda one: one[:3]):
        label = next(iter(cases.values())).label
        size = len({case_key(case) for case in cases.values()})
        if taken[label] + size <= most_by_standing(most[label]):
            taken[label] += size
        else:
            found[suite] -= cases.keys()
    return found


def _turns(one: AskedSuite) -> Iterator[_Turn]:
    """What each report by accounts of standing takes out of a suite, the oldest report first."""
    cases = {case.id: case for case in one.cases}
    by_report: dict[str, dict[str, AuditCase]] = defaultdict(dict)
    for report, case in one.out.by_report:
        if report in one.out.by_standing and case in cases:
            by_report[report][case] = cases[case]
    for turn, (report, about) in enumerate(sorted(by_report.items())):
        yield _Turn(turn, report, one.suite, about)


class _Revisions:
    """The cases that a version of the suite did not have, by label and numbers: a reported one is compared with few."""

    def __init__(self, by_key: Mapping[str, Sequence[AuditCase]], keys_of: KeysOf) -> None:
        self._by_key, self._keys_of = by_key, keys_of
        self._new: dict[str, _ByNumbers] = {}

    def of(self, report: CountedReport, label: Label) -> dict[str, str]:
        """Id -> key of the cases with that label that are the reported one in other words."""
        if report.version not in self._new:
            self._new[report.version] = self._read(frozenset(self._keys_of(report.version)))
        alike = self._new[report.version].get((label, numbers_said(report.case)), [])
        length = _length(report.case)
        nearest = sorted(alike, key=lambda pair: abs(_length(pair[1]) - length))[:_MOST_COMPARED]
        return {case.id: key for key, case in nearest if is_revision_of(case, report.case)}

    def _read(self, known: frozenset[str]) -> "_ByNumbers":
        found: _ByNumbers = defaultdict(list)
        for key, cases in self._by_key.items():
            for case in cases if key not in known else ():
                found[case.label, numbers_said(case)].append((key, case))
        return found


_ByNumbers = dict[tuple[Label, tuple[Decimal, ...]], list[tuple[str, AuditCase]]]


def _length(case: AuditCase) -> int:
    return len(case.response or "") + len(str((case.task or {}).get("prompt", "")))


def _about(report: CountedReport, by_key: Mapping[str, Sequence[AuditCase]], revised: _Revisions) -> dict[str, str]:
    """Id -> key of the reported case and of those put in its place since, with its label.

    Never another case of the release that was reported: nobody has looked at that one.
    """
    label, key = opposite_of(report.case.label), case_key(report.case)
    same = {case.id: key for case in by_key.get(key, ()) if case.label is label}
    return same | revised.of(report, label)


def without_counting(case: AuditCase) -> AuditCase:
    """The suite's case, as it runs for its verdict alone: in no rate, nor in the suite's.

    It still runs, so that whoever would gain by leaving it out is known for as long as its label is argued about.
    """
    return case.model_copy(update={"origin": Origin.REPORTED, "tags": []})

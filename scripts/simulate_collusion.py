"""What ten accounts of standing that lie together do to a grade, simulated: ``simulate_collusion.py [DRAWS]``.

A verifier errs at its true rate on the wrong answers of the hub's own suite, and on no right one. Ten accounts use
all means at once, as far as the hub's own rules and quotas let them. First they want a stranger's grade to fall, by
300 counter-examples that they second for each other and 300 labels about right verdicts. Then they want a friend's to
rise, by disputes of the errors that other people's verifiers confirmed or honest people labelled. Each cell says in how
many draws the letter changes if all that they say counted / as it is, and how far the observed rate moves at most as it
is, in widths of the 95 % interval that it has without them. Third: the owner adds easy cases, and ten friends easy
labels and easy suites; in how many draws the letter is one better than by the hub's own cases / two or more / better
than the true rate deserves / better than it deserves without them. Last: what they do to standing itself.
Every number can be had again: the seed is fixed.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from hub_server.audits.rules.crowd_limit import most_taken_out, most_that_count
from hub_server.audits.rules.event_words import counted_words
from hub_server.audits.rules.ledger import LedgerCase, change_by
from hub_server.audits.rules.standing import ENOUGH
from hub_server.settings_groups import QuotaSettings
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade, Measurement
from schemas.measures.confusion import Outcome, measure
from schemas.measures.evidence import grade_evidence
from schemas.measures.grades import grade_within, is_worse, place_of
from schemas.measures.labelled import most_errors
from schemas.measures.owners import HUB
from schemas.measures.seen import Seen
from schemas.measures.worse_parts import Part, parts_of

_ALONE = (Seen(Outcome(False, True), Origin.COMMUNITY, first_look=True, suite="by standing"),)
SIZES, RATES = (50, 200, 800), (0.0, 0.01, 0.05, 0.15)
ACCOUNTS = 10
LABELS = 300
_QUOTAS = QuotaSettings()
EASY, EASY_SUITE = 500, 100


@dataclass(frozen=True)
class Moved:
    """Shares of draws with another letter, without limits and with them, and how far the rate moves with them."""

    unlimited: float
    limited: float
    widths: float


def lowered(size: int, rate: float, confirmed: int, draws: int, seed: int = 0) -> Moved:
    """Beside ``confirmed`` true counter-examples, lies about right verdicts: as many as quotas allow."""
    lies = ACCOUNTS * _QUOTAS.waiting_standing

    def after(own: list[Seen], *, is_limited: bool) -> list[Seen]:
        examples = _most_counted(size) if is_limited else lies
        labels = most_errors(own, [()] * LABELS, [()] * LABELS) if is_limited else LABELS
        return [*own, *_by_standing(examples), *_seen(Origin.ROLLOUT, LABELS, labels)]

    def beside(errors: int) -> list[Seen]:
        return [*_seen(Origin.HELD, size, errors), *_seen(Origin.COMMUNITY, confirmed, confirmed)]

    return _moved(_errors(size, rate, draws, seed), beside, after, is_worse)


def lifted(size: int, rate: float, confirmed: int, draws: int, seed: int = 0) -> Moved:
    """They dispute the ``confirmed`` errors and those that honest people of standing have labelled, of 300 answers."""

    def beside(errors: int) -> list[Seen]:
        own = _seen(Origin.HELD, size, errors)
        found = min(round(rate * LABELS), most_errors(own, [()] * LABELS, [()] * LABELS))
        return [*own, *_seen(Origin.COMMUNITY, confirmed, confirmed), *_seen(Origin.ROLLOUT, LABELS, found)]

    def after(own: list[Seen], *, is_limited: bool) -> list[Seen]:
        kept = [one for one in own if one.origin is Origin.HELD or not one.outcome.is_wrong]
        labelled = sum(one.origin is Origin.ROLLOUT and one.outcome.is_wrong for one in own)
        gone = min(labelled, most_taken_out(_measure(own), Label.INCORRECT))
        left = labelled - gone
        return (
            [*kept, *_seen(Origin.COMMUNITY, confirmed, confirmed), *_seen(Origin.ROLLOUT, left, left)]
            if is_limited
            else kept
        )

    return _moved(_errors(size, rate, draws, seed), beside, after, lambda now, before: is_worse(before, now))


def _errors(size: int, rate: float, draws: int, seed: int) -> Mapping[int, float]:
    """Errors of the verifier -> share of draws that have so many."""
    chances = np.random.default_rng(seed).binomial(size, rate, draws)
    kinds, counts = np.unique(chances, return_counts=True)
    return {int(errors): int(count) / draws for errors, count in zip(kinds, counts, strict=True)}


def _moved(
    shares: Mapping[int, float],
    beside: Callable[[int], list[Seen]],
    after: Callable[..., list[Seen]],
    is_theirs: Callable[[Grade, Grade], bool],
) -> Moved:
    changed, widths = [0.0, 0.0], 0.0
    for errors, share in shares.items():
        own = beside(errors)
        before, letter = _measure(own).fpr, _letter(own)
        for way, is_limited in enumerate((False, True)):
            changed[way] += share * is_theirs(_letter(after(own, is_limited=is_limited), all_=not is_limited), letter)
        now = _measure(after(own, is_limited=True)).fpr
        widths = max(widths, abs((now.value or 0) - (before.value or 0)) / (before.high - before.low))
    return Moved(changed[0], changed[1], widths)


@dataclass(frozen=True)
class Diluted:
    """Shares of draws: the letter is one better than by the hub's own cases, two or more, better than deserved, and
    better than deserved by the hub's own alone.
    """

    by_one: float
    by_more: float
    undeserved: float
    undeserved_alone: float


def diluted(size: int, rate: float, draws: int, seed: int = 0) -> Diluted:
    """The author's easy cases, ten friends' easy suites and easy labels beside ``size`` cases a side of the hub's."""
    found = [0.0, 0.0, 0.0, 0.0]
    easy = [one for must in (True, False) for one in _easy(must)]
    for errors, share in _errors(size, rate, draws, seed).items():
        own = _seen(Origin.HELD, size, errors) + _seen(Origin.HELD, size, 0, must=True)
        alone, grade = (grade_evidence(seen, _parts(seen), None)[0] for seen in (own, [*own, *easy]))
        steps = place_of(alone) - place_of(grade) if alone is not Grade.UNMEASURED else 0
        undeserved = [is_worse(grade_within(rate), one) for one in (grade, alone)]
        for place, happened in enumerate((steps == 1, steps > 1, *undeserved)):
            found[place] += share * happened
    return Diluted(*found)


@cache
def _easy(must: bool) -> list[Seen]:
    own = _seen(Origin.AUTHOR, EASY, 0, must=must) + _seen(Origin.ROLLOUT, LABELS, 0, must=must)
    suites = (_seen(Origin.SUITE, EASY_SUITE, 0, must=must, owner=f"friend-{n}") for n in range(ACCOUNTS))
    return own + [one for suite in suites for one in suite]


def of_standing(cases: int, *, by_moderator: bool) -> int:
    """How many of the ten have standing after true cases of a friend's bad verifier that all of them second.

    Each submits in turn; two have standing already, so all cases count by accounts of standing.
    """
    people = [f"c{n}" for n in range(ACCOUNTS)]
    points = dict.fromkeys(people, 0)
    at = "2026-11-28T12:00:00+00:00"
    for number in range(cases):
        sender = people[number % ACCOUNTS]
        history = [{"what": "submitted", "by": sender, "at": at, "reason": ""}]
        history += [{"what": "seconded", "by": one, "at": at, "reason": ""} for one in people if one != sender]
        history += [{"what": "counted", "by": "hub", "at": at, "reason": counted_words("standing")}]
        if by_moderator:
            history += [{"what": "counted", "by": "hub", "at": at, "reason": counted_words("moderator")}]
        case = LedgerCase(sender, "moderator" if by_moderator else "standing", "", history)
        for one in people:
            change = change_by(case, one)
            points[one] += change.points if change is not None else 0
    return sum(one >= ENOUGH for one in points.values())


@cache
def _most_counted(size: int) -> int:
    task = {"id": "t", "prompt": "?", "answer": 1}
    case = AuditCase(id="c", task=task, response="x", label=Label.INCORRECT, origin=Origin.HELD)
    return most_that_count([case] * size)["incorrect"]


def _letter(wrong: list[Seen], *, all_: bool = False) -> Grade:
    """``all_``: what accounts of standing alone say may make a part that is surely worse, as it once could."""
    right = _seen(Origin.HELD, 800, 0, must=True)
    in_parts = wrong if all_ else [one for one in wrong if one not in _ALONE]
    return grade_evidence([*wrong, *right], _parts(in_parts), None)[0]


def _by_standing(errors: int) -> list[Seen]:
    """Counter-examples that count by accounts of standing alone (``sandbox.audit.evaluation.confirmed``)."""
    return list(_ALONE) * errors


def _parts(seen: Sequence[Seen]) -> list[Part]:
    by_origin = {origin: [one.outcome for one in seen if one.origin is origin] for origin in Origin}
    return parts_of({f"origin:{origin}": measure(outcomes) for origin, outcomes in by_origin.items()})


def _measure(seen: Sequence[Seen]) -> Measurement:
    return measure(one.outcome for one in seen)


def _seen(origin: Origin, cases: int, errors: int, *, must: bool = False, owner: str = HUB) -> list[Seen]:
    is_suite = origin in (Origin.HELD, Origin.SUITE)
    suite, owner = (f"{owner or 'hub'}/suite", owner) if is_suite else ("", "")
    first = origin is not Origin.AUTHOR
    return [Seen(Outcome(must, must != (n < errors)), origin, first, suite=suite, owner=owner) for n in range(cases)]


def main() -> None:
    """Print the tables."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for words, way in (("a stranger's grade falls", lowered), ("a friend's grade rises", lifted)):
        for confirmed in (0, 4, 5):
            print(f"{words}, beside {confirmed} confirmed counter-examples: true rates", *RATES, sep=" | ")
            for size in SIZES:
                found = [way(size, rate, confirmed, draws) for rate in RATES]
                print(
                    size, *(f"{one.unlimited:.0%} / {one.limited:.1%} / {one.widths:.2f}" for one in found), sep=" | "
                )
    print(
        "easy cases of the owner and ten friends: one letter better / more / better than deserved / without: true rates"
    )
    print("", *RATES, sep=" | ")
    for size in SIZES:
        told = [diluted(size, rate, draws) for rate in RATES]
        shares = ((one.by_one, one.by_more, one.undeserved, one.undeserved_alone) for one in told)
        print(size, *(" / ".join(f"{part:.1%}" for part in one) for one in shares), sep=" | ", flush=True)
    print("accounts of standing after 30 true cases of a friend's verifier: without a moderator, with one; after three")
    print(of_standing(30, by_moderator=False), of_standing(30, by_moderator=True), of_standing(3, by_moderator=True))


if __name__ == "__main__":
    main()

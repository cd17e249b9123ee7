"""Which numbers of several runs are compared, and where a difference gets an interval."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from schemas.measures.corrected import Observed, observed_interval
from schemas.measures.intervals import Interval, interval_of_difference
from schemas.run import Run, RunOutcome
from schemas.run_comparison import ComparedNumber, ComparedRow

MOST_RUNS = 4
"""Curves that can still be told apart by their lines."""
LETTERS = "ABCD"


def compared_rows(runs: Sequence[Run]) -> list[ComparedRow]:
    """The numbers that two of these runs have: rewards after training, then pass rates of evaluations."""
    return [*_summary_rows(runs), *_outcome_rows(runs)]


def _summary_rows(runs: Sequence[Run]) -> list[ComparedRow]:
    """The rewards after training on tasks that were held back, with their intervals over tasks."""
    names = dict.fromkeys(name for run in runs for name in run.summary)
    rows = []
    for name in names:
        found = {
            letter: Interval(value=change.after, low=change.after_low, high=change.after_high)
            for letter, run in zip(LETTERS, runs, strict=False)
            if (change := run.summary.get(name)) is not None
        }
        if len(found) > 1:
            rows.append(_row(f"{name}, after training, tasks held back", found, _why_not(runs, name)))
    return rows


def _outcome_rows(runs: Sequence[Run]) -> list[ComparedRow]:
    """Pass rates of evaluations, release by release: other bytes are another environment."""
    found: dict[tuple[str, ...], dict[str, Interval]] = {}
    for letter, run in zip(LETTERS, runs, strict=False):
        for outcome in run.outcomes:
            if outcome.pass_rate is not None:
                at = (outcome.environment, outcome.version, outcome.digest, outcome.harness)
                found.setdefault(at, {})[letter] = _rate_of(outcome, outcome.pass_rate)
    return [
        _row(f"pass rate on {environment} {version}, {harness}", numbers, "")
        for (environment, version, _, harness), numbers in found.items()
        if len(numbers) > 1
    ]


def _rate_of(outcome: RunOutcome, pass_rate: float) -> Interval:
    return observed_interval(Observed(pass_rate, max(min(outcome.tries, outcome.attempts), 1.0)))


def _row(name: str, found: Mapping[str, Interval], why_not: str) -> ComparedRow:
    first, *others = found.items()
    sides = [ComparedNumber(letter=first[0], number=first[1])]
    for letter, number in others:
        difference = None if why_not else _difference(number, first[1])
        sides.append(ComparedNumber(letter=letter, number=number, difference=difference))
    return ComparedRow(name=name, sides=sides, why_not=why_not)


def _difference(one: Interval, other: Interval) -> Interval | None:
    """None where it is no finite number, which no answer holds: older hubs took means of any size."""
    with suppress(ValueError):
        return interval_of_difference(one, other)
    return None


def _why_not(runs: Sequence[Run], name: str) -> str:
    """Why reward ``name`` of these runs has no difference; empty: all pinned the same bytes and sum with the same
    weights.
    """
    pinned = {frozenset((pin.package, pin.version, pin.digest) for pin in run.packages) for run in runs}
    if len(pinned) > 1:
        return "the runs pinned other packages or releases"
    if not any(pinned):
        return "the runs pinned no package, so their rewards may mean anything"
    weights = [{one: declared.weight for one, declared in run.rewards.items()} for run in runs]
    is_sum = not all(name in run.rewards for run in runs)
    return "the runs weigh their rewards differently" if is_sum and any(one != weights[0] for one in weights) else ""

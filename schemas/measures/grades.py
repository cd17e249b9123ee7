"""What grade a measured verifier earns, and how many cases a better one needs."""

import math

from schemas.evidence.rates import Grade, Measurement, Rate
from schemas.measures.intervals import wilson
from schemas.measures.percents import in_percent
from schemas.wording import counted, noun

GRADE_BOUNDS = ((Grade.A, 0.01), (Grade.B, 0.03), (Grade.C, 0.10), (Grade.D, 0.30))
"""The largest upper bound of an error rate that still earns each grade. Anything above the last is F."""
GRADE_LIMITS = tuple(bound for _, bound in GRADE_BOUNDS)
_ORDER = (Grade.A, Grade.B, Grade.C, Grade.D, Grade.F, Grade.UNMEASURED)


def larger_upper_bound(measurement: Measurement) -> float:
    """The larger of the two upper bounds. The grade is based on it."""
    return max(measurement.fpr.high, measurement.fnr.high)


def grade_of(measurement: Measurement | None) -> Grade:
    """The worse grade of the two sides. F comes before U: what is missing on one side excuses nothing on the other.

    The larger upper bound decides, not the end of the longer interval: otherwise a rate that is certainly bad could
    hide behind one that is merely uncertain.
    """
    if measurement is None:
        return Grade.UNMEASURED
    found = [
        side_grade(measurement.fpr, measurement.fp + measurement.tn),
        side_grade(measurement.fnr, measurement.fn + measurement.tp),
    ]
    order = [grade for grade, _ in GRADE_BOUNDS] + [Grade.UNMEASURED, Grade.F]
    return max(found, key=order.index)


def side_grade(rate: Rate, cases: int) -> Grade:
    """The grade for the upper bound of one rate over so many cases.

    U where even no error at all could not earn more than F, because there are too few independent cases. But F where
    the *lower* bound lies above the last grade: few cases prove a bad verifier sooner than a good one.
    """
    if rate.value is None:
        return Grade.UNMEASURED
    letter = grade_within(rate.high)
    return Grade.UNMEASURED if letter is Grade.F and is_thin(rate, cases) and rate.low <= GRADE_LIMITS[-1] else letter


def grade_within(rate: float) -> Grade:
    """The grade whose bound ``rate`` is within: a known error rate, or the upper bound of a measured one."""
    return next((grade for grade, bound in GRADE_BOUNDS if rate <= bound), Grade.F)


def is_thin(rate: Rate, cases: int) -> bool:
    """Whether so few independent cases earn no grade even without an error (fewer than nine)."""
    return wilson(0, cases if rate.clusters is None else rate.clusters)[1] > GRADE_LIMITS[-1]


def thin_words(measurement: Measurement) -> list[str]:
    """What is missing for any grade, one sentence for each side that has too few independent cases."""
    sides = (
        ("wrong", measurement.fpr, measurement.fp + measurement.tn),
        ("right", measurement.fnr, measurement.fn + measurement.tp),
    )
    least = cases_needed(0, GRADE_LIMITS[-1])
    found = []
    for kind, rate, cases in sides:
        if is_thin(rate, cases):
            groups = f", alike in {groups_text(rate)}" if rate.clusters is not None else ""
            found.append(
                f"More {kind} answers: there {'is' if cases == 1 else 'are'} {cases}{groups}, and any grade takes "
                f"at least {least} that are independent of each other (other tasks, other forms of answer)."
            )
    return found


def own_cases_words(measurement: Measurement, most: Grade) -> list[str]:
    """How many more cases of the author's own would earn ``most``, in a sentence.

    None where a case was judged wrong: more cases do not change that. None where ``thin_words`` has more to say.
    """
    if measurement.fpr.value != 0 or measurement.fnr.value != 0 or grade_of(measurement) is Grade.UNMEASURED:
        return []
    sides = (("right", measurement.fnr, measurement.tp), ("wrong", measurement.fpr, measurement.tn))
    least = cases_needed(0, dict(GRADE_BOUNDS)[most])
    more = [(least - math.floor(cases if rate.tries is None else rate.tries), kind) for kind, rate, cases in sides]
    named = " and ".join(f"{count} more {noun(count, f'{kind} answer')}" for count, kind in more if count > 0)
    if not named:
        return []
    earned = f"without an error among them they earn {most}, the most that an author's own cases can"
    return [f"Label {named}, in other forms: {earned}."]


def others_cases_words(measurement: Measurement, letter: Grade) -> list[str]:
    """What the grade above ``letter`` takes where others' cases decide, in a sentence: mended failures, or more cases.

    None where another thing holds the grade at ``letter``, and none for U and A.
    """
    if grade_of(measurement) is not letter or letter in (Grade.A, Grade.UNMEASURED):
        return []
    better, bound = GRADE_BOUNDS[place_of(letter) - 1]
    sides = (
        ("right", "rejected", measurement.fnr, measurement.fn, measurement.fn + measurement.tp),
        ("wrong", "accepted", measurement.fpr, measurement.fp, measurement.fp + measurement.tn),
    )
    failures, more = [], []
    for kind, mistake, rate, errors, cases in sides:
        if rate.value is None or rate.high <= bound:
            continue
        if rate.value > bound:
            failures.append(f"{percent(rate.value)} of {kind} answers are {mistake}")
            continue
        tries = cases if rate.tries is None else rate.tries
        lacking = cases_needed(math.ceil(errors * tries / cases), bound) - math.floor(tries)
        if lacking > 0:
            more.append(f"{lacking} more {noun(lacking, f'{kind} answer')}")
    takes = f"{better} takes at most {bound * 100:g} %"
    if failures:
        return [f"Read the failures in the audit and mend them: {' and '.join(failures)}, and {takes}."]
    if not more:
        return []
    said = f"{' and '.join(more)} of others, without an error among them and unlike those there are"
    return [f"{said} ({takes}): suites of its families, seconded counter-examples, labelled rollouts."]


def cases_needed(count: int, bound: float) -> int:
    """The smallest number of cases of which ``count`` errors still have an upper bound of at most ``bound``."""
    if not 0 < bound < 1:
        raise ValueError(f"bound must lie between 0 and 1, not {bound}")
    low, high = count, max(count, 1)
    while wilson(count, high)[1] > bound:
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        if middle >= count and wilson(count, middle)[1] <= bound:
            high = middle
        else:
            low = middle + 1
    return high


def power_hint(measurement: Measurement, *, holds_unjudged: bool = False) -> str:
    """What the number of cases shows, and how many more would allow the next grade, for each side.

    ``holds_unjudged``: cases without a verdict are among its errors.
    """
    also = " or not judged" if holds_unjudged else ""
    wrong = _side_hint("wrong", f"accepted{also}", measurement.fp, measurement.fp + measurement.tn, measurement.fpr)
    right = _side_hint("right", f"rejected{also}", measurement.fn, measurement.fn + measurement.tp, measurement.fnr)
    return f"{wrong} {right}"


def percent(share: float) -> str:
    """An error rate for people, never rounded across a grade's bound: ``0.04 %``, ``6.0 %``, ``12 %``, ``1.04 %``."""
    digits = 0 if share >= 0.0995 or share == 0 else 2 if share < 0.00095 else 1
    return f"{in_percent(share, digits, GRADE_LIMITS)} %"


def groups_text(rate: Rate) -> str:
    """How many groups the similar cases form: ``22 forms``, ``1 task``; empty when every case counts as one."""
    if rate.clusters is None:
        return ""
    return f"{rate.clusters} {rate.alike.removesuffix('s') if rate.clusters == 1 else rate.alike}"


def _side_hint(kind: str, mistake: str, errors: int, total: int, measured: Rate) -> str:
    """``kind`` is right or wrong (an answer), ``mistake`` what a verifier must not do with it."""
    if total == 0:
        return (
            f"No {kind} answer is labelled, so nobody knows how many are {mistake}: label {cases_needed(0, 0.01)} of "
            f"them; if none is {mistake}, the rate is at most 1 %."
        )
    groups = f" (in {groups_text(measured)})" if measured.clusters is not None else ""
    were = "was" if 1 in (errors, total) else "were"
    said = (
        f"{errors} of {counted(total, f'{kind} answer')}{groups} {were} {mistake}: "
        f"the true rate may be as high as {percent(measured.high)}."
    )
    target = (
        0.01 if errors == 0 else next((bound for _, bound in reversed(GRADE_BOUNDS) if bound < measured.high), 0.01)
    )
    tries = total if measured.tries is None else measured.tries
    more = cases_needed(math.ceil(errors * tries / total), target) - math.floor(tries)
    if more <= 0:
        return said
    unlike = f", in other {measured.alike}" if groups else ""
    goal = f"if none of them is {mistake}, the rate is at most {target * 100:g} %."
    return f"{said} Label {more} more {noun(more, f'{kind} answer')}{unlike}: {goal}"


def place_of(grade: Grade) -> int:
    """0 for the best; U, which may be anything, is behind F."""
    return _ORDER.index(grade)


def is_worse(one: Grade, other: Grade) -> bool:
    """Whether the first grade is worse. U, which may be anything, is worse than F."""
    return place_of(one) > place_of(other)


def at_most(grade: Grade, most: Grade) -> Grade:
    """The worse of the two; U stays U."""
    return grade if is_worse(grade, most) else most

"""Drawings of a benchmark's scores: rates, pairs that are told apart, gains and losses, agreement."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from hub_server.site.drawing.bench_axes import Scale, bracket
from hub_server.site.drawing.markup import line, percent, svg, tag
from hub_server.site.drawing.numbers import count, interval, rate, short
from schemas.measures.corrected import CorrectedRate
from schemas.measures.intervals import Interval

_SHARE = Scale(0.0, 1.0)
_AGREEMENT = Scale(-1.0, 1.0)
_CELL = 14


def score_calliper(score: Interval, corrected: CorrectedRate) -> Markup:
    """0 to 100 %: observed above, corrected below; dashed and fully open where nothing can be corrected."""
    at = _SHARE.at
    said = f"observed {rate(score.value)}, 95 % interval {_ends(score)} %"
    drawn = [
        line("calliper-axis", "0%", "100%", 11, 11),
        *bracket(at(score.low), at(score.high), 11, at(score.value), half=6),
    ]
    if corrected.estimate is None:
        drawn += [
            line("calliper-unmeasured", "0%", "100%", 27, 27),
            tag("path", class_="calliper-unmeasured", d="M5 21 H1 V33 H5"),
            tag("svg", tag("path", class_="calliper-unmeasured", d="M-5 21 H-1 V33 H-5"), x="100%"),
        ]
        said += f"; corrected: cannot be said, {corrected.reason}"
    else:
        true = corrected.estimate
        drawn += bracket(at(true.low), at(true.high), 27, at(true.value), dot="bench-true", half=5)
        said += f"; corrected {rate(true.value)}, 95 % interval {_ends(true)} %"
    return svg(*drawn, label=said, class_="strip q-score", height=38)


def rate_bracket(score: Interval) -> Markup:
    """One rate from 0 to 100 % with its interval."""
    at = _SHARE.at
    return svg(
        line("calliper-axis", "0%", "100%", 10, 10),
        *bracket(at(score.low), at(score.high), 10, at(score.value), half=6),
        label=f"{rate(score.value)}, 95 % interval {_ends(score)} %",
        class_="strip",
        height=20,
    )


def _ends(one: Interval) -> str:
    return interval(one.low, one.high).replace("–", " to ")


def pair_matrix(names: Sequence[str], told_apart: Mapping[tuple[int, int], bool]) -> Markup:
    """Entries from best to worst along both sides; a filled square where two are told apart, a ring where not.

    ``told_apart``: (better, worse) places -> whether.
    """
    size = len(names)
    filled, rings = [], []
    for row in range(1, size):
        for column in range(row):
            x, y = column * _CELL, row * _CELL
            if told_apart.get((column, row), False):
                filled.append(f"M{x + 1} {y + 1}h{_CELL - 2}v{_CELL - 2}h-{_CELL - 2}z")
            else:
                rings.append(f"M{x + 4} {y + _CELL / 2:g}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0")
    side = size * _CELL
    numbers = [
        tag("text", str(place + 1), class_="bench-number", x=place * _CELL + _CELL / 2, y=place * _CELL + 10.5)
        for place in range(size)
    ]
    apart = sum(told_apart.values())
    label = f"{count(apart)} of {count(size * (size - 1) // 2)} pairs of the {size} entries shown are told apart"
    return svg(
        tag("path", class_="share-some", d="".join(filled)),
        tag("path", class_="bench-ring", d="".join(rings)),
        *numbers,
        label=label,
        class_="bench-matrix",
        viewBox=f"0 0 {side} {side}",
        width=min(side * 1.5, 620),
    )


def flip_bar(gained: int, lost: int, models: int) -> Markup:
    """All models that ran both harnesses: to the left those that lose the task, to the right those that gain it."""
    left, right = 50 * lost / max(models, 1), 50 * gained / max(models, 1)
    return svg(
        line("calliper-axis", "0%", "100%", 9, 9),
        tag("rect", class_="share-none", x=percent(50 - left), y=4, width=percent(left), height=10),
        tag("rect", class_="share-some", x="50%", y=4, width=percent(right), height=10),
        line("calliper-zero", "50%", "50%", 1, 17),
        label=f"{count(lost)} of {count(models)} models lose it, {count(gained)} gain it",
        class_="strip",
        height=18,
    )


def difference_bracket(difference: Interval, reach: float) -> Markup:
    """A difference of two rates with its interval around zero, from -``reach`` to ``reach``."""
    scale = Scale(-reach, reach)
    return svg(
        line("calliper-axis", "0%", "100%", 10, 10),
        line("calliper-zero", "50%", "50%", 1, 19),
        *bracket(scale.at(difference.low), scale.at(difference.high), 10, scale.at(difference.value), half=6),
        label=f"difference {100 * difference.value:+.1f} points, 95 % interval {100 * difference.low:+.1f} to "
        f"{100 * difference.high:+.1f}",
        class_="strip",
        height=20,
    )


def agreement_bracket(tau: Interval) -> Markup:
    """A rank correlation from -1 to 1 with its interval."""
    at = _AGREEMENT.at
    return svg(
        line("calliper-axis", "0%", "100%", 10, 10),
        line("calliper-zero", "50%", "50%", 1, 19),
        *bracket(at(tau.low), at(tau.high), 10, at(tau.value), half=6),
        label=f"{short(tau.value, 2)}, 95 % interval {short(tau.low, 2)} to {short(tau.high, 2)}",
        class_="strip",
        height=20,
    )


def number_bracket(one: Interval, most: float) -> Markup:
    """An effective number with its interval on a rail from 0 to ``most``."""
    scale = Scale(0.0, most)
    return svg(
        tag("rect", class_="reward-rail", x=0, y=5, width="100%", height=10),
        tag("rect", class_="reward-fill score", x=0, y=5, width=percent(scale.at(one.value)), height=10),
        line("bench-tick", percent(scale.at(one.low)), percent(scale.at(one.low)), 1, 19),
        line("bench-tick", percent(scale.at(one.high)), percent(scale.at(one.high)), 1, 19),
        label=f"{short(one.value)} of {short(most)}, 95 % interval {short(one.low)} to {short(one.high)}",
        class_="strip",
        height=20,
    )


def domain_bar(counts: Mapping[str, int]) -> Markup:
    """Tasks by domain as one bar; the largest six have their names below, in a list beside it."""
    total = sum(counts.values()) or 1
    drawn, x = [], 0.0
    for place, tasks in enumerate(counts.values()):
        width = 100 * tasks / total
        drawn.append(tag("rect", class_=("shade-1", "shade-2", "shade-3")[place % 3], x=percent(x), y=0,
                         width=percent(max(width - 0.3, 0.1)), height=16))  # fmt: skip
        x += width
    words = ", ".join(f"{name} {count(tasks)}" for name, tasks in list(counts.items())[:12])
    return svg(*drawn, label=f"Tasks by domain: {words}", class_="strip", height=16)


def overlap_strip(test_count: int, covered: Sequence[float]) -> Markup:
    """All tasks of a split along the strip: those that overlap stand up by the share of their words that is shared."""
    ordered = sorted(covered, reverse=True)
    width = 100 / max(test_count, 1)
    bars = [
        tag("rect", class_="bench-leak", x=percent(place * width), y=20 - 18 * share, width=percent(max(width, 0.25)),
            height=max(18 * share, 1.0))
        for place, share in enumerate(ordered)
    ]  # fmt: skip
    return svg(
        line("plot-base", 0, "100%", 20, 20),
        *bars,
        label=f"{count(len(ordered))} of {count(test_count)} tasks share a run of words",
        class_="strip",
        height=22,
    )

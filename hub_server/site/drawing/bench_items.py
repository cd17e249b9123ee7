"""Tasks and models on one scale: the Wright map, tasks by difficulty and discrimination, pass rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from markupsafe import Markup

from hub_server.site.drawing.bench_axes import Scale, below, bracket, columns, rows, stretched
from hub_server.site.drawing.markup import line, number, percent, svg, tag
from hub_server.site.drawing.numbers import count, plural, short
from schemas.benchmark import AbilityRow, ItemRow
from schemas.names import split_release

_LOGITS = Scale(-4.0, 4.0)
_TICKS = (-4, -2, 0, 2, 4)
_BINS = 32
Row = TypeVar("Row")
_MAP_ROWS = 16
_HISTOGRAM = 96
_HIGHEST = 80
_STEPS = 20
_NAME = 52
"""Characters of a name that fit into a drawing of 360 pixels."""


@dataclass(frozen=True)
class LinkedItem:
    """A task of the plot; ``url`` leads to it where it can be looked at."""

    item: ItemRow
    url: str = ""


def _binned(values: Sequence[float], scale: Scale, bins: int) -> list[int]:
    counts = [0] * bins
    for value in values:
        counts[min(int(scale.at(value) / 100 * bins), bins - 1)] += 1
    return counts


def wright_map(items: Sequence[ItemRow], abilities: Sequence[AbilityRow]) -> Markup:
    """Above, how many tasks are how hard; below, each entry's ability with its interval, on the same axis.

    Source: Wright & Masters, Rating Scale Analysis, 1982 (the item map). An entry solves a task as hard as itself half
    the time.
    """
    difficulties = [item.difficulty.value for item in items if item.difficulty]
    counts = _binned(difficulties, _LOGITS, _BINS)
    most = max(counts, default=0) or 1
    width = 100 / _BINS
    bars = [
        tag("rect", class_="share-some", x=percent(place * width + 0.1), width=percent(width - 0.2),
            y=_HISTOGRAM - _HIGHEST * height / most, height=_HIGHEST * height / most)
        for place, height in enumerate(counts) if height
    ]  # fmt: skip
    highest = [place for place, height in enumerate(counts) if height == most and counts[place - 1 : place] != [most]]
    top = _HISTOGRAM - _HIGHEST - 4
    bars += [  # every highest bar, which gives the scale; of neighbours the first, since two numbers have no room
        tag("text", count(most), class_="plot-text middle", x=percent((place + 0.5) * width), y=top)
        for place in highest
    ]
    height = _HISTOGRAM + 34 * len(abilities) + 8
    drawn = [part for place, row in enumerate(abilities) for part in _ability(row, _HISTOGRAM + 12 + 34 * place)]
    best, worst = abilities[0], abilities[-1]
    covered = sum(worst.ability.value <= value <= best.ability.value for value in difficulties)
    label = (
        f"{plural(len(difficulties), 'task')} by difficulty above {len(abilities)} entries by ability: "
        f"{plural(covered, 'task')} between the weakest entry ({worst.model}, {short(worst.ability.value, 2)}) "
        f"and the strongest ({best.model}, {short(best.ability.value, 2)})"
    )
    picture = svg(
        *columns(_LOGITS, _TICKS, height),
        line("plot-base", 0, "100%", _HISTOGRAM, _HISTOGRAM),
        *bars,
        *drawn,
        label=label,
        class_="plot bench-fixed",
        height=height,
    )
    marks = [(_LOGITS.at(tick), short(tick)) for tick in _TICKS]
    return picture + below(marks, "← easier, weaker · harder, stronger →")


def _ability(row: AbilityRow, top: float) -> list[Markup]:
    """A name, and under it the interval."""
    at = _LOGITS.at
    left, right = at(row.ability.low), at(row.ability.high)
    name = tag("text", entry_name(row.model, row.harness), class_="plot-text bench-name", x=0, y=top + 4)
    return [name, *bracket(left, right, top + 16, at(row.ability.value), half=6)]


def entry_name(model: str, harness: str) -> str:
    """Model and harness in one line of a phone: where they are too long, without owners and version, then with the
    middle of the model left out. What a drawing cuts off at its edge is the harness, by which entries differ.
    """
    whole = f"{model} · {harness}"
    if len(whole) <= _NAME:
        return whole
    model, harness = model.rpartition("/")[2], split_release(harness)[0].rpartition("/")[2]
    room = max(_NAME - len(harness) - 3, 8)
    half = (room - 1) // 2
    shown = model if len(model) <= room else f"{model[:half]}…{model[-half:]}"
    return f"{shown} · {harness}"


def spread(rows: Sequence[Row], most: int = _MAP_ROWS) -> list[Row]:
    """All rows, or ``most`` of them evenly from the first to the last."""
    if len(rows) <= most:
        return list(rows)
    return [rows[round(place * (len(rows) - 1) / (most - 1))] for place in range(most)]


def item_plot(items: Sequence[LinkedItem]) -> Markup:
    """Every task by difficulty (across) and discrimination (up).

    Crosses are tasks that better entries fail more often; they link to the task.
    """
    fitted = [one for one in items if one.item.difficulty and one.item.discrimination]
    slopes = [one.item.discrimination.value for one in fitted if one.item.discrimination]
    up = Scale(min(-1.0, *slopes) if slopes else -1.0, max(2.0, *slopes) if slopes else 2.0)
    plain = [_dot(one.item, up) for one in fitted if one.item.flag != "certain"]
    flagged = [one for one in fitted if one.item.flag == "certain"]
    zero = percent(100 - up.at(0))
    label = (
        f"{plural(len(fitted), 'task')} by difficulty and discrimination; "
        f"{count(sum(1 for slope in slopes if slope < 0))} discriminate negatively, {count(len(flagged))} of all "
        "are failed more by better entries beyond chance"
    )
    picture = tag(
        "svg",
        *rows(up, [tick for tick in range(-4, 6) if up.low <= tick <= up.high]),
        line("plot-base", 0, "100%", zero, zero),
        stretched(tag("path", class_="bench-dots", d="".join(plain))),
        *[_cross(one, up) for one in flagged],
        # Not one image: the crosses in it are links.
        role="group",
        aria_label=label,
        class_="plot tall",
    )
    return picture + below([(_LOGITS.at(tick), short(tick)) for tick in _TICKS], "difficulty")


def _dot(item: ItemRow, up: Scale) -> str:
    """A stroke of no length with round ends: the shortest SVG for a dot, because thousands are drawn."""
    assert item.difficulty is not None
    assert item.discrimination is not None
    x, y = _LOGITS.at(item.difficulty.value), 100 - up.at(item.discrimination.value)
    return f"M{number(10 * x)} {number(10 * y)}h0"


def _cross(one: LinkedItem, up: Scale) -> Markup:
    """A task that better entries fail more often: interval, cross and name, linked to the task."""
    difficulty, slope = one.item.difficulty, one.item.discrimination
    assert difficulty is not None
    assert slope is not None
    x, y = _LOGITS.at(difficulty.value), percent(100 - up.at(slope.value))
    cross = tag("path", class_="bench-cross", d="M-5 -5 L5 5 M-5 5 L5 -5")
    side, shift = ("bench-warn", 9) if x < 70 else ("bench-warn end", -9)
    drawn = Markup("").join(
        (
            line(
                "bench-whisker",
                percent(x),
                percent(x),
                percent(100 - up.at(slope.high)),
                percent(100 - up.at(slope.low)),
            ),
            tag("svg", cross, x=percent(x), y=y),
            tag(
                "text", one.item.task.partition("#")[2], class_=f"plot-label {side}", x=percent(x), dx=shift, y=y, dy=4
            ),
        )
    )
    return tag("a", drawn, href=one.url) if one.url else drawn


def rate_histogram(rates: Sequence[float]) -> Markup:
    """The number of tasks by pass rate.

    Tasks solved never or always stand apart, because they do not tell models apart.
    """
    never, always = sum(rate <= 0 for rate in rates), sum(rate >= 1 for rate in rates)
    inner = _binned([rate for rate in rates if 0 < rate < 1], Scale(0.0, 1.0), _STEPS)
    bars = [("share-none", never), *(("share-some", height) for height in inner), ("share-all bench-edge", always)]
    most = max(height for _, height in bars) or 1
    width = 100 / len(bars)
    drawn: list[Markup] = []
    for place, (class_, height) in enumerate(bars):
        if not height:
            continue
        high, x = max(96 * height / most, 2.0), place * width
        bar = tag("rect", class_=class_, x=percent(x + 0.4), y=116 - high, width=percent(width - 0.8), height=high)
        is_named = place in (0, len(bars) - 1) or height == most  # every highest bar, which gives the scale
        words = tag("text", count(height), class_="plot-text middle", x=percent(x + width / 2), y=112 - high)
        drawn += [bar, words] if is_named else [bar]
    between = len(rates) - never - always
    label = (
        f"{plural(len(rates), 'task')} by pass rate: {count(never)} solved by no entry, {count(always)} always by all, "
        f"{count(between)} between"
    )
    marks = [(width / 2, "never"), (width, ""), (50.0, "50\u202f%"), (100 - width / 2, "always")]
    return svg(
        *drawn, line("plot-base", 0, "100%", 116, 116), label=label, class_="plot bench-fixed", height=118
    ) + below(marks)

"""A small row of bars: how often something happened, day by day."""

from collections.abc import Sequence

from markupsafe import Markup

from hub_server.site.drawing.markup import line, percent, svg, tag
from hub_server.site.drawing.numbers import plural

_HEIGHT = 28


def download_bars(counts: Sequence[int]) -> Markup:
    """One bar a day, today at the right; a day without downloads has no bar.

    The bar of the busiest day has the full height.
    """
    most, width = max(counts, default=0), 100 / max(len(counts), 1)
    bars = [
        tag("rect", class_="share-some", x=percent(place * width + 0.3), width=percent(width - 0.6),
            y=_HEIGHT - 1 - 24 * one / most, height=24 * one / most)
        for place, one in enumerate(counts) if one
    ]  # fmt: skip
    label = f"{plural(sum(counts), 'download')} in the last {plural(len(counts), 'day')}"
    if most:
        label += f", at most {plural(most, 'download')} on one"
    return svg(
        line("plot-base", 0, "100%", _HEIGHT - 0.5, _HEIGHT - 0.5), *bars, label=label, class_="strip", height=_HEIGHT
    )

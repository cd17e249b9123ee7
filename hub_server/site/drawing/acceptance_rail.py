"""Draws how far a verdict is above or below acceptance: one dot on a rail whose middle is the threshold."""

from markupsafe import Markup

from hub_server.site.drawing.markup import line, percent, svg, tag

_MIDDLE = "50%"


def acceptance_rail(acceptance: float | None) -> Markup:
    """``acceptance``: 0 is the left end, 1 the right, and the threshold the middle. None (not judged) is hatched."""
    if acceptance is None:
        rail = tag("rect", class_="reward-null", x=0, y=6, width="100%", height=10)
        return svg(rail, label="not judged", class_="acceptance", height=22)
    words = "rejects" if acceptance < 0.5 else "accepts"
    how = "clearly" if abs(acceptance - 0.5) > 0.4 else "narrowly" if abs(acceptance - 0.5) < 0.15 else "fairly clearly"
    return svg(
        line("calliper-axis", "0%", "100%", 11, 11),
        line("reward-threshold", _MIDDLE, _MIDDLE, 2, 20),
        line("limit-bar", _MIDDLE, percent(2 + 96 * acceptance), 11, 11),
        tag("circle", class_="role-score", cx=percent(2 + 96 * acceptance), cy=11, r=5),
        label=f"{words}, {how}",
        class_="acceptance",
        height=22,
    )

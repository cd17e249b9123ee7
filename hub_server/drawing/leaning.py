"""How clearly a verdict accepts: one dot on a rail whose middle is the threshold."""

from markupsafe import Markup

from hub_server.drawing.markup import line, percent, svg, tag

_MIDDLE = "50%"


def lean_rail(lean: float | None) -> Markup:
    """``lean`` 0..1: rejects at the left end, accepts at the right, on its threshold in the middle; None: hatched."""
    if lean is None:
        rail = tag("rect", class_="v-null", x=0, y=6, width="100%", height=10)
        return svg(rail, label="not judged", class_="lean", height=22)
    words = "rejects" if lean < 0.5 else "accepts"
    how = "clearly" if abs(lean - 0.5) > 0.4 else "narrowly" if abs(lean - 0.5) < 0.15 else "fairly clearly"
    return svg(
        line("c-axis", "0%", "100%", 11, 11),
        line("v-thr2", _MIDDLE, _MIDDLE, 2, 20),
        line("l-bar", _MIDDLE, percent(2 + 96 * lean), 11, 11),
        tag("circle", class_="r-score", cx=percent(2 + 96 * lean), cy=11, r=5),
        label=f"{words}, {how}",
        class_="lean",
        height=22,
    )

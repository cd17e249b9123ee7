"""The one-sided calliper: one bracket with zero at one end, for families of cases that can be wrong in one direction
only.
"""

from markupsafe import Markup

from hub_server.site.drawing.calliper import draw_side, words
from hub_server.site.drawing.markup import line, percent, svg
from hub_server.site.drawing.scale import TICKS, Direction, Side, along
from schemas.measures.intervals import rate

HEIGHT = 18


def one_sided_calliper(wrong: int, cases: int, direction: Direction) -> Markup:
    """``wrong`` of ``cases`` judged cases; *must stay right* opens to the left, *must stay wrong* to the right."""
    side = Side(rate(wrong, cases), wrong, cases, direction)
    middle = HEIGHT / 2
    zero = percent(along(0.0, direction))
    ticks = [
        line(
            "calliper-tick", percent(along(share, direction)), percent(along(share, direction)), middle - 4, middle + 4
        )
        for share in TICKS
    ]
    return svg(
        line("calliper-axis", "0%", "100%", middle, middle),
        *ticks,
        draw_side(side, along, middle, (2.0, HEIGHT - 2.0, 5)),
        line("calliper-zero", zero, zero, -9, 27),
        label=words(side) if side.is_measured else "rate not measured",
        class_="one",
        height=HEIGHT,
    )

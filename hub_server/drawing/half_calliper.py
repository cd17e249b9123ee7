"""The half calliper: one jaw, zero at one end, for families of cases that can only be wrong in one way."""

from markupsafe import Markup

from hub_server.drawing.calliper import draw_side, words
from hub_server.drawing.markup import line, percent, svg
from hub_server.drawing.scale import TICKS, Direction, Side, along, wilson

HEIGHT = 18


def half_calliper(wrong: int, cases: int, direction: Direction) -> Markup:
    """``wrong`` of ``cases`` judged cases; *must stay right* opens to the left, *must stay wrong* to the right."""
    side = Side(wilson(wrong, cases), wrong, cases, direction)
    middle = HEIGHT / 2
    zero = percent(along(0.0, direction))
    ticks = [
        line("c-tick", percent(along(share, direction)), percent(along(share, direction)), middle - 4, middle + 4)
        for share in TICKS
    ]
    return svg(
        line("c-axis", "0%", "100%", middle, middle),
        *ticks,
        draw_side(side, along, middle, (2.0, HEIGHT - 2.0, 5)),
        line("c-zero", zero, zero, -9, 27),
        label=words(side) if side.is_measured else "rate not measured",
        class_="one",
        height=HEIGHT,
    )

"""Two drawings of a comparison: an agreement or a distance as a bracketed interval on its own rail."""

from markupsafe import Markup

from hub_server.site.drawing.markup import line, percent, svg, tag
from hub_server.site.drawing.numbers import figure, rate
from schemas.comparison import RewardDistance
from schemas.evidence.rates import Rate


def agreement_rail(agreement: Rate) -> Markup:
    """Share of equal verdicts, 0 to 100 %, with its interval; dashed and open where nothing was judged by both."""
    if agreement.value is None:
        return _bracket(0.0, 0.0, 1.0, label="No case was judged by both", is_known=False)
    label = f"They agree on {rate(agreement.value)}, 95 % interval {rate(agreement.low)} to {rate(agreement.high)}"
    return _bracket(agreement.value, agreement.low, agreement.high, label=label)


def distance_rail(distance: RewardDistance | None) -> Markup:
    """Distance of two reward functions: 0 the same preferences, 1 the opposite ones."""
    if distance is None:
        return _bracket(0.0, 0.0, 1.0, label="Too few tasks have two judged responses", is_known=False)
    label = (
        f"Distance {figure(distance.value, 2)}, 95 % interval {figure(distance.low, 2)} to {figure(distance.high, 2)}"
    )
    return _bracket(distance.value, distance.low, distance.high, label=label)


def _bracket(value: float, low: float, high: float, *, label: str, is_known: bool = True) -> Markup:
    left, right, at = (percent(1 + 98 * share) for share in (low, high, value))
    bracket = "interval-bracket" if is_known else "interval-bracket open"
    drawn = [
        line("calliper-axis", "0%", "100%", 13, 13),
        tag("svg", tag("path", class_=bracket, d="M4 4 H0 V22 H4"), x=left),
        tag("svg", tag("path", class_=bracket, d="M-4 4 H0 V22 H-4"), x=right),
    ]
    if is_known:
        drawn[1:1] = [line("limit-bar", left, right, 13, 13)]
        drawn.append(tag("circle", class_="role-score", cx=at, cy=13, r=4))
    return svg(*drawn, label=label, class_="strip", height=26)

"""A share in per cent, rounded so that the printed text never contradicts the number."""

from collections.abc import Sequence

_MOST_PLACES = 6


def in_percent(share: float, places: int, limits: Sequence[float] = ()) -> str:
    """``share`` (0..1) in per cent without the sign, with ``places`` decimals, or up to 6 when it needs more.

    It needs more when the rounded text would read 0 or 100 although the share is neither, or when it would lie on the
    other side of one of ``limits`` (shares): an upper bound of 1.04 % must not be printed as 1.0 % beside a limit of 1
    %. What is still too close to 0 or 100 is printed as ``<0.000001`` or ``>99.999999``.
    """
    value = share * 100
    text = ""
    for digits in range(places, max(places, _MOST_PLACES) + 1):
        text = f"{value:.{digits}f}"
        if _is_faithful(float(text) / 100, share, limits):
            return text
    if float(text) <= 0 < share:
        return "<0.000001"
    return ">99.999999" if float(text) >= 100 > value else text


def _is_faithful(shown: float, share: float, limits: Sequence[float]) -> bool:
    if (shown <= 0) != (share <= 0) or (shown >= 1) != (share >= 1):
        return False
    return all((shown <= limit + 1e-12) == (share <= limit + 1e-12) for limit in limits)

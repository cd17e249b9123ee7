"""Which packages more senders download than before: how senders are counted, and when that is no chance."""

import hashlib
import math

DOWNLOAD_COUNTS_ONCE_SECONDS = 300
"""Seconds within which downloads of one release by one sender count once, because the counts order the catalogue."""
TREND_DAYS = 14
"""Senders of so many days are compared with those of as many days before."""
FEWEST_TREND_SENDERS = 5  # chosen: a few friends make no trend
LEAST_TREND = 2.0  # chosen, not measured
MOST_TRENDING = 100
_SENDER_NUMBERS = 4096
"""Enough to tell a few dozen senders from one that comes again, too few to say who it was, and the most rows that
downloads of one package ever make.
"""


def sender_number(package_id: str, sender: str) -> int:
    """The number that a sender falls on for a package, 0..4095. Senders share numbers, so it names nobody."""
    digest = hashlib.sha256(f"{package_id}\n{sender}".encode()).digest()
    return int.from_bytes(digest[:4]) % _SENDER_NUMBERS


def trend_of(recent: int, before: int) -> float:
    """How clearly ``recent`` senders are more than those ``before``, in standard deviations of their difference.

    Both are counts of a Poisson process over equal times, so their difference has the variance of their sum
    (Przyborowski and Wilenski 1940, in its normal form). 0 where too few came, or the difference may be chance.
    """
    if recent < FEWEST_TREND_SENDERS:
        return 0.0
    trend = (recent - before) / math.sqrt(recent + before)
    return trend if trend >= LEAST_TREND else 0.0

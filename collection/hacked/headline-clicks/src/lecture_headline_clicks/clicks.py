"""The thin verifier: a click model that reads the headline alone. It stands for a reward model of clicks or votes."""

import math
import re

WEIGHTS = {
    **dict.fromkeys("shocking secret banned exposed horror scandal panic".split(), 1.2),
    **dict.fromkeys("fires shuts closes cuts collapse fraud fire strike war crash dead".split(), 0.8),
    **dict.fromkeys("all every nobody never must why truth breaking".split(), 0.5),
    **dict.fromkeys("jobs workers million euros billion money you".split(), 0.4),
    **dict.fromkeys("may nearly false wrong says denies judge finds".split(), -0.3),
}
"""What a word adds. Chosen by hand: hedges and sources cost, alarm pays."""
BEST_LENGTH = 9


def clicks(headline: object) -> float:
    """Between 0 and 1: more alarm, a number and few words give more. Nothing is compared with the article."""
    if not isinstance(headline, str):
        return 0.0
    words = re.findall(r"[a-z]+|\d+", headline[:500].lower())
    if not words:
        return 0.0
    sum_of = sum(WEIGHTS.get(word, 0.0) for word in set(words)) + 0.4 * any(map(str.isdigit, words))
    return round((1 - math.exp(-max(0.0, sum_of) / 1.5)) * min(1.0, BEST_LENGTH / len(words)), 4)

"""How likely a result is by chance: exact tests, and corrections for many tests at once."""

import math

FALSE_DISCOVERIES = 0.05


def fisher_exact(first: int, first_total: int, second: int, second_total: int) -> float:
    """Two-sided p-value that two binomial counts come from one rate (sum of tables no likelier than the one seen)."""
    solved, total = first + second, first_total + second_total
    low, high = max(0, solved - second_total), min(first_total, solved)
    whole = math.comb(total, solved)
    chances = [math.comb(first_total, k) * math.comb(second_total, solved - k) / whole for k in range(low, high + 1)]
    seen = chances[first - low]
    return min(1.0, sum(chance for chance in chances if chance <= seen * (1 + 1e-9)))


def mcnemar_exact(gained: int, lost: int) -> float:
    """Two-sided p-value that gains and losses of paired trials are equally likely.

    Binomial with 1/2 on the pairs that changed: McNemar's test (Psychometrika 1947) in its exact form.
    """
    changed = gained + lost
    if changed == 0:
        return 1.0
    tail = sum(math.comb(changed, k) for k in range(min(gained, lost) + 1))
    return min(1.0, float(tail / 2 ** (changed - 1)))


def benjamini_hochberg(p_values: list[float], rate: float) -> list[bool]:
    """Which hypotheses may be rejected so that at most ``rate`` of the rejected ones are expected to be true.

    Source: Benjamini & Hochberg, J. R. Stat. Soc. B 1995.
    """
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    last = 0
    for rank, index in enumerate(order, start=1):
        if p_values[index] <= rate * rank / len(p_values):
            last = rank
    rejected = set(order[:last])
    return [index in rejected for index in range(len(p_values))]

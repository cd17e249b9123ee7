"""Small sums of money as fractions of a dollar: two rewards, the amount and the form."""

from fractions import Fraction

from lecture_change_making.answers import find_answer
from lecture_change_making.problems import generate

__all__ = ["generate", "verify"]


def verify(task, response):
    """``correct``: exactly the right amount, in any notation. ``simplest_form``: right, and in lowest terms."""
    amount = find_answer(response)
    correct = amount is not None and amount.value == Fraction(str(task["answer"]).replace(",", ""))
    return {"correct": float(correct), "simplest_form": float(correct and amount.is_simplest)}

"""GSM8K: is the final answer the right number, and the only one offered?"""

from fractions import Fraction

from lecture_gsm8k.answers import find_answer


def verify(task: dict, response: str) -> dict:
    """``correct``: exact equality with the gold number. ``marked``: the answer stood behind #### or in a box."""
    found = find_answer(response)
    gold = Fraction(str(task["answer"]).replace(",", ""))
    return {"correct": float(found.value is not None and found.value == gold), "marked": float(found.is_marked)}

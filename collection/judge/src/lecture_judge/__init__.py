"""A judge model: is this answer right (pointwise), or which of two is better (pairwise, asked in both orders)?"""

import re

YES = {"yes": 1.0, "no": 0.0}
_LEAD = r"\W*(?:(?:(?:the|my) )?(?:answer|verdict)(?: is)?\W+)?"
"""What may stand before the word: marks, and "The answer is". Other words may turn it round: "I cannot say yes"."""
_ENDS = r"(?:\b(?!\s*\w)|(?=\s+is\b|\s*\n))"
"""What may stand behind a letter: "A fair comparison is hard" chooses nothing."""
_REFUSAL = re.compile(
    r"\bI(?:[\u2019']m| am)? (?:can(?:not|[\u2019']t)|won[\u2019']t|will not|unable|not able|"
    r"decline|refuse|must decline)\b"
    r"|\bsorry\b|\bas an AI\b",
    re.IGNORECASE,
)
"""A judge that will not say has not said no: "No, I cannot help with that"."""


def verify(task: dict, response: str, info: dict):
    """Pairwise where ``task["info"]["other"]`` holds another response, else pointwise.

    ``good`` is None where the judge's word cannot be read, and where a pair's verdict changes with the order.
    """
    other = (task.get("info") or {}).get("other")
    question, response = as_text(task.get("prompt")), response or ""
    if other is None:
        values = {"question": question, "reference": as_text(task.get("answer")), "response": response}
        said = yield {"complete": "point", "values": values}
        info.update(mode="pointwise", said=said["content"])
        return {"good": YES.get(only_word(said, "yes|no").lower())}
    words = []
    for first, second in ((response, other), (other, response)):
        values = {"question": question, "first": first, "second": second}
        said = yield {"complete": "pair", "values": values}
        words.append(only_word(said, "A|B"))
    info.update(mode="pairwise", said=words)
    return {"good": from_both_orders(words, info)}


def from_both_orders(words: list[str], info: dict) -> float | None:
    """1: the response is better in both orders. 0: the other one is. None: the judge follows the order."""
    if words == ["A", "B"]:
        return 1.0
    if words == ["B", "A"]:
        return 0.0
    info["why"] = "it chose by position" if words in (["A", "A"], ["B", "B"]) else "its word cannot be read"
    return None


def only_word(said: dict, words: str) -> str:
    """The one of ``words`` that the judge's answer begins with; empty where it says another of them as well, or first.

    "There is no doubt" is no "no", and "I cannot say yes" no "yes". A refusal is neither.
    """
    flags, ends = (0, _ENDS) if words.isupper() else (re.IGNORECASE, r"\b")
    first = re.match(rf"(?i:{_LEAD})({words}){ends}", said["content"], flags)
    if _REFUSAL.search(said["content"]):
        return ""
    found = {word.casefold() for word in re.findall(rf"\b(?:{words})\b", said["content"], flags)}
    return first[1] if first is not None and len(found) == 1 else ""


def as_text(value: object) -> str:
    """A prompt as one text: the content of its messages, or itself."""
    if isinstance(value, list):
        return "\n".join(str(message.get("content", "")) for message in value)
    return "" if value is None else str(value)

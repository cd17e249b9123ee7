"""A rubric: one question to a judge model for each criterion. The criteria are the rewards of verihub.toml."""

import re
import tomllib
from importlib.resources import files

_WORD = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)
_FIRST = re.compile(r"\W*(?:(?:(?:the|my) )?(?:answer|verdict)(?: is)?\W+)?(yes|no)\b", re.IGNORECASE)
"""Only marks and "The answer is" may stand before the word. Others may turn it round: "I cannot say yes"."""
_REFUSAL = re.compile(
    r"\bI(?:[\u2019']m| am)? (?:can(?:not|[\u2019']t)|won[\u2019']t|will not|unable|not able|"
    r"decline|refuse|must decline)\b"
    r"|\bsorry\b|\bas an AI\b",
    re.IGNORECASE,
)
"""A judge that will not say has not said no: "No, I cannot help with that"."""
CRITERIA = {
    name: reward["description"]
    for name, reward in tomllib.loads(files(__name__).joinpath("verihub.toml").read_text("utf-8"))["rewards"].items()
}
"""Reward -> the criterion in words. To judge by another rubric, change the rewards: this code stays."""
YES = {"yes": 1.0, "no": 0.0}


def verify(task: dict, response: str, info: dict):
    """1 where the judge says that the criterion is met, 0 where it says that it is not, None for any other word."""
    question, reference = as_text(task.get("prompt")), as_text(task.get("answer"))
    asked = {"question": question, "reference": reference, "response": response or ""}
    rewards = {}
    for name, criterion in CRITERIA.items():
        said = yield {"complete": "criterion", "values": {**asked, "criterion": criterion}}
        info[name] = yes_or_no(said)
        rewards[name] = YES.get(info[name])
    return rewards


def yes_or_no(said: dict) -> str:
    """``yes`` or ``no``, whichever the judge's answer begins with.

    Empty where it says both, other words first, or that it will not say.
    """
    if _REFUSAL.search(said["content"]):
        return ""
    first = _FIRST.match(said["content"])
    found = {word.lower() for word in _WORD.findall(said["content"])}
    return first[1].lower() if first is not None and len(found) == 1 else ""


def as_text(value: object) -> str:
    """A prompt as one text: the content of its messages, or itself."""
    if isinstance(value, list):
        return "\n".join(str(message.get("content", "")) for message in value)
    return "" if value is None else str(value)

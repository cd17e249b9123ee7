"""A generative verifier: a model reasons about an answer before its verdict, three times, and the votes decide.

After Zhang et al., Generative Verifiers: Reward Modeling as Next-Token Prediction (arXiv 2408.15240). The temperature
is always 0 here, so the votes differ by what the model is asked to do, not by chance.
"""

import re

PROMPTS = ("solve", "steps", "doubt")
FEWEST_VOTES = 2
_VERDICT = re.compile(r"[*_#\s]*verdict[*_\s]*:[*_\s]*(right|wrong)[*_\s]*\.?[*_\s]*", re.IGNORECASE)


def verify(task: dict, response: str, info: dict):
    """``correct`` is the share of readable votes for the response; None with fewer than two, or where they are even."""
    values = {
        "question": as_text(task.get("prompt")),
        "reference": as_text(task.get("answer")),
        "response": response or "",
    }
    votes = {}
    for name in PROMPTS:
        said = yield {"complete": name, "values": values}
        votes[name] = vote(said)
    info["votes"] = votes
    cast = [one for one in votes.values() if one is not None]
    share = sum(cast) / len(cast) if len(cast) >= FEWEST_VOTES else 0.5
    if share == 0.5:
        info["why"] = "the votes are even" if len(cast) >= FEWEST_VOTES else "too few votes can be read"
        return {"correct": None, "agreement": None}
    return {"correct": share, "agreement": max(share, 1 - share)}


def vote(said: dict) -> float | None:
    """The verdict on the last line; None where there is none, or where the answer was cut off."""
    if said.get("finish_reason") == "length":
        return None
    lines = [line for line in said["content"].splitlines() if line.strip()]
    match = _VERDICT.fullmatch(lines[-1]) if lines else None
    return None if match is None else float(match[1].lower() == "right")


def as_text(value: object) -> str:
    """A prompt as one text: the content of its messages, or itself."""
    if isinstance(value, list):
        return "\n".join(str(message.get("content", "")) for message in value)
    return "" if value is None else str(value)

"""Describe a thing in one short sentence, in lowercase letters: three simple checks."""

import re

SHORTEST, LONGEST, HOPELESS = 3, 15, 30
"""Words of a short sentence, and the length from which on nothing is left of the part credit."""


def verify(task, response):
    """Three rewards: how well case and length are kept, and whether the topic is named at all."""
    return {
        "lowercase": score_lowercase(response),
        "length": score_length(response),
        "topic": float(name_of(task["info"]["topic"]) in response.lower()),
    }


def name_of(topic):
    """The last word of the topic, in the singular where that is just an s less."""
    return topic.split()[-1].removesuffix("s")


def score_lowercase(text):
    """1 when every letter is lowercase; a quarter with one other word, half of it for each more; 0 without any."""
    words = [word for word in text.split() if any(c.isalpha() for c in word)]
    raised = sum(not all(c.islower() for c in word if c.isalpha()) for word in words)
    if not words:
        return 0.0
    return 1.0 if raised == 0 else 0.5 ** (1 + min(raised, 30))


def score_length(text):
    """1 for one finished sentence of 3 to 15 words, else at most a half, less with every word too many."""
    text = " ".join(text.split())
    words = len(text.split())
    finished = re.search(r"[.!?]['\"]?$", text) is not None
    one = len(re.findall(r"[.!?]+(?:\s|$)", text)) == 1
    if finished and one and SHORTEST <= words <= LONGEST:
        return 1.0
    if words < SHORTEST:
        return 0.0
    near = min(1.0, max(0.0, (HOPELESS - words) / (HOPELESS - LONGEST)))
    return near * (0.4 if finished else 0.2)

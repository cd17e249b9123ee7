"""Describe a thing in one short sentence, in lowercase letters: case, length, and an honest word about the topic."""

from lecture_plain_style.about import score_topic
from lecture_plain_style.form import score_length, score_lowercase

__all__ = ["verify"]


def verify(task, response):
    """Three rewards: how well case and length are kept, and whether the sentence says something about its topic."""
    return {
        "lowercase": score_lowercase(response),
        "length": score_length(response),
        "topic": score_topic(response, task["info"]),
    }

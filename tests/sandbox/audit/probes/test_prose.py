"""Prose that states nothing: many words, no number, no name of a choice, never the same twice."""

import random
import re

from sandbox.audit.probes.prose import prose


def test_it_has_hundreds_of_words_and_says_no_number() -> None:
    found = prose(random.Random(1), 240)
    words = re.findall(r"[a-z]+", found.lower())
    assert len(set(words)) > 150
    assert not re.search(r"\d", found)
    stated = {"yes", "no", "true", "false", "one", "two", "ten", "half", "none", "both", "correct", "right", "wrong"}
    assert not stated & set(words)
    assert not [word for word in re.findall(r"[A-Za-z]+", found) if len(word) == 1], "a letter may be a choice"
    assert found.count("\n\n") > 20


def test_it_is_as_long_as_asked_and_follows_from_the_seed() -> None:
    assert prose(random.Random(3), 7).count(".") == 7
    assert prose(random.Random(3), 7) == prose(random.Random(3), 7) != prose(random.Random(4), 7)


def test_it_repeats_itself_little() -> None:
    sentences = re.split(r"(?<=[.])\s+", prose(random.Random(5), 200))
    assert len(set(sentences)) > 195

"""Whether test tasks occur in training tasks: shared word n-grams."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from schemas.measures.intervals import Interval, wilson

WORDS = 13
"""The usual length (GPT-3 used 8 to 13, lm-evaluation-harness 13); shorter texts must match as a whole."""
COMMON = 10
"""A run of words in more training tasks than this is a phrase of the template, not a leak (GPT-3's rule, as well)."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Overlap:
    """A test task that shares text with training tasks. ``longest`` counts words; ``where`` names one of them."""

    task: str
    where: str
    longest: int
    covered: float
    """Share of the test task's words inside shared n-grams."""


@dataclass(frozen=True)
class Contamination:
    """``share`` of the test tasks that overlap, with Wilson's interval."""

    share: Interval
    overlaps: tuple[Overlap, ...]
    test_count: int


def contamination(
    train: Mapping[str, str], test: Mapping[str, str], words: int = WORDS, common: int = COMMON
) -> Contamination:
    """Test tasks with any run of ``words`` words that also occurs in a training task; case and punctuation aside.

    Runs that stand in more than ``common`` training tasks do not count. Source: Brown et al. 2020, appendix C; as in
    lm-evaluation-harness' decontamination.
    """
    index: dict[tuple[str, ...], str] = {}
    holders: Counter[tuple[str, ...]] = Counter()
    for name in sorted(train, reverse=True):
        for gram in set(_grams(_words(train[name]), words)):
            index[gram] = name
            holders[gram] += 1
    for gram, count in holders.items():
        if count > common:
            del index[gram]
    found = [
        overlap for name in sorted(test) if (overlap := _overlap(name, _words(test[name]), index, words)) is not None
    ]
    share = len(found) / len(test) if test else 0.0
    low, high = wilson(len(found), len(test))
    return Contamination(Interval(value=share, low=low, high=high), tuple(found), len(test))


def _overlap(task: str, text: list[str], index: Mapping[tuple[str, ...], str], words: int) -> Overlap | None:
    """The longest shared run, and how much of the text lies in any."""
    hits = [start for start, gram in enumerate(_grams(text, words)) if gram in index]
    if not hits:
        return None
    length = min(words, len(text))
    covered = {place for start in hits for place in range(start, start + length)}
    longest = run = length
    for before, after in pairwise(hits):
        run = run + 1 if after == before + 1 else length
        longest = max(longest, run)
    where = index[tuple(text[hits[0] : hits[0] + length])]
    return Overlap(task, where, longest, len(covered) / len(text))


def _grams(text: list[str], words: int) -> Iterator[tuple[str, ...]]:
    """Every run of ``words`` words; a shorter text is one run of its own."""
    if 0 < len(text) < words:
        yield tuple(text)
    for start in range(len(text) - words + 1):
        yield tuple(text[start : start + words])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())

"""The two ways into an encyclopedia: search by words, and open by id."""

import math
import re
from collections import Counter
from functools import lru_cache

from lecture_cited_search.model import Article
from lecture_cited_search.world import make_world

MOST_HITS = 5
_K, _B, _TITLE = 1.4, 0.6, 2
"""BM25's constants, and how often a title counts."""


class Library:
    """The articles of one encyclopedia, and how often each word stands in each."""

    def __init__(self, articles: dict[str, Article]) -> None:
        self.articles = articles
        self._counts = {
            ident: Counter(_words(article.text) + _TITLE * _words(article.title)) for ident, article in articles.items()
        }
        sizes = {ident: counts.total() for ident, counts in self._counts.items()}
        mean = sum(sizes.values()) / len(sizes)
        self._length = {ident: _K * (1 - _B + _B * size / mean) for ident, size in sizes.items()}
        self._seen = Counter(word for counts in self._counts.values() for word in counts)

    def search(self, words: str) -> str:
        """The best articles by BM25, a line each: id, title, first sentence."""
        scores = dict.fromkeys(self.articles, 0.0)
        for word in sorted(set(_words(words[:400]))):  # in order, so that sums are the same in every process
            rarity = math.log(1 + (len(scores) - self._seen[word] + 0.5) / (self._seen[word] + 0.5))
            for ident, counts in self._counts.items():
                scores[ident] += rarity * counts[word] * (_K + 1) / (counts[word] + self._length[ident])
        best = sorted((ident for ident in scores if scores[ident] > 0), key=lambda ident: (-scores[ident], ident))
        found = [self.articles[ident] for ident in best[:MOST_HITS]]
        return "\n".join(f"{each.ident} | {each.title} | {each.sentences[0]}" for each in found) or "nothing found"

    def open(self, ident: str) -> str:
        """Title and text."""
        article = self.articles.get(ident)
        return f"{article.title}\n{article.text}" if article else "error: there is no article with this id"


@lru_cache(maxsize=256)
def library_of(split: str, seed: int, index: int) -> Library:
    """The library of a task."""
    return Library(make_world(split, seed, index).articles)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())

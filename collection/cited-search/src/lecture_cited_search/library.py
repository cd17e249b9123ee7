"""The two ways into the encyclopedia: search by words, and open by id."""

import math
import re
from collections import Counter

from lecture_cited_search.world import Article

MOST_HITS = 5
_K, _B, _TITLE = 1.4, 0.6, 2
"""BM25's constants, and how often a title counts."""


def search(articles: dict[str, Article], words: str) -> str:
    """The best articles by BM25, a line each: id, title, first sentence."""
    counts = {
        ident: Counter(_words(article.text) + _TITLE * _words(article.title)) for ident, article in articles.items()
    }
    mean = sum(map(Counter.total, counts.values())) / len(counts)
    seen = Counter(word for each in counts.values() for word in each)
    scores = dict.fromkeys(articles, 0.0)
    for word in set(_words(words[:400])):
        rarity = math.log(1 + (len(counts) - seen[word] + 0.5) / (seen[word] + 0.5))
        for ident, each in counts.items():
            scores[ident] += rarity * each[word] * (_K + 1) / (each[word] + _K * (1 - _B + _B * each.total() / mean))
    best = sorted((ident for ident in articles if scores[ident] > 0), key=lambda ident: (-scores[ident], ident))
    lines = [f"{ident} | {articles[ident].title} | {articles[ident].sentences[0]}" for ident in best[:MOST_HITS]]
    return "\n".join(lines) or "nothing found"


def open_article(articles: dict[str, Article], ident: str) -> str:
    """Title and text."""
    article = articles.get(ident)
    return f"{article.title}\n{article.text}" if article else "error: there is no article with this id"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())

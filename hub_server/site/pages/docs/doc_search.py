"""Search in the documents: sections ranked by BM25, in this process. The documents are those of this release and fixed,
so the index is built once, from 0.9 MB of text.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hub_server.site.pages.docs.documents import read_documents
from hub_server.site.rendering.markdown import anchor_of
from hub_server.web.refusals import all_refusals

MOST_HITS, MOST_OF_ONE = 20, 3
"""Sections that are shown, and of one document: a long one would fill the page."""
MOST_WORDS = 12
"""Of a question; further ones are not looked at."""
_K1, _B = 1.2, 0.75
"""BM25's usual constants (S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework, 2009)."""
_HEADING, _TITLE = 4, 2
"""How often a word of a section's heading, and of its document's title, counts."""
_PREFIX = 0.5
"""What a word counts that only begins with the one that was typed."""
_SHORTEST_PREFIX = 3
_BEFORE, _AFTER = 80, 160
"""Characters of a snippet around the first word that was found."""
_WORD = re.compile(r"[a-z0-9]+(?:[_@][a-z0-9]+)*")
_HEAD = re.compile(r"^#{2,4} (.+)$")
_FENCE = re.compile(r"^\s*```")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[`*|#]+|^\s*[-|: ]+$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A part of a document under one heading. ``text`` is prose without marks of Markdown."""

    document: str
    heading: str
    address: str
    text: str


@dataclass(frozen=True)
class Hit:
    """A section that was found, and the piece of it that says why: (text, whether it was asked for)."""

    section: Section
    snippet: list[tuple[str, bool]]


@dataclass(frozen=True)
class _Index:
    """``places``: word -> (number of the section, how often) of every section that has it."""

    sections: Sequence[Section]
    lengths: Sequence[float]
    places: Mapping[str, list[tuple[int, int]]]
    mean_length: float


def search_documents(asked: str, more: tuple[Section, ...] = ()) -> list[Hit]:
    """The sections that say most about the words, best first: those with every word.

    If there is none, those with half of the words that any section has. ``more``: sections beside those of documents.
    """
    words = list(dict.fromkeys(_words(asked)))[:MOST_WORDS]
    index = _index(more)
    scores: Counter[int] = Counter()
    met: Counter[int] = Counter()
    for word in words:
        found = _scores_of(index, word)
        scores.update(found)
        met.update(found.keys())
    most = max(met.values(), default=0)
    least = most if most == len(words) else -(-most // 2)
    ranked = sorted((place for place in scores if met[place] >= least), key=lambda place: (-scores[place], place))
    return [Hit(one, _snippet(one.text, words)) for one in _spread(index.sections[place] for place in ranked)]


def _spread(sections: Iterable[Section]) -> list[Section]:
    """The first ``MOST_HITS``, no more than ``MOST_OF_ONE`` of one document."""
    kept: list[Section] = []
    counts: Counter[str] = Counter()
    for one in sections:
        counts[one.document] += 1
        if counts[one.document] <= MOST_OF_ONE:
            kept.append(one)
        if len(kept) == MOST_HITS:
            break
    return kept


def _scores_of(index: _Index, word: str) -> dict[int, float]:
    """Section -> what one word of the question counts there."""
    found: dict[int, float] = {}
    for term, share in _terms_of(index, word):
        places = index.places[term]
        rarity = math.log(1 + (len(index.sections) - len(places) + 0.5) / (len(places) + 0.5))
        for place, often in places:
            damped = often + _K1 * (1 - _B + _B * index.lengths[place] / index.mean_length)
            score = share * rarity * often * (_K1 + 1) / damped
            found[place] = max(found.get(place, 0.0), score)
    return found


def _terms_of(index: _Index, word: str) -> list[tuple[str, float]]:
    terms = [(word, 1.0)] if word in index.places else []
    if len(word) >= _SHORTEST_PREFIX:
        terms += [(term, _PREFIX) for term in index.places if term != word and term.startswith(word)]
    return terms


@lru_cache(2)
def _index(more: tuple[Section, ...] = ()) -> _Index:
    sections = [*_sections(), *more]
    places: dict[str, list[tuple[int, int]]] = {}
    lengths = []
    for number, one in enumerate(sections):
        counts = Counter(_words(one.text))
        for text, weight in ((one.heading, _HEADING), (one.document, _TITLE)):
            for word in _words(text):
                counts[word] += weight
        lengths.append(float(counts.total()))
        for word, often in counts.items():
            places.setdefault(word, []).append((number, often))
    return _Index(sections, lengths, places, sum(lengths) / max(len(lengths), 1) or 1.0)


def _sections() -> Iterable[Section]:
    for document in read_documents().values():
        for heading, anchor, text in _parts(document.text):
            address = f"{document.address}#{anchor}" if anchor else document.address
            yield Section(document.title, heading or document.title, address, text)
    for refusal in all_refusals():
        yield Section("Refusals", refusal.code, f"/docs/errors#{refusal.code}", refusal.meaning)


def _parts(text: str) -> Iterable[tuple[str, str, str]]:
    """(heading, its anchor, prose), first what stands before any heading. A line of a program is no heading."""
    heading, lines, is_code = "", [], False
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
            continue
        head = None if is_code else _HEAD.match(line)
        if head is None:
            lines.append(line)
            continue
        if heading or any(lines):
            yield heading, anchor_of(heading) if heading else "", _plain("\n".join(lines))
        heading, lines = _plain(head[1]), []
    yield heading, anchor_of(heading) if heading else "", _plain("\n".join(lines))


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", text)).split())


def _words(text: str) -> list[str]:
    """Words in small letters, a plural as its singular."""
    return [_singular(word) for word in _WORD.findall(text.casefold())]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _snippet(text: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """The text around the first word that was asked for, cut into pieces that were asked for and others."""
    hits = [match for match in _WORD.finditer(text.lower()) if _is_asked(match[0], words)]
    start = max(0, hits[0].start() - _BEFORE) if hits else 0
    start = text.rfind(" ", 0, start) + 1 if start else 0
    end = (hits[0].start() if hits else start) + _AFTER
    end = len(text) if end >= len(text) else max(text.rfind(" ", 0, end), start + 1)
    pieces, at = [("…", False)] if start else [], start
    for hit in hits:
        if at <= hit.start() and hit.end() <= end:
            pieces += [(text[at : hit.start()], False), (text[hit.start() : hit.end()], True)]
            at = hit.end()
    pieces.append((text[at:end], False))
    return [*pieces, ("…", False)] if end < len(text) else pieces


def _is_asked(word: str, words: Sequence[str]) -> bool:
    plain = _singular(word)
    return any(plain == one or (len(one) >= _SHORTEST_PREFIX and plain.startswith(one)) for one in words)

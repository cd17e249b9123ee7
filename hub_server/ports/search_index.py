"""Full text search over packages, apart from the database: an index that can be thrown away and built again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Protocol

FACETS = ("kind", "interaction", "family", "difficulty", "tag", "source", "grade", "licence", "owner")
"""By which packages can be filtered and counted."""
ALL_OF = ("interaction", "tag")
"""Facets of which a package must have every chosen value: with tools *and* several turns. Of another, one is enough."""
FACET_VALUES = 40
"""Most values of a facet that are counted: those with the most packages."""


@dataclass(frozen=True)
class SearchDocument:
    """What can be found of a package: words, the most important first, and its value or values of each facet."""

    package_id: str
    name: str
    tags: str
    summary: str
    readme: str
    facets: Mapping[str, Sequence[str]]
    facet_words: str = ""
    """What people call its values of the facets, synonyms included."""


class Hits(Mapping[str, float]):
    """Package -> how well it fits (more is better), the best first.

    An index tells places, and a package's id is read from its place: that is most of what a search with a thousand hits
    costs. So ids are read when they are asked for, and a page reads few.
    """

    def __init__(self, scored: Sequence[tuple[float, Any]] = (), id_at: Callable[[Any], str] = str) -> None:
        """``scored``: (score, place), the best first."""
        self._scored, self._id_at = scored, id_at
        self._all: dict[str, float] | None = None

    @classmethod
    def of(cls, scores: Mapping[str, float]) -> "Hits":
        """Of ids and scores that are at hand, in any order."""
        return cls(sorted(((score, one) for one, score in scores.items()), key=lambda pair: -pair[0]))

    def page(self, count: int, after: tuple[float, str] | None = None) -> list[tuple[float, str]]:
        """The next ``count`` as (-score, id), in this order: the best first, by name among equals."""
        page: list[tuple[float, str]] = []
        for key, equals in groupby(self._scored, key=lambda pair: -pair[0]):
            if after is not None and key < after[0]:
                continue
            named = sorted((key, self._id_at(place)) for _, place in equals)
            page += [one for one in named if after is None or one > after]
            if len(page) >= count:
                break
        return page[:count]

    def _read(self) -> dict[str, float]:
        if self._all is None:
            self._all = {self._id_at(place): score for score, place in self._scored}
        return self._all

    def __getitem__(self, package_id: str) -> float:
        return self._read()[package_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._scored)


@dataclass(frozen=True)
class Found:
    """The result of a search."""

    total: int
    """Packages that have every word and every choice."""
    facets: Mapping[str, Mapping[str, int]]
    """Facet -> value -> packages that would be left with it: one value of ``ALL_OF`` facets narrows the choice,
    one more of another widens it, so of those the *other* facets' choice is applied.
    """
    hits: Hits = field(default_factory=Hits)
    """At most as many as were asked for, the best."""
    has_every_word: bool = True
    """False: no package has every word; these have at least half of them, or one in name or tags."""


class SearchIndex(Protocol):
    """Packages as of one position of ``hub_server.database.package_changes``. Any number of threads may use it."""

    def position(self) -> int:
        """The last change that it holds; 0 when it is empty."""
        ...

    def write(self, documents: Sequence[SearchDocument], gone: Sequence[str], position: int) -> None:
        """Replace ``documents``, remove the packages ``gone``, and stand at ``position``.

        Where another process writes for long, nothing happens: ``position`` stays, and the caller may try again.
        """
        ...

    def clear(self) -> None:
        """Forget everything."""
        ...

    def find(self, text: str, chosen: Mapping[str, Sequence[str]], limit: int) -> Found:
        """Packages with every word of ``text`` (or a word that begins so) and, of each facet in ``chosen``, any value,
        or every value of ``ALL_OF``.

        Where fewer than five have every word, those with two thirds of the words follow them. Where none has every
        word, those with at least half of the words, and those that have one in name or tags.
        ``text`` is a stranger's: it holds words, never operators. A text without any word finds nothing, and an empty
        one everything.
        """
        ...

    def alike(self, document: SearchDocument, limit: int) -> list[str]:
        """Ids of other packages of its kind that share a family or a tag with ``document``, the most alike first.

        A value that few packages have says more than a common one; words of name and summary decide among equals.
        """
        ...

    def near(self, name: str, limit: int) -> list[str]:
        """Ids of packages whose name resembles ``name``, in no special order."""
        ...

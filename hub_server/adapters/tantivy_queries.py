"""What is asked of tantivy: a text and chosen facets as one query, packages that are alike, names that are near."""

from collections.abc import Mapping, Sequence

import tantivy
from tantivy import Occur, Query

from hub_server.adapters.search_synonyms import SYNONYMS
from hub_server.adapters.tantivy_fields import POSITION, plain_words, stemmed_words
from hub_server.ports.search_index import ALL_OF, SearchDocument
from schemas.names import MAX_PACKAGE_ID

_FIELD_WEIGHTS = {"name": 10.0, "tags": 5.0, "summary": 3.0, "facet_words": 4.0, "readme": 1.0}  # chosen, not measured
_PREFIX_WEIGHT = 0.1
"""What a word that only begins like the one asked for counts, beside a whole one."""
_SYNONYM_WEIGHT = 0.3
"""What a word that means the same counts, beside the one asked for."""
_EXACT_NAME_WEIGHT = 1000.0  # above any sum of the others
_SHARED_FACET_WEIGHTS = {"family": 4.0, "tag": 2.0}
"""What a shared value of a facet counts for two packages that are similar."""
_SHARED_WORD_WEIGHT = 0.3

_MOST_WORDS = 16
MOST_WORDS_ASKED = 8
"""Words of a search that are looked up. Each costs time: sixteen took 34 ms of CPU in an index of 50,000 packages, and
eight of them 12.
"""
_FUNCTION_WORD_LIST = """
a an and any are as at be but by can do does for from has have how i if in into is it me my no not of on or our
so some such that the their them then there these they this to was we what when where which while who will with you
example examples
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
"""Words of a question that say nothing of what is looked for. They are indexed all the same: a name may be one."""


class Queries:
    """Queries on the fields of ``schema``. A stranger's text is only ever words: no syntax of it is obeyed."""

    def __init__(self, schema: tantivy.Schema) -> None:
        self._schema = schema
        self._words, self._plain_words = stemmed_words(), plain_words()

    def position(self) -> Query:
        """The document that holds the position."""
        return Query.term_query(self._schema, "id", POSITION)

    def words_of(self, text: str) -> list[tuple[str, str]]:
        """Each word once, as it stands and by its stem, without "for" and the like unless there is nothing else."""
        words = dict(zip(self._plain_words.analyze(text), self._words.analyze(text), strict=True))
        telling = [pair for pair in words.items() if pair[0] not in _FUNCTION_WORDS]
        return (telling or list(words.items()))[:_MOST_WORDS]

    def packages(self, text: str, words: list[tuple[str, str]], *, at_least: int, or_by_name: bool = False) -> Query:
        """Packages with ``at_least`` of the words; with ``or_by_name`` also those with one of them in name or tags.

        The package that ``text`` names comes first.
        """
        packages = (Occur.Must, Query.const_score_query(Query.term_query(self._schema, "all", "1"), 0.0))
        if not words:
            return Query.boolean_query([packages])
        each = [(Occur.Should, self._word_query(stem, plain)) for plain, stem in words]
        enough = Query.boolean_query(each, minimum_number_should_match=at_least)
        if or_by_name:
            by_name = [Query.term_query(self._schema, field, stem) for _, stem in words for field in ("name", "tags")]
            either = [
                (Occur.Should, enough),
                *((Occur.Should, Query.const_score_query(one, 0.0)) for one in by_name),
            ]
            enough = Query.boolean_query([
                (Occur.Must, Query.const_score_query(Query.boolean_query(either), 0.0)),
                *each,
            ])  # fmt: skip
        having = (Occur.Must, enough)
        names = [Query.term_query(self._schema, field, _name_of(text)) for field in ("id", "short_name")]
        exact = [(Occur.Should, Query.const_score_query(name, _EXACT_NAME_WEIGHT)) for name in names]
        return Query.boolean_query([packages, having, *exact])

    def _word_query(self, stem: str, plain: str) -> Query:
        """A package that has the word in any field, or one that begins so, or one that means the same.

        What begins with a single letter, or with "the" or "to", is looked for in names alone: in texts it is a tenth of
        all words, and to read them was half of such a search's time.
        """
        parts = []
        for same in self._words.analyze(" ".join(SYNONYMS.get(plain, ()))):
            for field, weight in _FIELD_WEIGHTS.items():
                term = Query.term_query(self._schema, field, same)
                parts.append((Occur.Should, Query.boost_query(term, weight * _SYNONYM_WEIGHT)))
        for field, weight in _FIELD_WEIGHTS.items():
            whole = Query.term_query(self._schema, field, stem)
            parts.append((Occur.Should, Query.boost_query(whole, weight)))
            if field == "name" or (len(plain) > 1 and plain not in _FUNCTION_WORDS):
                parts.append(
                    (Occur.Should, Query.const_score_query(self._prefix(field, plain), weight * _PREFIX_WEIGHT))
                )
        return Query.boolean_query(parts)

    def _prefix(self, field: str, word: str) -> Query:
        return Query.fuzzy_term_query(self._schema, field, word, distance=0, prefix=True)

    def _fuzzy(self, field: str, word: str) -> Query:
        return Query.fuzzy_term_query(self._schema, field, word, distance=2, transposition_cost_one=True)

    def filtered(self, asked: Query, chosen: Mapping[str, Sequence[str]], *, without: str = "") -> Query:
        """What was ``asked``, narrowed to the chosen values; ``without`` one facet's choice, to count its others."""
        parts = [(Occur.Must, asked)]
        for facet, values in chosen.items():
            if facet == without:
                continue
            for group in [[value] for value in values] if facet in ALL_OF else [list(values)] if values else []:
                any_of = Query.term_set_query(self._schema, facet, group)
                parts.append((Occur.Must, Query.const_score_query(any_of, 0.0)))
        return Query.boolean_query(parts)

    def alike(self, document: SearchDocument) -> Query | None:
        """Other packages of its kind that share a family or a tag; None where it has neither."""
        shared = [
            (Occur.Should, Query.boost_query(Query.term_query(self._schema, facet, value), weight))
            for facet, weight in _SHARED_FACET_WEIGHTS.items()
            for value in document.facets.get(facet, ())[:_MOST_WORDS]
        ]
        if not shared:
            return None
        kinds = Query.term_set_query(self._schema, "kind", list(document.facets["kind"]))
        words = dict.fromkeys(self._words.analyze(f"{document.name} {document.summary}"))
        telling = [
            (Occur.Should, Query.boost_query(Query.term_query(self._schema, field, word), _SHARED_WORD_WEIGHT))
            for word in list(words)[:_MOST_WORDS]
            for field in ("name", "summary")
        ]
        return Query.boolean_query([
            (Occur.Must, Query.const_score_query(kinds, 0.0)),
            (Occur.Must, Query.boolean_query(shared)),
            *telling,
            (Occur.MustNot, Query.term_query(self._schema, "id", document.package_id)),
        ])  # fmt: skip

    def near(self, name: str) -> Query | None:
        """Packages whose name resembles this one; None where it has no letter."""
        wanted = _name_of(name)
        last = wanted.rsplit("/", 1)[-1]
        if not last:
            return None
        alike = [
            Query.boost_query(self._fuzzy("short_name", last), 3.0),
            self._fuzzy("id", wanted),
            Query.const_score_query(self._prefix("short_name", last[:3]), 0.5),
            *(self._fuzzy("name", word) for word in self._words.analyze(last)[:_MOST_WORDS]),
        ]
        return Query.boolean_query([(Occur.Should, one) for one in alike])


def _name_of(text: str) -> str:
    """The text as a package's id or name would be written."""
    return text.replace("\x00", " ").strip().lower()[:MAX_PACKAGE_ID]

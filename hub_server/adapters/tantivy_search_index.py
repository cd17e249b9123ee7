"""Search by tantivy: the index lies in a folder that the processes of one machine share, or in memory.

The database's own engines were measured first, on 50,000 packages: FTS5 and ``ts_rank`` read every row that holds a
word before they know the best twenty, so a common word cost 0.4 to 2.5 s of CPU with its counts, and 3 to 5 ms here.
"""

import logging
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import tantivy
from tantivy import Occur, Query

from hub_server.ports.search_index import ALL_OF, FACET_VALUES, FACETS, Found, SearchDocument

_log = logging.getLogger("hub_server.search")
LAYOUT = "4"
"""Of the fields below and what they hold: an index of another layout is built again."""
_WEIGHTS = {"name": 10.0, "tags": 5.0, "summary": 3.0, "facet_words": 4.0, "readme": 1.0}
_BEGINS = 0.1
"""What a word that only begins like the one asked for counts, beside a whole one."""
_EXACT = 1000.0
_ALIKE = {"family": 4.0, "tag": 2.0}
"""What a shared value of a facet counts for two packages that are alike."""
_ALIKE_WORD = 0.3
_POSITION = "#position"
"""Id of the document that holds the position; no package can have it."""
_MOST_WORDS = 16
_LONGEST_NAME = 140
_HEAP_BYTES = 15_000_000
_PATIENCE_SECONDS = 2.0
_RETRY_SECONDS = 0.02
_OF_LANGUAGE = """
a an and any are as at be but by can do does for from has have how i if in into is it me my no not of on or our
so some such that the their them then there these they this to was we what where which who will with you
example examples
"""
_FUNCTION_WORDS = frozenset(_OF_LANGUAGE.split())
"""Words of a question that say nothing of what is looked for. They are indexed all the same: a name may be one."""
_SPARE = 20
"""Values of a facet that are asked for beyond those returned, so that ties at the end are cut by name."""


class TantivySearchIndex:
    """One document for each listed package, and one that holds the position. ``folder`` None: in memory."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder / LAYOUT if folder is not None else None
        self._lock = threading.Lock()
        self._opened: tantivy.Index | None = None
        self._schema = _schema()
        self._words, self._plain_words = _words(), _plain_words()
        self._position = 0

    def position(self) -> int:
        return self._read_position()

    def write(self, documents: Sequence[SearchDocument], gone: Sequence[str], position: int) -> None:
        if not self._lock.acquire(timeout=_PATIENCE_SECONDS):
            return
        try:
            index = self._index()
            writer = self._writer(index)
            # Another process may have written while this one waited: what it read may be newer than what is at hand.
            if writer is None or (self._folder is not None and self._stored_position(index) >= position):
                return
            for package_id in (*gone, *(document.package_id for document in documents), _POSITION):
                writer.delete_documents_by_term("id", package_id)
            for document in documents:
                writer.add_document(_document(document))
            writer.add_document(_position_document(position))
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
            self._position = position
        finally:
            self._lock.release()

    def clear(self) -> None:
        with self._lock:  # in place, for other processes may be reading
            index = self._index()
            writer = self._writer(index)
            if writer is None:
                return
            writer.delete_all_documents()
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
            self._position = 0

    def _writer(self, index: tantivy.Index) -> tantivy.IndexWriter | None:
        """A writer; None when another process holds the lock for long."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                return index.writer(_HEAP_BYTES, 1)
            except ValueError as error:
                if "LockBusy" not in str(error):
                    raise
                time.sleep(_RETRY_SECONDS)
        return None

    def find(self, text: str, chosen: Mapping[str, Sequence[str]], limit: int) -> Found:
        words = self._words_of(text)
        if text.strip() and not words:
            return Found(total=0, facets={facet: {} for facet in FACETS})
        found = self._look_up(self._asked(text, words, at_least=len(words)), chosen, limit)
        if found.total or len(words) == 1:
            return found
        some = self._look_up(self._asked(text, words, at_least=(len(words) + 1) // 2, or_called=True), chosen, limit)
        return replace(some, has_every_word=not some.total)

    def _look_up(self, asked: Query, chosen: Mapping[str, Sequence[str]], limit: int) -> Found:
        searcher = self._index().searcher()
        found = searcher.search(self._filtered(asked, chosen), max(1, limit), count=True)
        total: int = found.count  # type: ignore[attr-defined]  # its stubs lack it
        hits = {str(searcher.doc(address)["id"][0]): float(score) for score, address in found.hits[:limit]}
        return Found(total=total, facets=self._counts(searcher, asked, chosen), hits=hits)

    def alike(self, document: SearchDocument, limit: int) -> list[str]:
        shared = [
            (Occur.Should, Query.boost_query(Query.term_query(self._schema, facet, value), weight))
            for facet, weight in _ALIKE.items()
            for value in document.facets.get(facet, ())[:_MOST_WORDS]
        ]
        if not shared:
            return []
        kinds = Query.term_set_query(self._schema, "kind", list(document.facets["kind"]))
        words = dict.fromkeys(self._words.analyze(f"{document.name} {document.summary}"))
        telling = [
            (Occur.Should, Query.boost_query(Query.term_query(self._schema, field, word), _ALIKE_WORD))
            for word in list(words)[:_MOST_WORDS]
            for field in ("name", "summary")
        ]
        query = Query.boolean_query([
            (Occur.Must, Query.const_score_query(kinds, 0.0)),
            (Occur.Must, Query.boolean_query(shared)),
            *telling,
            (Occur.MustNot, Query.term_query(self._schema, "id", document.package_id)),
        ])  # fmt: skip
        searcher = self._index().searcher()
        found = searcher.search(query, limit, count=False)
        return [str(searcher.doc(address)["id"][0]) for _, address in found.hits]

    def near(self, name: str, limit: int) -> list[str]:
        wanted = _name_of(name)
        last = wanted.rsplit("/", 1)[-1]
        if not last:
            return []
        alike = [
            Query.boost_query(self._fuzzy("short_name", last), 3.0),
            self._fuzzy("id", wanted),
            Query.const_score_query(self._begins("short_name", last[:3]), 0.5),
            *(self._fuzzy("name", word) for word in self._words.analyze(last)[:_MOST_WORDS]),
        ]
        query = Query.boolean_query([(Occur.Should, one) for one in alike])
        searcher = self._index().searcher()
        found = searcher.search(query, limit, count=False)
        return [str(searcher.doc(address)["id"][0]) for _, address in found.hits]

    def _index(self) -> tantivy.Index:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def _open(self) -> tantivy.Index:
        index = self._open_folder(self._folder) if self._folder is not None else tantivy.Index(self._schema)
        index.register_tokenizer("words", self._words)
        return index

    def _open_folder(self, folder: Path) -> tantivy.Index:
        """The index in a folder; a damaged one is thrown away: whoever reads ``position`` builds it again."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return tantivy.Index(self._schema, path=str(folder), reuse=True)
        except (ValueError, OSError) as error:
            _log.warning("the search index in %s cannot be read and is built again: %s", folder, error)
            shutil.rmtree(folder, ignore_errors=True)
            folder.unlink(missing_ok=True)  # where it is no folder
            folder.mkdir(parents=True, exist_ok=True)
            return tantivy.Index(self._schema, path=str(folder), reuse=True)

    def _read_position(self) -> int:
        if self._folder is not None or self._position == 0:
            self._position = self._stored_position(self._index())
        return self._position

    def _stored_position(self, index: tantivy.Index) -> int:
        index.reload()
        searcher = index.searcher()
        found = searcher.search(Query.term_query(self._schema, "id", _POSITION), 1, count=False)
        return int(searcher.doc(found.hits[0][1])["position"][0]) if found.hits else 0

    def _words_of(self, text: str) -> list[tuple[str, str]]:
        """Each word once, as it stands and by its stem, without "for" and the like unless there is nothing else."""
        words = dict(zip(self._plain_words.analyze(text), self._words.analyze(text), strict=True))
        telling = [pair for pair in words.items() if pair[0] not in _FUNCTION_WORDS]
        return (telling or list(words.items()))[:_MOST_WORDS]

    def _asked(self, text: str, words: list[tuple[str, str]], *, at_least: int, or_called: bool = False) -> Query:
        """Packages with ``at_least`` of the words, or with ``or_called`` with one of them in name or tags.

        The package that ``text`` names comes first.
        """
        packages = (Occur.Must, Query.const_score_query(Query.term_query(self._schema, "all", "1"), 0.0))
        if not words:
            return Query.boolean_query([packages])
        each = [(Occur.Should, self._word(stem, plain)) for plain, stem in words]
        enough = Query.boolean_query(each, minimum_number_should_match=at_least)
        if or_called:
            called = [Query.term_query(self._schema, field, stem) for _, stem in words for field in ("name", "tags")]
            either = [(Occur.Should, enough), *((Occur.Should, Query.const_score_query(one, 0.0)) for one in called)]
            enough = Query.boolean_query([
                (Occur.Must, Query.const_score_query(Query.boolean_query(either), 0.0)),
                *each,
            ])  # fmt: skip
        having = (Occur.Must, enough)
        names = [Query.term_query(self._schema, field, _name_of(text)) for field in ("id", "short_name")]
        exact = [(Occur.Should, Query.const_score_query(name, _EXACT)) for name in names]
        return Query.boolean_query([packages, having, *exact])

    def _word(self, stem: str, plain: str) -> Query:
        """A package that has the word in any field, or one that begins so.

        What begins with a single letter is looked for in names alone: in texts it is a tenth of all words.
        """
        parts = []
        for field, weight in _WEIGHTS.items():
            whole = Query.term_query(self._schema, field, stem)
            parts.append((Occur.Should, Query.boost_query(whole, weight)))
            if len(plain) > 1 or field == "name":
                parts.append((Occur.Should, Query.const_score_query(self._begins(field, plain), weight * _BEGINS)))
        return Query.boolean_query(parts)

    def _begins(self, field: str, word: str) -> Query:
        return Query.fuzzy_term_query(self._schema, field, word, distance=0, prefix=True)

    def _fuzzy(self, field: str, word: str) -> Query:
        return Query.fuzzy_term_query(self._schema, field, word, distance=2, transposition_cost_one=True)

    def _filtered(self, asked: Query, chosen: Mapping[str, Sequence[str]], *, without: str = "") -> Query:
        parts = [(Occur.Must, asked)]
        for facet, values in chosen.items():
            if facet == without:
                continue
            for group in [[value] for value in values] if facet in ALL_OF else [list(values)] if values else []:
                any_of = Query.term_set_query(self._schema, facet, group)
                parts.append((Occur.Must, Query.const_score_query(any_of, 0.0)))
        return Query.boolean_query(parts)

    def _counts(
        self, searcher: tantivy.Searcher, asked: Query, chosen: Mapping[str, Sequence[str]]
    ) -> dict[str, dict[str, int]]:
        """One pass for all facets whose choice a further value narrows, and one for each whose choice it widens."""
        widened = [facet for facet in FACETS if chosen.get(facet) and facet not in ALL_OF]
        passes = [([facet for facet in FACETS if facet not in widened], "")]
        passes += [([facet], facet) for facet in widened]
        counts: dict[str, dict[str, int]] = {}
        for facets, without in passes:
            wanted = {facet: {"terms": {"field": facet, "size": FACET_VALUES + _SPARE}} for facet in facets}
            answer = searcher.aggregate(self._filtered(asked, chosen, without=without), wanted)
            for facet in facets:
                counts[facet] = _largest(answer[facet]["buckets"])
        return {facet: counts[facet] for facet in FACETS}


def _largest(buckets: list[dict[str, object]]) -> dict[str, int]:
    """Value -> packages: the most first, alphabetically among equals."""
    found = [(str(bucket["key"]), int(str(bucket["doc_count"]))) for bucket in buckets if bucket["key"]]
    return dict(sorted(found, key=lambda pair: (-pair[1], pair[0]))[:FACET_VALUES])


def _name_of(text: str) -> str:
    """The text as a package's id or name would be written."""
    return text.replace("\x00", " ").strip().lower()[:_LONGEST_NAME]


def _document(document: SearchDocument) -> tantivy.Document:
    made = tantivy.Document(id=document.package_id, short_name=document.package_id.split("/")[-1], all="1")
    for field in _WEIGHTS:
        made.add_text(field, getattr(document, field))
    for facet in FACETS:
        for value in document.facets.get(facet, ()):
            made.add_text(facet, value)
    return made


def _position_document(position: int) -> tantivy.Document:
    made = tantivy.Document(id=_POSITION)
    made.add_unsigned("position", position)
    return made


def _schema() -> tantivy.Schema:
    made = tantivy.SchemaBuilder()
    made.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    made.add_text_field("short_name", tokenizer_name="raw", index_option="basic")
    made.add_text_field("all", tokenizer_name="raw", index_option="basic")
    made.add_unsigned_field("position", stored=True)
    for field in _WEIGHTS:
        made.add_text_field(field, tokenizer_name="words", index_option="freq")
    for facet in FACETS:
        made.add_text_field(facet, fast=True, tokenizer_name="raw", index_option="basic")
    return made.build()


def _words() -> tantivy.TextAnalyzer:
    """Words without case and accents, by their English stem."""
    return _analyzer(tantivy.Filter.stemmer("english"))


def _plain_words() -> tantivy.TextAnalyzer:
    """The same words unstemmed: a stem is no beginning of the words it stands for (``verify`` has ``verifi``)."""
    return _analyzer()


def _analyzer(*more: tantivy.Filter) -> tantivy.TextAnalyzer:
    built = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(r"\w+"))
    for each in (tantivy.Filter.lowercase(), tantivy.Filter.ascii_fold(), tantivy.Filter.remove_long(80), *more):
        built = built.filter(each)
    return built.build()

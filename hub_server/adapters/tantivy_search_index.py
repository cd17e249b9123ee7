"""Search by tantivy: the index lies in a folder that the processes of one machine share, or in memory.

The database's own engines were measured first, on 50,000 packages: FTS5 and ``ts_rank`` read every row that holds a
word before they know the best twenty, so a common word cost 0.4 to 2.5 s of CPU with its counts, and 3 to 5 ms here.
"""

import logging
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import tantivy
from cachetools import TTLCache
from tantivy import Query

from hub_server.adapters.tantivy_fields import (
    LAYOUT,
    POSITION,
    TEXT_FIELDS,
    make_schema,
    package_document,
    position_document,
    stemmed_words,
)
from hub_server.adapters.tantivy_queries import MOST_WORDS_ASKED, Queries
from hub_server.ports.search_index import ALL_OF, FACET_VALUES, FACETS, Found, Hits, SearchDocument

_log = logging.getLogger("hub_server.search")
_HEAP_BYTES = 15_000_000  # the least that tantivy takes for one thread
_PATIENCE_SECONDS = 2.0  # chosen: whoever waits longer leaves the change to the next writer
_RETRY_SECONDS = 0.02
_META = "meta.json"
"""The file that names the segments of the last commit."""

_FEW_HITS = 5
"""Where fewer packages have every word, those with two thirds of the words follow them."""
_SPARE_FACET_VALUES = 20
"""Values of a facet that are asked for beyond those returned, so that ties at the end are cut by name."""
_MANY_HITS = 5_000
"""Packages from which on a search's counts are kept for a minute: counting 50,000 packages costs 8 ms, and nobody sees
whether a count of thousands is a minute old. Hits and the total are always of now.
"""
_COUNTS_KEPT_SECONDS = 60.0
_COUNTS_KEPT = 500
_Counts = Mapping[str, Mapping[str, int]]


class TantivySearchIndex:
    """One document for each listed package, and one that holds the position. ``folder`` None: in memory."""

    def __init__(self, folder: Path | None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder / LAYOUT if folder is not None else None
        self._lock = threading.Lock()
        self._opened: tantivy.Index | None = None
        self._schema = make_schema()
        self._queries = Queries(self._schema)
        self._position = 0
        self._read: tuple[bytes, int] | None = None
        self._reload_lock = threading.Lock()
        self._kept_counts: TTLCache[object, _Counts] = TTLCache(_COUNTS_KEPT, _COUNTS_KEPT_SECONDS, timer=monotonic)
        self._kept_lock = threading.Lock()

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
            for package_id in (*gone, *(document.package_id for document in documents), POSITION):
                writer.delete_documents_by_term("id", package_id)
            for document in documents:
                writer.add_document(package_document(document))
            writer.add_document(position_document(position))
            writer.commit()
            writer.wait_merging_threads()
            self._reload(index)
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
            self._reload(index)
            self._position = 0
        with self._kept_lock:
            self._kept_counts.clear()

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
        words = self._most_telling(self._queries.words_of(text))
        if text.strip() and not words:
            return Found(total=0, facets={facet: {} for facet in FACETS})
        found = self._look_up(text, words, chosen, limit, at_least=len(words))
        if found.total >= _FEW_HITS or len(words) == 1:
            return found
        if found.total:
            most = self._look_up(text, words, chosen, limit, at_least=-(-2 * len(words) // 3))
            best = max(most.hits.values(), default=0.0)
            first = {one: score + best for one, score in found.hits.items()}
            return replace(most, hits=Hits.of({**most.hits, **first}))
        some = self._look_up(text, words, chosen, limit, at_least=(len(words) + 1) // 2, or_by_name=True)
        return replace(some, has_every_word=not some.total)

    def _most_telling(self, words: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Of many words the rarest, in their order; those that no text holds come last, for they may be mistyped."""
        if len(words) <= MOST_WORDS_ASKED:
            return words
        searcher = self._index().searcher()
        found = {pair: max(searcher.doc_freq(field, pair[1]) for field in TEXT_FIELDS) for pair in words}
        rarest = sorted(words, key=lambda pair: (not found[pair], found[pair]))[:MOST_WORDS_ASKED]
        return [pair for pair in words if pair in rarest]

    def _look_up(
        self,
        text: str,
        words: list[tuple[str, str]],
        chosen: Mapping[str, Sequence[str]],
        limit: int,
        *,
        at_least: int,
        or_by_name: bool = False,
    ) -> Found:
        asked = self._queries.packages(text, words, at_least=at_least, or_by_name=or_by_name)
        searcher = self._index().searcher()
        found = searcher.search(self._queries.filtered(asked, chosen), max(1, limit), count=True)
        total: int = found.count  # type: ignore[attr-defined]  # its stubs lack it
        scored = [(float(score), address) for score, address in found.hits[:limit]]
        hits = Hits(scored, lambda address: str(searcher.doc(address)["id"][0]))
        # Which package the text names moves it to the front and changes no count, so it is no part of the key.
        key = (tuple(words), at_least, or_by_name, tuple((facet, tuple(values)) for facet, values in chosen.items()))
        with self._kept_lock:
            counts = self._kept_counts.get(key) if total >= _MANY_HITS else None
        if counts is None:
            counts = self._counts(searcher, asked, chosen)
            if total >= _MANY_HITS:
                with self._kept_lock:
                    self._kept_counts[key] = counts
        return Found(total=total, facets=counts, hits=hits)

    def alike(self, document: SearchDocument, limit: int) -> list[str]:
        return self._ids_of(self._queries.alike(document), limit)

    def near(self, name: str, limit: int) -> list[str]:
        return self._ids_of(self._queries.near(name), limit)

    def _ids_of(self, query: Query | None, limit: int) -> list[str]:
        if query is None:
            return []
        searcher = self._index().searcher()
        found = searcher.search(query, limit, count=False)
        return [str(searcher.doc(address)["id"][0]) for _, address in found.hits]

    def _index(self) -> tantivy.Index:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def _open(self) -> tantivy.Index:
        index = self._open_folder(self._folder) if self._folder is not None else tantivy.Index(self._schema)
        index.config_reader("manual")  # else a thread of tantivy's opens it again, whenever it likes
        index.register_tokenizer("words", stemmed_words())
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
        """The position in the index as it is now.

        It is opened again only after a commit, of any process: what was unpacked of an index is lost with it, and ids
        of a thousand hits then cost 3 ms more. One thread opens it at a time, so that none puts an older one in place.
        """
        state = self._state()
        with self._reload_lock:
            if state is not None and self._read is not None and self._read[0] == state:
                return self._read[1]
            index.reload()
            position = self._position_in(index)
            self._read = (state, position) if state is not None else None
            return position

    def _reload(self, index: tantivy.Index) -> None:
        with self._reload_lock:
            index.reload()
            self._read = None

    def _state(self) -> bytes | None:
        """What tantivy writes with every commit, whole or not at all; None: in memory, or not to be read."""
        try:
            return (self._folder / _META).read_bytes() if self._folder is not None else None
        except OSError:
            return None

    def _position_in(self, index: tantivy.Index) -> int:
        searcher = index.searcher()
        found = searcher.search(self._queries.position(), 1, count=False)
        return int(searcher.doc(found.hits[0][1])["position"][0]) if found.hits else 0

    def _counts(
        self, searcher: tantivy.Searcher, asked: Query, chosen: Mapping[str, Sequence[str]]
    ) -> dict[str, dict[str, int]]:
        """One pass for all facets whose choice a further value narrows, and one for each whose choice it widens."""
        widened = [facet for facet in FACETS if chosen.get(facet) and facet not in ALL_OF]
        passes = [([facet for facet in FACETS if facet not in widened], "")]
        passes += [([facet], facet) for facet in widened]
        counts: dict[str, dict[str, int]] = {}
        for facets, without in passes:
            wanted = {
                facet: {"terms": {"field": facet, "size": FACET_VALUES + _SPARE_FACET_VALUES}} for facet in facets
            }
            answer = searcher.aggregate(self._queries.filtered(asked, chosen, without=without), wanted)
            for facet in facets:
                counts[facet] = _largest(answer[facet]["buckets"])
        return {facet: counts[facet] for facet in FACETS}


def _largest(buckets: list[dict[str, object]]) -> dict[str, int]:
    """Value -> packages: the most first, alphabetically among equals."""
    found = [(str(bucket["key"]), int(str(bucket["doc_count"]))) for bucket in buckets if bucket["key"]]
    return dict(sorted(found, key=lambda pair: (-pair[1], pair[0]))[:FACET_VALUES])

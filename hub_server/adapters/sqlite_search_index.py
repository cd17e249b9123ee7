"""Search by SQLite's FTS5."""

import re

from sqlalchemy import Float, Subquery, Text
from sqlalchemy import text as sql
from sqlalchemy.orm import Session

from hub_server.ports.search_index import SearchDocument

CANDIDATES = 1000
_WORD = re.compile(r"\w+")
_MATCHES = """
SELECT package_id,
       bm25(package_search, 0.0, 10.0, 5.0, 3.0, 1.0)
         - CASE WHEN package_id = :exact OR package_id LIKE :tail ESCAPE '!' THEN 1000.0 ELSE 0.0 END AS rank
FROM package_search WHERE package_search MATCH :words ORDER BY rank LIMIT :candidates
"""


class SqliteSearchIndex:
    """The virtual table ``package_search``; its columns weigh name, tags, summary, readme."""

    def put(self, session: Session, package_id: str, document: SearchDocument) -> None:
        session.execute(sql("DELETE FROM package_search WHERE package_id = :id"), {"id": package_id})
        insert = (
            "INSERT INTO package_search (package_id, name, tags, summary, readme) "
            "VALUES (:id, :name, :tags, :summary, :readme)"
        )
        session.execute(sql(insert), {"id": package_id, **vars(document)})

    def matches(self, text: str, *, is_filtered: bool = False) -> Subquery | None:
        found = words_of(text)
        if not found:
            return None
        # Every word quoted: `math-verifier`, NEAR( or name: are words here, never operators.
        query = " ".join(f'"{word}"*' for word in found)
        most = -1 if is_filtered else CANDIDATES  # -1: no limit
        statement = sql(_MATCHES).bindparams(
            words=query, exact=exact_name(text), tail=f"%/{escape_like(exact_name(text))}", candidates=most
        )
        return statement.columns(package_id=Text, rank=Float).subquery("found")


def words_of(words: str) -> list[str]:
    """The words of a stranger's query, at most 16."""
    return _WORD.findall(words.replace("\x00", " ").lower())[:16]


def exact_name(words: str) -> str:
    """The query as a package's id or name would be written."""
    return words.replace("\x00", " ").strip().lower()[:140]


def escape_like(name: str) -> str:
    """``name`` with LIKE's wildcards taken literally (ESCAPE '!')."""
    return name.replace("!", "!!").replace("%", "!%").replace("_", "!_")

"""Search by PostgreSQL's tsvector."""

import re

from sqlalchemy import Float, Subquery, Text
from sqlalchemy import text as sql
from sqlalchemy.orm import Session

from hub_server.ports.search_index import SearchDocument

CANDIDATES = 1000
_ALL = 2**31
_WORD = re.compile(r"\w+")
_PUT = """
INSERT INTO package_search (package_id, document) VALUES (
  :id,
  setweight(to_tsvector('english', :name), 'A') || setweight(to_tsvector('english', :tags), 'B')
    || setweight(to_tsvector('english', :summary), 'C') || setweight(to_tsvector('english', :readme), 'D')
) ON CONFLICT (package_id) DO UPDATE SET document = excluded.document
"""
_MATCHES = """
SELECT package_id,
       (-ts_rank(document, query)
         - CASE WHEN package_id = :exact OR package_id LIKE :tail ESCAPE '!' THEN 1000.0 ELSE 0.0 END)::double precision
         AS rank
FROM package_search, (SELECT to_tsquery('english', :words) || to_tsquery('simple', :words) AS query) AS asked
WHERE document @@ query ORDER BY rank LIMIT :candidates
"""


class PostgresSearchIndex:
    """The table ``package_search`` with a GIN index; weights A to D for name, tags, summary, readme.

    A query is asked stemmed and as it stands: English stemming drops words such as *a*, which may begin a name.
    """

    def put(self, session: Session, package_id: str, document: SearchDocument) -> None:
        fields = {name: value.replace("\x00", " ") for name, value in vars(document).items()}
        session.execute(sql(_PUT), {"id": package_id, **fields})

    def matches(self, text: str, *, is_filtered: bool = False) -> Subquery | None:
        cleaned = text.replace("\x00", " ").strip().lower()
        found = _WORD.findall(cleaned)[:16]
        if not found:
            return None
        query = " & ".join(f"'{word}':*" for word in found)  # \w holds no quote and no operator
        exact = cleaned[:140]
        tail = "%/" + exact.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        most = _ALL if is_filtered else CANDIDATES
        statement = sql(_MATCHES).bindparams(words=query, exact=exact, tail=tail, candidates=most)
        return statement.columns(package_id=Text, rank=Float).subquery("found")

"""Search by PostgreSQL: the query that is sent holds words alone; what the two engines find alike is in the catalogue's tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql

from hub_server.adapters.postgres_search_index import CANDIDATES, PostgresSearchIndex
from hub_server.ports.search_index import SearchDocument

INDEX = PostgresSearchIndex()


def sent(text: str, *, is_filtered: bool = False) -> dict[str, object]:
    """The values that the statement carries."""
    matches = INDEX.matches(text, is_filtered=is_filtered)
    assert matches is not None
    return dict(matches.compile(dialect=postgresql.dialect()).params)


@given(st.text())
def test_whatever_is_typed_the_query_holds_quoted_words_joined_by_and(text: str) -> None:
    if INDEX.matches(text) is None:
        return
    words = str(sent(text)["words"]).split(" & ")
    assert 1 <= len(words) <= 16
    for word in words:
        assert word.startswith("'")
        assert word.endswith("':*")
        assert not set(word[1:-3]) & set("'\\:&|!()<> \x00")


@pytest.mark.parametrize(
    ("text", "exact", "tail"),
    [
        ("Math-Answer ", "math-answer", "%/math-answer"),
        ("a_b", "a_b", "%/a!_b"),
        ("100%", "100%", "%/100!%"),
        ("wow!", "wow!", "%/wow!!"),
    ],
)
def test_a_whole_name_is_looked_for_as_it_stands(text: str, exact: str, tail: str) -> None:
    found = sent(text)
    assert (found["exact"], found["tail"]) == (exact, tail)


@pytest.mark.parametrize("text", ["", "  ", "!?", "\x00"])
def test_what_holds_no_word_asks_nothing(text: str) -> None:
    assert INDEX.matches(text) is None


def test_a_filter_needs_every_match_and_a_plain_search_the_first() -> None:
    assert sent("math")["candidates"] == CANDIDATES
    assert int(str(sent("math", is_filtered=True)["candidates"])) > 10**9


class Session:
    """Notes what is executed."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def execute(self, _statement: object, values: dict[str, str]) -> None:
        self.values = values


def test_no_text_of_a_stranger_brings_a_nul_into_the_database() -> None:
    session = Session()
    INDEX.put(session, "al/x", SearchDocument("a\x00b", "t\x00", "\x00", "fine"))
    assert session.values == {"id": "al/x", "name": "a b", "tags": "t ", "summary": " ", "readme": "fine"}

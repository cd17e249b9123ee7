"""Search by FTS5: a stranger's query is words, the nearest name comes first, and a document is replaced whole."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from hub_server.adapters.sqlite_search_index import CANDIDATES, SqliteSearchIndex, escape_like, exact_name, words_of
from hub_server.ports.search_index import SearchDocument
from tests.making.desk import Desk

INDEX = SqliteSearchIndex()
DOCUMENTS = {
    "al/math-answer": SearchDocument("al math answer", "math", "Compares two answers", "Long words about algebra"),
    "al/code-check": SearchDocument("al code check", "code", "Runs tests; says math once", "pytest"),
    "al/under_score": SearchDocument("al under_score", "odd", "100% sure!", "C++ and NEAR and OR"),
}


@pytest.fixture
def filled(desk: Desk) -> Desk:
    with desk.writing() as work:
        for package, document in DOCUMENTS.items():
            INDEX.put(work.session, package, document)
    return desk


def found(desk: Desk, text: str, *, is_filtered: bool = False) -> list[str]:
    matches = INDEX.matches(text, is_filtered=is_filtered)
    if matches is None:
        return []
    with desk.reading() as work:
        return [row[0] for row in work.session.execute(select(matches.c.package_id).order_by(matches.c.rank))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("math", ["al/math-answer", "al/code-check"]), ("MATH answ", ["al/math-answer"]), ("pytest", ["al/code-check"]),
     ("math nothing", []), ("code-check", ["al/code-check"]), ("al/code-check", ["al/code-check"])],
)  # fmt: skip
def test_every_word_must_begin_a_word_and_names_weigh_most(filled: Desk, text: str, expected: list[str]) -> None:
    assert found(filled, text) == expected


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=40)
    | st.sampled_from(['"', "NEAR(a b)", "name: x", "a OR", "*", "^al", "-al", "(", "a AND", "al*", "'", ";", "\x00al"])
)
def test_no_query_is_a_fault_of_the_index(filled: Desk, text: str) -> None:
    assert set(found(filled, text)) <= set(DOCUMENTS)


@given(st.text())
def test_words_are_words_and_no_more_than_sixteen(text: str) -> None:
    words = words_of(text)
    assert len(words) <= 16
    assert all('"' not in word and "\x00" not in word and word.strip() for word in words)
    assert len(exact_name(text)) <= 140


@pytest.mark.parametrize(
    ("name", "escaped"), [("a_b", "a!_b"), ("100%", "100!%"), ("a!b", "a!!b"), ("plain", "plain"), ("!%_", "!!!%!_")]
)
def test_wildcards_are_characters(name: str, escaped: str) -> None:
    assert escape_like(name) == escaped


def test_an_underscore_in_a_query_matches_itself_alone(filled: Desk) -> None:
    with filled.writing() as work:
        INDEX.put(work.session, "al/underxscore", SearchDocument("al underxscore", "", "under_score in words", ""))
    assert found(filled, "under_score")[0] == "al/under_score"


def test_a_document_is_replaced_whole(filled: Desk) -> None:
    with filled.writing() as work:
        INDEX.put(work.session, "al/code-check", SearchDocument("al code check", "", "nothing", ""))
    assert found(filled, "pytest") == []
    assert found(filled, "nothing") == ["al/code-check"]


def test_candidates_are_bounded_unless_a_filter_will_thin_them_out(desk: Desk) -> None:
    with desk.writing() as work:
        for number in range(CANDIDATES + 5):
            INDEX.put(work.session, f"al/p{number}", SearchDocument(f"al p{number}", "", "common", ""))
    assert len(found(desk, "common")) == CANDIDATES
    assert len(found(desk, "common", is_filtered=True)) == CANDIDATES + 5


@pytest.mark.parametrize("text", ["", "   ", "!?…", "\x00", "+-*/"])
def test_what_holds_no_word_asks_nothing(text: str) -> None:
    assert INDEX.matches(text) is None

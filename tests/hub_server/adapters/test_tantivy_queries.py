"""A stranger's text is words and no syntax; what says nothing is left out while something else is there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.adapters.tantivy_fields import TEXT_FIELDS, make_schema
from hub_server.adapters.tantivy_queries import _FIELD_WEIGHTS, Queries
from hub_server.ports.search_index import SearchDocument

QUERIES = Queries(make_schema())


def test_every_text_field_has_a_weight() -> None:
    assert set(_FIELD_WEIGHTS) == set(TEXT_FIELDS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("how do I check a proof", ["check", "proof"]),
        ("abstain when unknown", ["abstain", "unknown"]),
        ("who is it for", ["who", "is", "it", "for"]),
        ("Proof proof PROOF", ["proof"]),
        (" ".join(f"w{number}" for number in range(99)), [f"w{number}" for number in range(16)]),
        ("name:math OR (tags:x AND *)", ["name", "math", "tags", "x"]),
    ],
)
def test_words_once_each_without_function_words_and_not_too_many(text: str, words: list[str]) -> None:
    assert [plain for plain, _ in QUERIES.words_of(text)] == words


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=60), st.dictionaries(st.sampled_from(["kind", "tag"]), st.lists(st.text(max_size=9))))
def test_any_text_and_any_choice_make_a_query(text: str, chosen: dict[str, list[str]]) -> None:
    words = QUERIES.words_of(text)
    for or_by_name in (False, True):
        asked = QUERIES.packages(text, words, at_least=len(words), or_by_name=or_by_name)
        assert QUERIES.filtered(asked, chosen) is not None
    QUERIES.near(text)


def test_what_shares_nothing_and_what_has_no_name_is_not_asked_for() -> None:
    plain = SearchDocument("al/x", "al x", "", "", "", {"kind": ["tool"]})
    assert QUERIES.alike(plain) is None
    assert QUERIES.near(" / ") is None

"""How text is cut into words: without case and accents, by stem or as it stands, hyphenated words also as one."""

import pytest

from hub_server.adapters.tantivy_fields import (
    POSITION,
    make_schema,
    package_document,
    plain_words,
    position_document,
    stemmed_words,
)
from hub_server.ports.search_index import FACETS, SearchDocument

EMPTY = SearchDocument("al/x", "", "", "", "", {})


@pytest.mark.parametrize(
    ("text", "plain", "stems"),
    [
        ("Verify VERIFIED", ["verify", "verified"], ["verifi", "verifi"]),
        ("Café, naïve!", ["cafe", "naive"], ["cafe", "naiv"]),
        ("under_score c++ x" + "y" * 100, ["under_score", "c"], ["under_scor", "c"]),
        ("数学", ["数学"], ["数学"]),
        ("()\x00?", [], []),
    ],
)
def test_words_have_no_case_and_no_accents_and_a_stem_stands_for_each_of_them(text, plain, stems) -> None:
    assert (plain_words().analyze(text), stemmed_words().analyze(text)) == (plain, stems)


def test_a_document_has_its_last_name_its_joined_words_and_only_known_facets() -> None:
    made = package_document(
        SearchDocument("al/e-mail", "al e-mail", "", "A multi-turn e-mail desk", "", {"kind": ["tool"], "shoe": ["9"]})
    ).to_dict()
    assert (made["id"], made["short_name"], made["all"]) == (["al/e-mail"], ["e-mail"], ["1"])
    assert made["summary"] == ["A multi-turn e-mail desk multiturn email"]
    assert (made["kind"], "shoe" in made) == (["tool"], False)
    assert package_document(EMPTY).to_dict()["summary"] == [""]


def test_the_position_is_no_package_and_every_facet_has_a_field() -> None:
    made = position_document(7).to_dict()
    assert (made["id"], made["position"], "all" in made) == ([POSITION], [7], False)
    assert "/" not in POSITION
    assert make_schema() is not None
    package_document(SearchDocument("al/x", "", "", "", "", {facet: ["v"] for facet in FACETS}))

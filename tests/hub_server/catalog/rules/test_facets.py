"""A package's facets follow from its manifest, and are found by the field's words."""

import pytest

from hub_server.catalog.rules.facets import facet_words, facets_of
from schemas.manifest import Manifest
from tests.making.wheel import MANIFEST


def facets(text: str) -> dict[str, list[str]]:
    return facets_of(Manifest.from_toml(text))


def test_what_a_model_meets_follows_from_the_manifest() -> None:
    assert facets(MANIFEST) == {"tag": ["math"], "interaction": ["single-turn"], "family": [], "source": []}
    session = MANIFEST.replace('verifier = "', 'session = "alice_small_sums:Session"\nverifier = "')
    assert facets(session)["interaction"] == ["several-turns"]
    assert facets(session.replace('["math"]', '["math", "tool-use"]'))["interaction"] == ["several-turns", "tools"]
    tool = MANIFEST.replace('verifier = "', 'tools = ["alice/search@>=1"]\nverifier = "')
    assert facets(tool)["interaction"] == ["single-turn", "tools"]


def test_only_an_environment_has_turns_and_a_verifier_says_what_it_judges() -> None:
    verifier = MANIFEST.replace('"environment"', '"verifier"').replace('tasks = { train = "tasks.jsonl" }\n', "")
    judges = "[judges.short-number]\n[judges.choice]\n"
    assert facets(verifier + judges) == {
        "tag": ["math"],
        "interaction": [],
        "family": ["choice", "short-number"],
        "source": [],
    }


def test_an_import_is_found_by_its_source() -> None:
    assert facets(f'{MANIFEST}\n[imported]\nsource = "gem:game:Nim-v0"\n')["source"] == ["gem"]


def test_facet_words_are_what_the_field_calls_the_values_and_a_licence_is_spelled_both_ways() -> None:
    words = facet_words({"interaction": ["several-turns", "tools"], "family": ["short-number"]}, "Apache-2.0 AND MIT")
    for one in ("multi turn", "long horizon", "tool calling", "short number", "licence license", "MIT", "permissive"):
        assert one in words
    assert "judge model" not in words
    assert "judge model" in facet_words({"interaction": ["asks-a-model"]}, "")


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "MIT AND GPL-3.0-only", "LicenseRef-Mine", "mit-like", " OR "])
def test_a_licence_that_is_not_known_to_be_permissive_is_not_called_so(licence: str) -> None:
    assert "permissive" not in facet_words({}, licence)


def test_without_licence_and_with_values_of_a_newer_hub_there_are_no_made_up_words() -> None:
    assert facet_words({}, "") == ""
    assert facet_words({"interaction": ["by-telepathy"]}, "") == "by telepathy"
    assert facet_words({"source": ["gem"]}, "") == "imported from gem"

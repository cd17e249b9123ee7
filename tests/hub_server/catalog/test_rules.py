"""Versions order as PEP 440 says, and the latest release is the one it should be."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from hub_server.catalog.rules import (
    LatestCandidate,
    choose_latest,
    choose_shown,
    facet_words,
    facets_of,
    sender_number,
    trend_of,
    version_key,
    waiting_for_replay,
    wants_audit,
)
from schemas.manifest import Manifest
from tests.making.wheel import MANIFEST

numbers = st.integers(min_value=0, max_value=10**6)


@st.composite
def versions(draw: st.DrawFn) -> str:
    text = ".".join(str(number) for number in draw(st.lists(numbers, min_size=1, max_size=4)))
    epoch = draw(st.integers(0, 3))
    text = f"{epoch}!{text}" if epoch else text
    if draw(st.booleans()):
        text += draw(st.sampled_from(["a", "b", "rc"])) + str(draw(numbers))
    if draw(st.booleans()):
        text += f".post{draw(numbers)}"
    if draw(st.booleans()):
        text += f".dev{draw(numbers)}"
    return text


@given(versions(), versions())
def test_keys_order_as_versions_do(one: str, other: str) -> None:
    keys, real = (version_key(one), version_key(other)), (Version(one), Version(other))
    assert (keys[0] < keys[1]) == (real[0] < real[1])
    assert (keys[0] == keys[1]) == (real[0] == real[1])


def candidate(version: str, state: str = "active", blocked: str = "") -> LatestCandidate:
    return LatestCandidate(version, version_key(version), Version(version).is_prerelease, state, blocked)


def test_the_latest_is_final_and_neither_yanked_quarantined_nor_blocked() -> None:
    everything = [
        candidate("1.0"),
        candidate("1.1", "deprecated"),
        candidate("1.2", "yanked"),
        candidate("1.3", "quarantined"),
        candidate("1.4", blocked="a case returned"),
        candidate("2.0rc1"),
    ]
    latest = choose_latest(everything)
    assert latest is not None
    assert latest.version == "1.1"
    assert choose_latest(everything[2:]) is None
    shown = choose_shown(everything[2:])
    assert shown is not None
    assert shown.version == "2.0rc1"
    assert choose_shown([candidate("1.3", "quarantined")]) is None


def test_what_has_a_verifier_is_measured() -> None:
    assert wants_audit(Manifest.from_toml(MANIFEST))


@pytest.mark.parametrize(("count", "words"), [(1, "a counter-example that was fixed"), (3, "3 counter-examples")])
def test_a_release_waits_for_the_replay_of_what_was_fixed(count, words) -> None:
    assert words in waiting_for_replay(count)


def test_without_fixed_cases_nothing_is_waited_for() -> None:
    assert waiting_for_replay(0) == ""


def facets(text: str) -> dict[str, list[str]]:
    return facets_of(Manifest.from_toml(text))


def test_what_a_model_meets_follows_from_the_manifest() -> None:
    assert facets(MANIFEST) == {"tag": ["math"], "interaction": ["single-turn"], "family": []}
    session = MANIFEST.replace('verifier = "', 'session = "alice_small_sums:Session"\nverifier = "')
    assert facets(session)["interaction"] == ["several-turns"]
    assert facets(session.replace('["math"]', '["math", "tool-use"]'))["interaction"] == ["several-turns", "tools"]
    tool = MANIFEST.replace('verifier = "', 'tools = ["alice/search@>=1"]\nverifier = "')
    assert facets(tool)["interaction"] == ["single-turn", "tools"]


def test_only_an_environment_has_turns_and_a_verifier_says_what_it_judges() -> None:
    verifier = MANIFEST.replace('"environment"', '"verifier"').replace('tasks = { train = "tasks.jsonl" }\n', "")
    judges = "[judges.short-number]\n[judges.choice]\n"
    assert facets(verifier + judges) == {"tag": ["math"], "interaction": [], "family": ["choice", "short-number"]}


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


@pytest.mark.parametrize(
    ("recent", "before", "trend"),
    [(0, 0, 0.0), (4, 0, 0.0), (5, 0, math.sqrt(5)), (14, 12, 0.0), (16, 4, 12 / math.sqrt(20)), (5, 900, 0.0)],
)
def test_a_trend_is_what_chance_does_not_make(recent: int, before: int, trend: float) -> None:
    assert trend_of(recent, before) == pytest.approx(trend)


def test_senders_fall_on_few_numbers_and_on_others_for_another_package() -> None:
    """So that one's downloads of two packages cannot be found to be one's, and many share a number."""
    numbers = {package: [sender_number(package, f"account:{n}") for n in range(3000)] for package in ("a/b", "a/c")}
    assert all(0 <= number < 4096 for found in numbers.values() for number in found)
    assert 1900 < len(set(numbers["a/b"])) < 2300, "4096 (1 - exp(-3000/4096)) = 2127"
    assert sum(one == other for one, other in zip(*numbers.values(), strict=True)) < 10

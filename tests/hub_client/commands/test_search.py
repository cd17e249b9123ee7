"""The catalogue from a shell: what is asked for, and a hostile hub's cards."""

import httpx
import pytest

from schemas.package import AuditSummary
from tests.making.scripted_hub import card_of


def answer(hub, *cards, **more):
    items = [card.model_dump(mode="json") for card in cards]
    hub.on("GET", "/packages", {"items": items, **more})


def test_words_and_filters_travel_and_what_was_not_given_does_not(verihub, scripted):
    asked = {}

    def handler(request):
        asked.update(request.url.params)
        return httpx.Response(200, json={"items": []})

    scripted.on("GET", "/packages", handler)
    said = verihub("search", "final answer", "--kind", "verifier", "--sort", "error", "--limit", "5")
    assert (said.code, said.out.strip()) == (0, "nothing fits 'final answer'")
    assert asked == {"q": "final answer", "kind": "verifier", "sort": "error", "limit": "5"}
    assert verihub("search", "--kind", "suite").out.strip() == "no packages"


def test_a_filter_that_is_given_twice_travels_twice(verihub, scripted):
    asked = []

    def handler(request):
        asked.extend(request.url.params.multi_items())
        return httpx.Response(200, json={"items": []})

    scripted.on("GET", "/packages", handler)
    options = ["--interaction", "tools", "--interaction", "several-turns", "--judges", "code", "--source", "gem"]
    assert verihub("search", *options, "--owner", "alice", "--licence", "MIT").code == 0
    filters = [pair for pair in asked if pair[0] not in ("limit", "sort")]
    assert filters == [
        ("interaction", "tools"),
        ("interaction", "several-turns"),
        ("family", "code"),
        ("source", "gem"),
        ("licence", "MIT"),
        ("owner", "alice"),
    ]


@pytest.mark.parametrize("options", [("--limit", "0"), ("--limit", "101"), ("--kind", "toy"), ("--sort", "luck")])
def test_what_no_hub_would_answer_is_refused_before_it_is_asked(verihub, scripted, options):
    assert verihub("search", *options).code == 2
    assert scripted.asked == []


def test_a_card_says_how_far_its_measuring_is(verihub, scripted):
    states = {"none": "", "queued": "being measured", "failed": "audit failed", "state-of-a-newer-hub": "state-of-a"}
    for state, shown in states.items():
        answer(scripted, card_of("alice/x", audit_state=state))
        assert shown in verihub("search").out


def test_a_hostile_summary_does_not_reach_the_terminal(verihub, scripted):
    answer(scripted, card_of("alice/x", summary="\x1b]0;owned\x07\x1b[2J\u202efdp"))
    for shape in ("human", "json", "quiet"):
        said = verihub("search", "--format", shape)
        assert said.code == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(said.out)


def test_scripts_get_names_or_json_with_the_cursor(verihub, scripted):
    answer(scripted, card_of("alice/x"), card_of("bob/y"), next="cursor")
    assert verihub("search", "-q").out.split() == ["alice/x", "bob/y"]
    assert verihub("search", "--format", "json").json["next"] == "cursor"


@pytest.mark.parametrize("body", [b"[]", b"{}", b"<html>", b'{"items": [{"id": "../x"}]}'])
def test_an_answer_that_is_no_catalogue_is_the_hubs_fault(verihub, scripted, body):
    scripted.on("GET", "/packages", httpx.Response(200, content=body))
    said = verihub("search")
    assert said.code == 8, said.err
    assert "bug" not in said.err


def test_the_rates_are_those_that_the_grade_is_based_on(verihub, scripted):
    rate = {"value": 0.5, "low": 0.4, "high": 0.6}
    counts = {"tp": 1, "fp": 0, "tn": 1, "fn": 0, "unscored": 0, "fpr": rate, "fnr": rate}
    reads = counts | {"fpr": {"value": 0.125, "low": 0.1, "high": 0.2}}
    audit = {
        "version": "1.0.0", "grade": "C", "overall": counts, "reads": reads, "case_count": 2, "is_hollow": True,
        "audited_at": "2030-01-02T00:00:00Z", "origins": {"author": counts, "suite": counts | {"tn": 1199}},
    }  # fmt: skip
    answer(scripted, card_of("alice/x", audit=AuditSummary.model_validate(audit)))
    said = verihub("search").out
    assert "12.5 % (10.0–20.0)" in said
    assert "C hollow" in said
    assert "1,200 of suites, 2 its author’s" in said

"""Search: every state is an address."""

import re

import pytest

from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.site.pages import search as catalog
from schemas.package import PackageSort
from schemas.page import Page
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package
from tests.making.wheel import MANIFEST


@pytest.mark.parametrize(
    ("query", "found"),
    [("q=sums", 2), ("q=alice", 2), ("kind=environment", 2), ("kind=tool", 0), ("grade=U", 2), ("grade=F", 0), ("tag=math", 2), ("tag=math&tag=none", 0), ("source=reasoning-gym", 0), ("q=zzz%27%22%3Cscriptx%3E", 0), ("sort=error", 2), ("unknown=1", 2)],
)  # fmt: skip
def test_search_is_an_address(reader: Browser, catalogue: Api, query: str, found: int) -> None:
    page = reader.get(f"/packages?{query}")
    assert page.status == 200
    heading = re.search(r"(\d+) packages?", page.text)
    assert heading is not None
    assert int(heading[1]) == found


def test_a_typing_error_is_met_with_the_nearest_name(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages?q=smal-sumz")
    assert "Did you mean alice/small-sums?" in page.text
    assert "No package has every word" in page.text
    assert "All packages" in reader.get("/packages?q=zzzzzz").text
    assert "Clear filters" in reader.get("/packages?q=zzzzzz&kind=tool").text


def test_who_finds_nothing_is_told_which_filter_to_drop(reader: Browser, catalogue: Api) -> None:
    heading = re.search(r"(\d+) packages? for", reader.get("/packages?q=small").text)
    assert heading is not None
    assert int(heading[1]) > 0
    page = reader.get("/packages?q=small&kind=tool")
    assert f"{heading[1]} without tool" in page.text
    of_filter, button = page.all("a", href="/packages?q=small")[-2:]
    assert button.get("class") == "btn", "it cleared the words too"
    assert of_filter.get("class") is None
    two = reader.get("/packages?q=small&kind=tool&grade=A").text
    assert "without tool" not in two, "without it there is nothing either"
    assert "without" not in reader.get("/packages?q=zzzzzz").text


def test_the_order_stands_beside_the_count_and_belongs_to_the_form(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages?sort=name")
    (select,) = page.all("select", name="sort")
    (form,) = page.all("form", action="/packages", id="filters")
    assert select["form"] == form["id"]
    assert page.html.index("<h1") < page.html.index('name="sort"') < page.html.index('class="ledger')
    assert len(page.all("button", form="filters")) == 1, "without script the order needs a button of its own"


def test_a_row_says_how_many_cases_of_each_origin_it_rests_on(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages?q=small-sums")
    assert "2 its author’s" in page.text
    assert [mark["class"] for mark in page.all("span") if "origin-mark" in mark.get("class", "")] == [
        "origin-mark mark-hollow"
    ]
    cards = {one["id"]: one for one in catalogue.get("/api/v1/packages?q=small-sums").json()["items"]}
    origins = cards["alice/small-sums"]["audit"]["origins"]
    assert {name: one["tp"] + one["tn"] for name, one in origins.items()} == {"author": 2}


def test_an_empty_result_leads_to_publishing(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages?q=zzzzzz")
    assert "http://hub.test/docs/tutorials/first_verifier" in page.links
    assert "Clear" not in page.text


def test_an_unknown_sort_is_refused_in_words(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages?sort=best")
    assert page.status == 422
    assert "sort='best' is unknown" in page.text


def test_removing_a_chip_keeps_everything_else() -> None:
    asked = SearchRequest(text="math", kinds=("tool", "verifier"), grades=("U",), sort=PackageSort.ERROR)
    assert catalog.chips_of(asked) == [
        ("tool", "/packages?q=math&kind=verifier&grade=U&sort=error"),
        ("verifier", "/packages?q=math&kind=tool&grade=U&sort=error"),
        ("not graded", "/packages?q=math&kind=tool&kind=verifier&sort=error"),
    ]


def test_interactions_and_families_are_shown_in_words() -> None:
    asked = SearchRequest(interactions=("several-turns",), families=("short-number",))
    assert [name for name, _ in catalog.chips_of(asked)] == ["several turns", "judges short number"]
    page = Page(items=[], total=2, facets={"interaction": {"several-turns": 1, "asks-a-model": 1}})
    options = next(facet for facet in catalog.facets_of(page, SearchRequest()) if facet.name == "interaction").options
    assert [(option.value, option.title) for option in options] == [
        ("asks-a-model", "asks a model"),
        ("several-turns", "several turns"),
    ]


def test_packages_of_one_source_are_an_address_and_a_chip(reader: Browser, alice: Api) -> None:
    for name, source in (("legs", "reasoning-gym:leg_counting"), ("nim", "gem:game:Nim-v0"), ("mine", "")):
        imported = f'[imported]\nsource = "{source}"\nversion = "0.1"\n' if source else ""
        answer = alice.publish(make_package(f"alice/{name}", manifest=f"{MANIFEST}\n{imported}"))
        assert answer.status_code == 201, answer.text
    page = reader.get("/packages?source=reasoning-gym")
    assert "1 package" in page.text
    assert "imported from reasoning-gym" in page.text
    assert "imported from gem 0.1" in reader.get("/packages/alice/nim").text
    assert "imported from" not in reader.get("/packages/alice/mine").text


def test_a_facet_that_was_chosen_stays_visible_without_a_hit() -> None:
    page = Page(items=[], total=0, facets={"kind": {"tool": 2}})
    facets = catalog.facets_of(page, SearchRequest(kinds=("recipe",)))
    kinds = next(facet for facet in facets if facet.name == "kind")
    assert [(option.value, option.count, option.is_on) for option in kinds.options] == [
        ("recipe", 0, True),
        ("tool", 2, False),
    ]


@pytest.mark.parametrize(
    ("words", "sort", "order"),
    [
        ("", PackageSort.RELEVANCE, PackageSort.ERROR),
        ("sums", PackageSort.RELEVANCE, PackageSort.RELEVANCE),
        ("", PackageSort.NEWEST, PackageSort.NEWEST),
    ],
    ids=["looking around", "words", "asked for"],
)
def test_who_looks_around_without_words_sees_what_is_measured_best_first(words, sort, order) -> None:
    assert catalog.best_first(SearchRequest(text=words, sort=sort)).sort is order


def test_the_list_as_json_is_in_the_order_of_the_page(reader: Browser, catalogue: Api) -> None:
    assert "/api/v1/packages?sort=error" in reader.get("/packages").html
    assert "sort=error" not in reader.get("/packages?q=sums").html

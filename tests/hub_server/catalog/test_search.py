"""Search: words find packages, operators are only words, facets count, cursors reach everything once."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub_server.kernel.services import Services
from schemas.package import PackageSort
from tests.making.hub import Api, make_package, run_jobs
from tests.making.kept_hub import HubKeeper
from tests.making.wheel import MANIFEST


def publish(api: Api, package: str, *, tags: str = '"math"', summary: str | None = None, readme: str = "") -> None:
    metadata = (
        "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n"
        f"Summary: {summary or 'Sums'}\nLicense-Expression: Apache-2.0\n\n{readme}\n"
    )
    manifest = MANIFEST.replace('tags = ["math"]', f"tags = [{tags}]")
    answer = api.publish(make_package(package, manifest=manifest, metadata=metadata))
    assert answer.status_code == 201, answer.text


def found(api: Api, query: str) -> list[str]:
    answer = api.get(f"/api/v1/packages?{query}")
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


@pytest.fixture
def stocked(keeper: HubKeeper, services: Services, alice: Api, bob: Api) -> Api:
    keeper.bring("four packages of two owners", services, lambda: stock(alice, bob), alice=alice, bob=bob)
    return alice


def stock(alice: Api, bob: Api) -> None:
    publish(alice, "alice/math-verifier", summary="Checks algebra", tags='"math", "algebra"')
    publish(alice, "alice/code-tests", summary="Runs unit tests", tags='"code"')
    publish(alice, "alice/poems", summary="Judges poems", tags='"style"', readme="A verifier of rhymes and algebra.")
    publish(bob, "bob/maths", summary="Other sums", tags='"math"')


def test_words_find_names_tags_summaries_and_readmes(stocked: Api) -> None:
    assert found(stocked, "q=algebra")[0] == "alice/math-verifier"
    assert set(found(stocked, "q=algebra")) == {"alice/math-verifier", "alice/poems"}
    assert found(stocked, "q=rhymes") == ["alice/poems"]
    assert found(stocked, "q=unit+tests") == ["alice/code-tests"]
    assert found(stocked, "q=nothinglikethat") == []


def test_the_beginning_of_a_word_is_enough(stocked: Api) -> None:
    assert found(stocked, "q=algeb")[0] == "alice/math-verifier"


@pytest.mark.parametrize("query", ["math-verifier", "alice/math-verifier", "MATH-VERIFIER"])
def test_an_exact_name_comes_first(stocked: Api, query: str) -> None:
    assert found(stocked, f"q={query}")[0] == "alice/math-verifier"


@pytest.mark.parametrize(
    "query",
    [
        "math AND",
        '"unbalanced',
        "name:",
        "-foo",
        "NEAR(",
        "math-verifier OR",
        "a*b",
        "'; DROP",
        "%",
        "_",
        "\x00",
        "🦆",
        "& | !",
        "<->",
    ],
)
def test_operators_of_any_engine_are_only_words(stocked: Api, query: str) -> None:
    assert stocked.get("/api/v1/packages", params={"q": query}).status_code == 200


@pytest.mark.parametrize("written", ["-{}", "+{}", '"{}"', "({})", "!{}", "{}^0"])
def test_a_sign_beside_a_word_neither_forbids_nor_asks_for_more(stocked: Api, written: str) -> None:
    """An engine's own syntax would leave the word out, or find nothing."""
    plain = [card["id"] for card in stocked.get("/api/v1/packages", params={"q": "math"}).json()["items"]]
    found = [
        card["id"] for card in stocked.get("/api/v1/packages", params={"q": written.format("math")}).json()["items"]
    ]
    assert plain
    assert set(plain) & set(found) == set(plain)


def test_any_text_at_all_can_be_searched_for(stocked: Api) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.text(max_size=60))
    def search(text: str) -> None:
        encodable = text.encode("utf-8", "ignore").decode()
        assert stocked.get("/api/v1/packages", params={"q": encodable}).status_code == 200

    search()


def test_environments_are_found_by_how_a_model_meets_them(stocked: Api, bob: Api) -> None:
    session = MANIFEST.replace('verifier = "', 'session = "bob_talk:Session"\nverifier = "')
    text = session.replace('["math"]', '["tool-use"]').replace('id = "alice/small-sums"', 'id = "bob/talk"')
    judges = MANIFEST.replace("[rewards", "[judges.short-number]\n[rewards")
    assert bob.publish(make_package("bob/talk", manifest=text)).status_code == 201
    assert bob.publish(make_package("bob/judged", manifest=judges)).status_code == 201
    assert found(stocked, "interaction=several-turns") == ["bob/talk"]
    assert found(stocked, "interaction=tools&interaction=several-turns&owner=bob") == ["bob/talk"]
    assert found(stocked, "interaction=tools&interaction=single-turn&owner=bob") == []
    assert found(stocked, "family=short-number") == ["bob/judged"]
    assert found(stocked, "family=short-number&interaction=tools") == []
    facets = stocked.get("/api/v1/packages").json()["facets"]
    assert facets["interaction"] == {"single-turn": 5, "several-turns": 1, "tools": 1}
    assert facets["family"] == {"short-number": 1}


def test_facets_count_what_each_choice_would_leave(stocked: Api) -> None:
    facets = stocked.get("/api/v1/packages").json()["facets"]
    assert facets["tag"] == {"math": 2, "algebra": 1, "code": 1, "style": 1}
    assert facets["owner"] == {"alice": 3, "bob": 1}
    assert facets["kind"] == {"environment": 4}
    chosen = stocked.get("/api/v1/packages?tag=math&owner=alice").json()
    assert [item["id"] for item in chosen["items"]] == ["alice/math-verifier"]
    assert chosen["facets"]["owner"] == {"alice": 1, "bob": 1}
    assert chosen["facets"]["tag"] == {"math": 1, "algebra": 1}, "a further tag narrows"
    assert chosen["total"] == 1


def test_several_values_of_a_facet_mean_any_of_them(stocked: Api) -> None:
    assert set(found(stocked, "owner=bob&kind=environment&kind=tool")) == {"bob/maths"}


def test_several_tags_mean_all_of_them(stocked: Api) -> None:
    assert found(stocked, "tag=math&tag=algebra") == ["alice/math-verifier"]
    assert found(stocked, "tag=code&tag=style") == []
    assert found(stocked, "tag=math&tag=algebra&sort=name") == ["alice/math-verifier"]


@pytest.mark.parametrize(
    "query", ["", "sort=name", "sort=updated", "sort=error", "sort=downloads", "sort=newest", "q=a"]
)
def test_cursors_reach_every_package_exactly_once(stocked: Api, query: str) -> None:
    seen, cursor = [], ""
    for _ in range(10):
        page = stocked.get(f"/api/v1/packages?{query}&limit=1&cursor={cursor}").json()
        seen += [item["id"] for item in page["items"]]
        if page["next"] is None:
            break
        cursor = page["next"]
    assert seen == found(stocked, f"{query}&limit=100")
    assert len(seen) == len(set(seen)) > 0


@pytest.mark.parametrize(
    "query", ["sort=best", "limit=0", "limit=101", "cursor=nonsense", "cursor=eyJ9", "q=" + "x" * 500]
)
def test_what_cannot_be_meant_is_refused(stocked: Api, query: str) -> None:
    refused = stocked.get(f"/api/v1/packages?{query}")
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")


@pytest.mark.parametrize("facet", ["tag", "interaction", "family", "grade", "kind"])
def test_more_values_than_any_package_has_are_refused(stocked: Api, facet: str) -> None:
    """1,000 tags were more conditions than a database takes, and 5,000 took ten seconds of processor time."""
    refused = stocked.get(f"/api/v1/packages?{'&'.join([f'{facet}=math'] * 33)}")
    assert (refused.status_code, refused.json()["detail"]) == (422, f"{facet} takes at most 32 values, not 33.")
    assert stocked.get(f"/api/v1/packages?{'&'.join([f'{facet}=math'] * 32)}").status_code == 200
    assert stocked.get(f"/packages?{'&'.join([f'{facet}=math'] * 33)}").status_code == 422


def test_a_cursor_of_another_order_is_refused(stocked: Api) -> None:
    cursor = stocked.get("/api/v1/packages?sort=name&limit=1").json()["next"]
    assert stocked.get(f"/api/v1/packages?sort=error&limit=1&cursor={cursor}").status_code == 422


def test_an_audit_of_two_cases_places_nobody_before_the_unmeasured(alice: Api, services) -> None:
    publish(alice, "alice/measured")
    run_jobs(services)
    publish(alice, "alice/aaa")
    assert found(alice, "sort=error") == ["alice/aaa", "alice/measured"]
    assert alice.get("/api/v1/packages").json()["facets"]["grade"] == {"U": 2}


def test_every_order_that_the_schema_names_is_understood_by_the_hub(stocked: Api) -> None:
    for sort in PackageSort:
        assert stocked.get(f"/api/v1/packages?sort={sort}").status_code == 200, sort
    assert "jaw" not in {sort.value for sort in PackageSort}


def test_the_old_name_of_an_order_still_works(stocked: Api) -> None:
    assert found(stocked, "sort=jaw") == found(stocked, "sort=error")


def test_a_filter_finds_what_ranks_below_the_best_thousand(stocked: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, a search was cut off first and filtered then: an owner's packages could all be missing."""
    monkeypatch.setattr("hub_server.catalog.actions.search.MOST_HITS", 1)
    assert found(stocked, "q=math") == ["alice/math-verifier"] or found(stocked, "q=math") == ["bob/maths"]
    assert found(stocked, "q=math&owner=bob") == ["bob/maths"]
    assert found(stocked, "q=math&owner=alice") == ["alice/math-verifier"]
    assert found(stocked, "q=algebra&tag=style") == ["alice/poems"]


def test_a_search_that_asks_too_much_says_so_and_finds_what_comes_near(stocked: Api) -> None:
    answer = stocked.get("/api/v1/packages?q=algebra+unit").json()
    assert answer["has_every_word"] is False
    assert {item["id"] for item in answer["items"]} == {"alice/math-verifier", "alice/poems", "alice/code-tests"}
    page = stocked.get("/packages?q=algebra+unit").text
    assert "No package has every word" in page
    assert "No package has every word" not in stocked.get("/packages?q=algebra").text
    pages = [stocked.get(f"/api/v1/packages?q=algebra+unit&limit=1&cursor={answer['next'] or ''}").json()]
    while pages[-1]["next"]:
        pages.append(stocked.get(f"/api/v1/packages?q=algebra+unit&limit=1&cursor={pages[-1]['next']}").json())
    assert len({item["id"] for one in pages for item in one["items"]}) == 3

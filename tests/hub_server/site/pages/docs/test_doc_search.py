"""Search in the documents: what is asked for comes first, and every hit leads to a place that there is."""

import re
from urllib.parse import urlsplit

import pytest

from hub_server.site.pages.docs import doc_search
from hub_server.site.pages.docs.doc_search import MOST_HITS, MOST_OF_ONE, search_documents
from hub_server.site.pages.docs.documents import read_documents
from tests.hub_server.site.conftest import Browser


@pytest.mark.parametrize(
    ("asked", "address"),
    [
        ("delete an account", "/docs/how_to/own_packages#delete-an-account"),
        ("systemd", "/docs/how_to/run_a_hub"),
        ("teams organisation", "/docs/how_to/own_packages"),
        ("counter-examples", "/docs/how_to/counter_examples"),
        ("trl", "/docs/how_to/trl"),
        ("threat model", "/docs/explanation/threat_model"),
        ("verihub mirror", "/docs/how_to/mirror_a_hub"),
        ("quarantined", "/docs/errors#quarantined"),
    ],
)
def test_what_is_asked_for_is_among_the_first(asked: str, address: str) -> None:
    first = [hit.section.address for hit in search_documents(asked)[:5]]
    assert any(one.startswith(address) for one in first), first


def test_sections_with_every_word_come_and_others_only_where_there_is_none() -> None:
    both = search_documents("yank release")
    assert all({"yank", "release"} <= set(_known(hit.section)) for hit in both)
    assert search_documents("yank xyzzyq"), "one word is enough where nothing has both"
    long = "how do i publish a private package from github actions with a token"
    assert "/docs/how_to/own_packages" in {hit.section.address.partition("#")[0] for hit in search_documents(long)}
    assert search_documents("xyzzyq") == []
    assert search_documents("") == search_documents("... ?") == []


def _known(section: doc_search.Section) -> list[str]:
    words = doc_search._words(f"{section.text} {section.heading} {section.document}")
    return [stem for stem in ("yank", "release") if any(word.startswith(stem) for word in words)]


def test_one_document_does_not_fill_the_page() -> None:
    hits = search_documents("hub")
    assert len(hits) == MOST_HITS
    of = [hit.section.document for hit in hits]
    assert max(of.count(one) for one in of) == MOST_OF_ONE


def test_a_long_question_costs_no_more_than_its_first_words() -> None:
    words = " ".join(f"w{number}" for number in range(500))
    assert search_documents("yank " + words) == search_documents("yank")


def test_every_section_leads_to_an_anchor_that_its_page_has(reader: Browser) -> None:
    for slug in ("how_to/own_packages", "reference/cli", "explanation/sandbox", "start"):
        ids = set(re.findall(r'id="([^"]+)"', reader.get(f"/docs/{slug}").html))
        title = read_documents()[slug].title
        wanted = {urlsplit(one.address).fragment for one in doc_search._index().sections if one.document == title}
        assert wanted - {""} <= ids
        assert len(wanted) > 2


def test_the_page_marks_the_words_and_says_what_was_asked(reader: Browser) -> None:
    page = reader.get("/docs/search?q=++yanked%20")
    assert (page.status, page.headings) == (200, 1)
    assert "“yanked” in the docs" in page.text
    assert "<mark>yank" in page.html.lower()
    assert "No document has these words" in reader.get("/docs/search?q=xyzzyq").text
    assert "Type words" in reader.get("/docs/search").text
    hostile = reader.get("/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E" + "x" * 5000)
    assert hostile.status == 200
    assert "<script>alert" not in hostile.html
    assert all(
        found.all("input", name="q", type="search") for found in (reader.get("/docs"), reader.get("/docs/start"))
    )


@pytest.mark.parametrize(
    ("asked", "address"),
    [
        ("write metrics step", "/docs/api/runs#post-api-v1-runs-run-id-metrics"),
        ("/api/v1/collections", "/docs/api/collections#get-api-v1-collections"),
        ("dependants kind cursor", "/docs/api/"),
    ],
)
def test_operations_of_the_http_interface_are_found_and_lead_to_their_place(
    reader: Browser, asked: str, address: str
) -> None:
    found = [a["href"] for a in reader.get(f"/docs/search?q={asked}").all("a") if a["href"].startswith(address)]
    assert found
    page, _, anchor = found[0].partition("#")
    assert [a for _, a in reader.get(page).elements if a.get("id") == anchor]

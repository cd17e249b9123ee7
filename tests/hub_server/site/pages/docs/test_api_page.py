"""The pages of the HTTP interface: readable without script, and what is tried has no rights of the reader's login."""

import re
from pathlib import Path

import pytest

from hub_server.site.pages import docs
from hub_server.site.pages.docs import api_page
from tests.hub_server.site.conftest import Browser
from tests.making.counted_calls import count_calls

SCRIPT = Path(docs.__file__).parents[2] / "static" / "verihub.js"


def test_it_is_found_from_the_documents_and_lists_every_operation(reader: Browser) -> None:
    assert reader.get("/docs").all("a", href="/docs/api")
    page = reader.get("/docs/api")
    assert (page.status, page.headings) == (200, 1)
    described = reader.get("/api/v1/openapi.json").answer.json()["paths"]
    assert page.html.count("<dt><a") == sum(len(item) for item in described.values())
    subjects = {a["href"].split("#")[0] for a in page.all("a") if a.get("href", "").startswith("/docs/api/")}
    for address in sorted(subjects):
        shown = reader.get(address)
        assert (shown.status, shown.headings) == (200, 1), address
        identifiers = [a["id"] for _, a in shown.elements if "id" in a]
        assert len(identifiers) == len(set(identifiers)), address
        anchors = {a["href"].split("#")[1] for a in shown.all("a") if a.get("href", "").startswith("#")}
        assert anchors - {"main"} <= set(identifiers), address
    assert len(subjects) > 15


def test_the_description_is_put_in_subjects_once(reader: Browser) -> None:
    first = reader.get("/docs/api/discussions").html
    with count_calls(api_page, "subjects_of") as made:
        assert reader.get("/docs/api/discussions").html == first
        assert reader.get("/docs/api").status == 200
    assert made == [0]


def test_an_operation_is_read_without_script(reader: Browser) -> None:
    page = reader.get("/docs/api/discussions")
    assert "POST /api/v1/packages/{owner}/{name}/discussions" in page.text
    assert "-H &#34;Authorization: Bearer $VERIHUB_TOKEN&#34;" in page.html
    assert page.all("a", href="#object-DiscussionCreate")
    forms = [a for _, a in page.elements if "data-api" in a]
    assert len(forms) == len([a for a in page.all("details") if "data-api-try" in a and "hidden" in a]) > 5


@pytest.mark.parametrize("slug", ["none", "..%2f", "%00", "a" * 3000, "<script>"])
def test_no_such_subject(reader: Browser, slug: str) -> None:
    page = reader.get(f"/docs/api/{slug}")
    assert page.status == 404
    assert "<script>" not in page.html.replace('<script src="', "")


def test_what_is_tried_is_sent_without_cookies_and_nothing_of_it_comes_from_the_address(reader: Browser) -> None:
    """A signed-in reader who is led to this page cannot be made to change anything by it."""
    script = SCRIPT.read_text()
    part = script[script.index("// The HTTP interface") :]
    assert re.findall(r"fetch\(", part) == ["fetch("]
    assert 'credentials: "omit"' in part
    assert "location" not in part
    assert "innerHTML" not in part
    reader.sign_up("jun")
    page = reader.get("/docs/api/accounts?name=mallory&token=x&body=y")
    assert "mallory" not in page.html.split("<main")[1].split("</main")[0]

"""Pages of the documents: a table of contents that leads everywhere, the text as it was written, no other file."""

import pytest

from hub_server.site.pages.docs.documents import START, read_documents
from hub_server.web.refusals import all_refusals
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def test_the_contents_lead_to_every_document_and_begin_with_the_start(reader: Browser) -> None:
    page = reader.get("/docs")
    linked = {link.partition("http://hub.test")[2].partition("#")[0] for link in page.links}
    assert {f"/docs/{slug}" for slug in read_documents()} <= linked
    assert f"/docs/{START}" in linked


def test_a_document_is_a_page_and_the_text_as_it_was_written(reader: Browser, api: Api) -> None:
    document = read_documents()[START]
    page = reader.get(f"/docs/{START}")
    assert (page.status, page.headings) == (200, 1)
    assert document.title in page.text
    written = api.get(f"/docs/{START}.md")
    assert written.headers["content-type"].startswith("text/markdown")
    assert written.text.startswith(f"# {document.title}\n")
    assert document.text in written.text


@pytest.mark.parametrize(
    "slug", ["none", "../README", "..%2f..%2fpyproject.toml", "%2e%2e/x", ".md", "index.md.md", "%00", "x" * 3000]
)
def test_nothing_else_is_read(reader: Browser, slug: str) -> None:
    assert reader.get(f"/docs/{slug}").status == 404


def test_every_refusal_has_the_anchor_that_a_problem_points_to(reader: Browser) -> None:
    page = reader.get("/docs/errors")
    anchors = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    assert {refusal.code for refusal in all_refusals()} <= anchors

"""The project's documents on the hub."""

import re
from pathlib import Path

import pytest
from markupsafe import escape

from hub_server.manual.documents import SHELVES, link_from, read_documents
from schemas.problem import ProblemCode
from tests.making.hub import Api

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_every_document_of_the_project_has_a_place() -> None:
    written = {path.stem for path in DOCS.glob("*.md")} | {
        f"reference/{p.stem}" for p in (DOCS / "reference").glob("*.md")
    }
    placed = {slug for _, slugs in SHELVES for slug in slugs} | {"reference/errors"}
    assert written <= placed


@pytest.mark.parametrize("slug", list(read_documents()))
def test_a_document_has_a_page_with_its_title_and_no_link_into_the_void(api: Api, slug: str) -> None:
    document = read_documents()[slug]
    page = api.get(document.address)
    assert page.status_code == 200
    assert f"<h1>{escape(document.title)}</h1>" in page.text
    article = page.text[page.text.index("<article") : page.text.index("</article>")]
    for address in set(re.findall(r'href="(/docs/[^"]*)"', article)):
        assert api.get(address).status_code == 200, address


def test_links_between_documents_lead_to_their_pages() -> None:
    assert link_from("audit", "package_format.md#keys") == "/docs/package_format"
    assert link_from("reference/api", "../audit.md") == "/docs/audit"
    assert link_from("server", "reference/errors.md") == "/docs/errors"
    assert link_from("audit", "../../etc/passwd.md") is None
    assert link_from("audit", "decisions/0001-feature-folders.md") is None


def test_a_document_can_be_had_as_it_was_written(api: Api) -> None:
    answer = api.get("/docs/glossary.md")
    assert answer.headers["Content-Type"].startswith("text/markdown")
    assert answer.text.strip() == (DOCS / "glossary.md").read_text().strip()


@pytest.mark.parametrize("slug", ["nothing", "../README", "decisions/README", "audit/../../README", "%2e%2e/README"])
def test_nothing_else_of_the_disk_can_be_read(api: Api, slug: str) -> None:
    assert api.get(f"/docs/{slug}").status_code == 404


def test_the_contents_name_every_document(api: Api) -> None:
    page = api.get("/docs").text
    assert all(f'href="{document.address}"' in page for document in read_documents().values())


def test_each_refusal_has_an_anchor_that_a_problem_points_to(api: Api) -> None:
    page = api.get("/docs/errors").text
    assert all(f'id="{code.value}"' in page for code in ProblemCode)

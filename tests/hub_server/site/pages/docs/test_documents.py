"""The project's documents on the hub."""

import re
from pathlib import Path

import pytest
from markupsafe import escape

from hub_server.site.pages.docs.documents import KINDS, link_from, read_documents
from hub_server.site.rendering.markdown import anchor_of
from schemas.problem import ProblemCode
from tests.making.hub import Api

ROOT = Path(__file__).resolve().parents[5]
DOCS = ROOT / "docs"
FOLDERS = ("tutorials", "how_to", "reference", "explanation")


def _article(api: Api, address: str) -> str:
    page = api.get(address)
    assert page.status_code == 200, address
    return page.text[page.text.index("<article") : page.text.index("</article>")]


def test_the_documents_are_of_four_kinds_and_lie_nowhere_else() -> None:
    assert tuple(kind.folder for kind in KINDS) == FOLDERS
    assert [path.name for path in DOCS.glob("*.md")] == []


def test_every_document_of_the_project_has_a_place() -> None:
    written = {f"{folder}/{path.stem}" for folder in FOLDERS for path in (DOCS / folder).glob("*.md")}
    placed = {slug for kind in KINDS for slug in kind.paths()} | {"reference/errors"}
    assert written == placed


@pytest.mark.parametrize("slug", list(read_documents()))
def test_a_document_has_a_page_with_its_title_and_no_link_into_the_void(api: Api, slug: str) -> None:
    document = read_documents()[slug]
    page = api.get(document.address)
    assert page.status_code == 200
    assert f"<h1>{escape(document.title)}</h1>" in page.text
    for address in set(re.findall(r'href="(/docs/[^"]*)"', _article(api, document.address))):
        path, _, anchor = address.partition("#")
        target = api.get(path).text if path.endswith(".md") else _article(api, path)
        assert not anchor or f'id="{anchor}"' in target, address


PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_of_the_repository_leads_to_a_file_and_a_heading(page: Path) -> None:
    for href in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in href or href.startswith("/"):
            continue
        path, _, anchor = href.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), href
        if anchor:
            headings = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE)
            assert anchor in {anchor_of(heading.replace("`", "")) for heading in headings}, href


def test_the_first_page_is_the_readme(api: Api) -> None:
    assert next(iter(read_documents())) == "start"
    assert 'href="/docs/start"' in api.get("/docs").text


def test_every_page_of_the_hub_leads_to_the_documents(api: Api) -> None:
    page = api.get("/").text
    header = page[page.index("<header") : page.index("</header>")]
    assert 'href="/docs"' in header


def test_links_between_documents_lead_to_their_pages() -> None:
    assert link_from("explanation/audit", "../reference/cli.md#exit-codes") == "/docs/reference/cli#exit-codes"
    assert link_from("explanation/audit", "crowd.md") == "/docs/explanation/crowd"
    assert link_from("explanation/audit", "#rates") == "/docs/explanation/audit#rates"
    assert link_from("start", "docs/reference/cli.md") == "/docs/reference/cli"
    assert link_from("how_to/train", "../../README.md") == "/docs/start"
    assert link_from("how_to/run_a_hub", "../reference/errors.md") == "/docs/errors"
    assert link_from("explanation/audit", "../../../etc/passwd.md") is None
    assert link_from("explanation/audit", "../decisions/0001-feature-folders.md") is None


def test_a_document_can_be_had_as_it_was_written(api: Api) -> None:
    answer = api.get("/docs/reference/glossary.md")
    assert answer.headers["Content-Type"].startswith("text/markdown")
    assert answer.text.strip() == (DOCS / "reference" / "glossary.md").read_text().strip()


@pytest.mark.parametrize(
    "slug", ["nothing", "../README", "decisions/README", "reference/../../README", "%2e%2e/README", "../start"]
)
def test_nothing_else_of_the_disk_can_be_read(api: Api, slug: str) -> None:
    answer = api.get(f"/docs/{slug}")
    assert answer.status_code == 404 or answer.headers["location"].startswith(
        "/owners/"
    )  # `/docs/../start` is `/start`


def test_the_contents_name_every_document_and_introduce_every_kind(api: Api) -> None:
    page = api.get("/docs").text
    assert all(f'href="{document.address}"' in page for document in read_documents().values())
    assert all(kind.lead in page for kind in KINDS if kind.slugs)


def test_each_refusal_has_an_anchor_that_a_problem_points_to(api: Api) -> None:
    page = api.get("/docs/errors").text
    assert all(f'id="{code.value}"' in page for code in ProblemCode)


def test_the_list_of_documents_shows_no_marks() -> None:
    marked = {slug: one.lead for slug, one in read_documents().items() if re.search(r"\]\(|\*\w|\*\*|`", one.lead)}
    assert marked == {}

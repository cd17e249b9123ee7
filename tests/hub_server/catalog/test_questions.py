"""What a researcher would ask of a hub with the collection: the answer is among the first three hits."""

import tomllib
from pathlib import Path

import pytest

from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.catalog.actions.search_updates import document_of
from hub_server.catalog.models import PackageRow
from hub_server.catalog.rules import facets_of
from hub_server.first_party import CollectionProject, projects
from hub_server.ports.search_index import SearchDocument
from schemas.manifest import Manifest

ANSWERS = {
    "sql": "lecture/sql-questions",
    "e-mail": "lecture/mail-assistant",
    "tool use under prompt injection": "lecture/tools-under-attack",
    "verifier for latex answers": "lecture/math-answer",
    "multi-turn game": "lecture/wordle",
    "JSON schema": "lecture/json-shape",
    "customer service policy": "lecture/service-desk",
    "code with hidden tests": "lecture/python-functions",
    "search with citations": "lecture/cited-search",
    "hard for a small model": "lecture/cited-search",
    "a small model fails": "lecture/cited-search",
    "easy for small models": "lecture/plain-style",
    "math verifier grade B": "lecture/math-answer",
    "reward hacking": "lecture/honest-headline",
    "multi turn tool calling": "lecture/function-calls",
    "instruction following constraints": "lecture/instructions",
    "LLM as a judge": "lecture/judge",
    "permissive licence word game": "lecture/connections",
}
GRADES = {"lecture/math-answer": "B", "lecture/math-verify": "D"}
REACHED = {"lecture/cited-search": ["hard-for-small-models"], "lecture/plain-style": ["solved-by-small-models"]}
"""As a hub would measure them."""


@pytest.fixture(scope="module")
def index() -> TantivySearchIndex:
    made = TantivySearchIndex(None)
    made.write([document(project) for project in projects()], [], 1)
    return made


def document(project: CollectionProject) -> SearchDocument:
    metadata = tomllib.loads((project.folder / "pyproject.toml").read_text())["project"]
    manifest = Manifest.read(tomllib.loads(next(project.folder.glob("src/*/verihub.toml")).read_text()))
    row = PackageRow(
        id=project.package,
        owner=project.package.split("/")[0],
        kind=project.kind,
        summary=metadata["description"],
        licence=metadata["license"],
        grade=GRADES.get(project.package, "U"),
    )
    facets = facets_of(manifest) | {"difficulty": REACHED.get(project.package, [])}
    return document_of(row, facets, Path(project.folder / "README.md").read_text())


@pytest.mark.parametrize("question", ANSWERS)
def test_the_answer_is_among_the_first_three(index: TantivySearchIndex, question: str) -> None:
    hits = index.find(question, {}, 1000).hits
    first = sorted(hits, key=lambda package: (-hits[package], package))[:3]
    assert ANSWERS[question] in first


def test_a_question_by_facets_needs_no_words(index: TantivySearchIndex) -> None:
    asked = {"difficulty": ["hard-for-small-models"], "interaction": ["tools"]}
    assert list(index.find("", asked, 10).hits) == ["lecture/cited-search"]
    assert index.find("", {}, 0).facets["difficulty"] == {"hard-for-small-models": 1, "solved-by-small-models": 1}

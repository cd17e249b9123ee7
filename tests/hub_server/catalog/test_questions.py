"""What a researcher would ask of a hub: with the collection the answer is among the first three hits, and among the
first five with the environments of other libraries beside it.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.catalog.actions.search_updates import document_of
from hub_server.catalog.models import PackageRow
from hub_server.catalog.rules.facets import facets_of
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
    "hallucination": "lecture/cited-search",
    "models that hallucinate": "lecture/mail-assistant",
    "grounded answers with citations": "lecture/cited-search",
    "jailbreak of tools": "lecture/tools-under-attack",
    "data analysis of a csv": "lecture/table-questions",
    "permissive licence word game": "lecture/connections",
}
AMONG_STOCK = {
    "hallucination": "lecture/cited-search",
    "navigation": "stock/reasoning-gym-maze",
    "multi turn game with tools": "lecture/grid-rules",
    "multi turn game": "stock/gem-game-guessthenumber-v0-hard",
    "sql": "lecture/sql-questions",
    "code with hidden tests": "lecture/python-functions",
    "prompt injection": "lecture/tools-under-attack",
    "agentdojo prompt injection": "stock/agentdojo-slack-attacked",
    "instruction following verifiable": "lecture/instructions",
    "math answer checker latex": "lecture/math-answer",
    "customer service policy": "lecture/service-desk",
    "long context retrieval": "stock/reasoning-gym-needle-haystack",
    "hacked reward example": "lecture/honest-headline",
    "easy curriculum arithmetic": "stock/reasoning-gym-basic-arithmetic",
    "multi turn email search agent": "lecture/mail-assistant",
    "function calling benchmark": "lecture/function-calls",
    "math word problems small model": "lecture/gsm8k",
    "theorem proving first order logic": "stock/reasoning-core-logic-derivation",
    "formatting constraints instruction following": "lecture/instructions",
    "blocksworld planning": "stock/jupyddl-blocksworld-easy",
    "blocks world": "stock/jupyddl-blocksworld-easy",
    "pddl": "stock/jupyddl-rovers-easy",
    "SAT solver": "stock/pysat-satisfy-easy",
    "unsatisfiable core": "stock/pysat-core-easy",
    "maxsat optimisation": "stock/pysat-maxsat-easy",
    "chemistry": "stock/molmass-molar-mass",
    "empirical formula from composition": "stock/molmass-empirical-formula",
    "negotiation": "stock/textarena-simplenegotiation-v0-short",
    "bargaining with another player": "stock/textarena-simplenegotiation-v0-short",
}
STOCK = Path(__file__).parent / "stock.jsonl"
"""What `scripts/import_stock` brought in, as a hub listed it: id, summary, licence, tags, whether it is a session."""
GRADES = {"lecture/math-answer": "B", "lecture/math-verify": "D"}
REACHED = {"lecture/cited-search": ["hard-for-small-models"], "lecture/plain-style": ["solved-by-small-models"]}
"""As a hub would measure them."""


@pytest.fixture(scope="module")
def index() -> TantivySearchIndex:
    made = TantivySearchIndex(None)
    made.write([document(project) for project in projects()], [], 1)
    return made


@pytest.fixture(scope="module")
def stocked() -> TantivySearchIndex:
    made = TantivySearchIndex(None)
    rows = map(json.loads, STOCK.read_text(encoding="utf-8").splitlines())
    made.write([*map(document, projects()), *map(imported, rows)], [], 1)
    return made


def imported(row: dict[str, Any]) -> SearchDocument:
    turns = "several-turns" if row["session"] else "single-turn"
    tools = ["tools"] if "tool-use" in row["tags"] else []
    package = PackageRow(
        id=row["id"], owner="stock", kind="environment", summary=row["summary"], licence=row["licence"], grade="U"
    )
    readme = f"# {row['id']}\n\nImported, as is. Tasks, prompts, right answers and cases; training tasks are generated."
    return document_of(package, {"tag": row["tags"], "interaction": [turns, *tools], "family": []}, readme)


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


@pytest.mark.parametrize("question", AMONG_STOCK)
def test_with_a_hundred_others_beside_it_the_answer_is_among_the_first_five(
    stocked: TantivySearchIndex, question: str
) -> None:
    hits = stocked.find(question, {}, 1000).hits
    first = sorted(hits, key=lambda package: (-hits[package], package))[:5]
    assert AMONG_STOCK[question] in first

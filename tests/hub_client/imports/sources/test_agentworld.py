"""A small library of our own in the shape of agentworld."""

import json

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError, Needs
from hub_client.imports.registry import Request
from hub_client.imports.sources.agentworld import AgentWorld
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

PACK = """# checked
name: {name}
title: {name} · of ten
source: https://example.org
license: {licence}
citation: >-
  Somebody, 2021.
verifier: {check}
items_file: items.jsonl
splits:
  public: 1
"""
PACKS = """
import mlx_lm_is_imported_in_a_function


def verify_answer(spec, payload):
    return str(payload) == str(spec.get("text", spec.get("value")))
"""
ROWS = [
    {"id": "q0", "prompt": "5 + 7?", "answer_spec": {"type": "numeric", "value": 12.0, "tolerance": 1e-6}},
    {"id": "q1", "prompt": "5 + 9?", "answer_spec": {"type": "numeric", "value": 1234567.5, "tolerance": 1e-6}},
]
NAMED = [{"id": "n0", "prompt": "Who?", "answer_spec": {"type": "exact_match", "text": "Ada", "normalize": True}}]


def pack(name: str, rows: list, licence: str = "MIT", check: str = "numeric") -> dict[str, str]:
    return {
        f"agentworld/packs/{name}/pack.yaml": PACK.format(name=name, licence=licence, check=check),
        f"agentworld/packs/{name}/items.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows),
    }


FILES = {
    "agentworld/__init__.py": "",
    "agentworld/packs.py": PACKS.replace("import mlx_lm_is_imported_in_a_function", "import json"),
    **pack("sums", ROWS),
    **pack("names", NAMED, "CC BY-SA 4.0", "exact_match"),
    **pack("closed", NAMED, "CC BY-NC 4.0", "exact_match"),
    **pack("programs", NAMED, "MIT", "runs_code"),
}


@pytest.fixture
def source(cache, monkeypatch) -> AgentWorld:
    lock = making.keep(cache, "agentworld", "0.2.0", making.plain_wheel("agentworld", "0.2.0", FILES))
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    monkeypatch.setattr(libraries.Library, "needs", lambda _self, imported: Needs(sorted(imported)))
    return AgentWorld(Request(cache))


def test_packs_are_offered_and_what_may_not_be_passed_on_or_is_not_understood_is_refused(source) -> None:
    refused = {item.name: item.refused for item in source.items()}
    assert list(refused) == ["closed", "names", "programs", "sums", "world"]
    assert (refused["names"], refused["sums"]) == ("", "")
    assert "CC BY-NC 4.0" in refused["closed"]
    assert "runs_code" in refused["programs"]
    with pytest.raises(ImportRefusedError, match="over a connection"):
        source.draft("world")


def test_questions_of_a_benchmarks_test_are_for_tests_alone_under_their_own_licence(source) -> None:
    sums, names = source.draft("sums"), source.draft("names")
    assert [list(draft.splits) for draft in (sums, names)] == [["test"], ["test"]]
    assert [task["answer"] for task in sums.splits["test"]] == ["12", "1234567.5"]
    assert [task["answer"] for task in names.splits["test"]] == ["Ada"]
    assert (sums.provenance.licence, names.provenance.licence) == ("MIT", "CC-BY-SA-4.0")


def test_the_librarys_check_sees_what_stands_between_the_last_tags(source, tmp_path) -> None:
    draft = source.draft("names")
    task = dict(draft.splits["test"][0])
    said = ("<answer>Eve</answer> no, <answer> Ada </answer>", "Ada", "<answer>Eve</answer> Ada")
    (judged,) = told(draft, tmp_path, f"[it.verify({task!r}, said)['correct'] for said in {said!r}]", library=FILES)
    assert judged == [1.0, 1.0, 0.0]

"""A small library of our own in the shape of reasoning-core."""

import ast

import pytest

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.sources.reasoning_core import ReasoningCore, _warnings
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

REGISTRY = 'AREAS = {"Sets & tables": ("set_sum", "told_apart", "gone", "table_qa"), "Logic": ("proof",)}\n'
TEMPLATE = """
import random


def load_tokenizer():
    import tiktoken


class Entry:
    def __init__(self, metadata, answer=None):
        self.metadata, self.answer = metadata, answer


class Task:
    def generate_example(self):
        entry = self.generate_entry()
        entry.prompt = f"Sum of {entry.metadata['numbers']}?"
        entry.metadata = {**entry.metadata, "_time": random.random()}
        return entry
"""
SETS = """
import random

from reasoning_core.template import Entry, Task


class SetSum(Task):
    summary = "Adds the numbers of a set."

    def generate_entry(self):
        numbers = (random.randint(0, 99), random.Random().randint(0, 99))
        return Entry({"numbers": numbers}, answer=sum(numbers))

    def score_answer(self, answer, entry):
        assert entry.prompt == f"Sum of {tuple(entry.metadata['numbers'])}?"
        return 1.0 if answer == entry.answer else 0.5 * answer.isdigit()


class Other(Task):
    task_name = "told_apart"


class NotListed(Task):
    pass


class TableQA(Task):
    pass
"""
FILES = {
    "reasoning_core/__init__.py": "from .registry import AREAS\n",
    "reasoning_core/registry.py": REGISTRY,
    "reasoning_core/template.py": TEMPLATE,
    "reasoning_core/tasks/__init__.py": "",
    "reasoning_core/tasks/set_operations.py": SETS,
    "reasoning_core/tasks/logic.py": "import prover\nfrom reasoning_core.template import Task\n\n\nclass Proof(Task):\n    pass\n",
}


@pytest.fixture
def core(cache, monkeypatch) -> ReasoningCore:
    data = making.plain_wheel("reasoning-core", "0.5.0", FILES)
    lock = making.keep(cache, "reasoning-core", "0.5.0", data)
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    monkeypatch.setattr(libraries, "lock_what_can_be_built", lambda *_: ([lock], {}))
    return ReasoningCore(Request(cache))


def test_what_the_library_lists_is_offered_under_its_own_names(core) -> None:
    assert {item.name: item.line for item in core.items()} == {
        "set_sum": "Adds the numbers of a set.",
        "told_apart": "told apart",
        "table_qa": "table qa",
        "proof": "proof",
    }
    with pytest.raises(NotFoundError, match="no not_listed"):
        core.draft("not_listed")


def test_what_is_imported_and_cannot_be_had_refuses_and_what_is_never_reached_does_not(core) -> None:
    assert [item.name for item in core.draft("set_sum").needs.lock] == ["reasoning-core"]
    with pytest.raises(ImportRefusedError, match="imports prover, which none of its dependencies brings"):
        core.draft("proof")


def test_the_licence_of_the_file_stands_where_the_metadata_state_none(core, monkeypatch) -> None:
    assert core.draft("set_sum").provenance.licence == "Apache-2.0", "what the metadata of this wheel state"
    monkeypatch.setattr(libraries.Library, "licence", "")
    assert core.draft("set_sum").provenance.licence == "MIT"


@pytest.mark.parametrize(
    ("code", "told"),
    [("sympy.sympify(answer)", "sympify"), ("eval(answer)", "eval"), ("model.eval(answer)", ""), ("len(answer)", "")],
)
def test_a_scorer_that_may_run_an_answer_is_told_of(code, told) -> None:
    """A response that is run in the verifier's own process can change its verdict."""
    found = _warnings(ast.parse(f"def score_answer(self, answer, entry):\n    return {code}\n"))
    assert [f"`{told}`" in line for line in found] == ([True] if told else [])


def test_tasks_come_again_and_the_library_scores(core, tmp_path) -> None:
    draft = core.draft("set_sum")
    assert (draft.tags[0], draft.response) == ("sets", "<answer>{answer}</answer>")
    one, again, other, right, part, wrong = told(
        draft,
        tmp_path,
        "it.generate('train', 0, 3)",
        "it.generate('train', 0, 3)",
        "it.generate('test', 0, 3)",
        "it.verify(it.generate('train', 0, 3), f\"So <answer> {it.generate('train', 0, 3)['answer']}</answer>\")",
        "it.verify(it.generate('train', 0, 3), '<answer>1</answer>')",
        "it.verify(it.generate('train', 0, 3), 'no')",
        library=FILES,
    )
    assert one == again, "no clock and no commit of the library is in a task"
    assert one["prompt"] != other["prompt"]
    assert (right, part, wrong) == ({"score": 1.0}, {"score": 0.5}, {"score": 0.0})

"""A small library of our own in the shape of python-sat, which tries every assignment."""

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import Needs
from hub_client.imports.registry import Request
from hub_client.imports.sources.pysat import PySat
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

SOLVERS = """
import itertools


def best(clauses):
    names = sorted({abs(literal) for clause in clauses for literal in clause})
    tried = ([v if s else -v for v, s in zip(names, signs)] for signs in itertools.product((0, 1), repeat=len(names)))
    return max(tried, key=lambda model: sum(bool(set(model) & set(clause)) for clause in clauses))


class Solver:
    def __init__(self, name, bootstrap_with):
        self.clauses = bootstrap_with

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def solve(self):
        self.model = best(self.clauses) if self.clauses else []
        return all(set(self.model) & set(clause) for clause in self.clauses)

    def get_model(self):
        return self.model
"""
TOOL = """
from pysat.solvers import Solver, best


class {name}:
    def __init__(self, soft, verbosity=0):
        self.clauses = soft.clauses

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def compute(self):
        return {computed}
"""
CORE = """self.core(list(range(1, len(self.clauses) + 1)))

    def core(self, chosen):
        for number in list(chosen):
            rest = [one for one in chosen if one != number]
            if not Solver("", [self.clauses[one - 1] for one in rest]).solve():
                chosen = rest
        return chosen
"""
FILES = {
    "pysat/__init__.py": "",
    "pysat/examples/__init__.py": "",
    "pysat/solvers.py": SOLVERS,
    "pysat/formula.py": "class WCNF:\n    def extend(self, clauses, weights):\n        self.clauses = clauses\n",
    "pysat/examples/rc2.py": TOOL.format(name="RC2", computed="best(self.clauses)"),
    "pysat/examples/musx.py": TOOL.format(name="MUSX", computed=CORE),
}
TASK = {"answer": "", "info": {"clauses": [[1, 2, 3], [1, 2, -3], [1, -2], [-1, 2], [-1, -2], [4, 5, 6]]}}


@pytest.fixture
def source(cache, monkeypatch) -> PySat:
    lock = making.keep(cache, "python-sat", "1.9", making.plain_wheel("python-sat", "1.9", FILES))
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    monkeypatch.setattr(libraries.Library, "needs_only", lambda _self, names: Needs(sorted(names)))
    return PySat(Request(cache))


@pytest.mark.parametrize("item", ["satisfy-easy", "maxsat-easy", "core-easy"])
def test_the_solvers_answer_is_right_and_no_answer_is_wrong(source, tmp_path, item: str) -> None:
    first, again, judged = told(
        source.draft(item),
        tmp_path,
        "it.generate('test', 0, 0)",
        "it.generate('test', 0, 0)",
        "[it.verify(t, said)['correct'] for t in [it.generate('test', 0, 0)] for said in "
        "('<answer>' + t['answer'] + '</answer>', '<answer>1</answer> <answer>' + t['answer'].replace(' ', ', ') "
        "+ '</answer>', '', 'unsat', '1', '1 2 3 4 5 6 -6', '1 -1 2 3 4 5 6', '99', '0')]",
        library=FILES,
    )
    assert first == again
    assert judged == [1.0, 1.0, *[0.0] * 7]


def test_an_unsatisfiable_core_has_no_clause_too_many(source, tmp_path) -> None:
    said = ("1, 2, 3, 4, 5", "1 2 3 4 5 6", "1 2 3 4", "5 4 3 2 1", "1 2 3 4 5 7", "-1 2 3 4 5")
    (judged,) = told(
        source.draft("core-easy"),
        tmp_path,
        f"[it.verify({TASK!r}, said)['correct'] for said in {said!r}]",
        library=FILES,
    )
    assert judged == [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def test_a_large_maxsat_is_not_offered(source) -> None:
    assert "maxsat-hard" not in source.offers()
    assert "core-hard" in source.offers()

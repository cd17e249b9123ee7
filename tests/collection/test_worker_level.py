"""Verifiers at level ``worker`` share one process with thousands of answers: none of them may depend on the others."""

import ast
import random

import pytest

from schemas.manifest import Isolation
from tests.collection.conftest import imported

PURE = frozenset(
    [
        "ast",
        "collections",
        "dataclasses",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "html",
        "itertools",
        "json",
        "math",
        "mpmath",
        "operator",
        "random",
        "re",
        "string",
        "typing",
        "unicodedata",
    ]
)
"""Modules that neither run, open nor send anything."""
KNOWN = {"about.py: pathlib", "about.py: tomllib", "evaluate.py: threading"}
"""plain-style's topics, read once at import, and math-answer's context of mpmath for each thread (no thread begins)."""
RUN_TEXT = {"eval", "exec", "compile", "__import__", "open", "input", "setattr", "globals"}
HOSTILE = ["", "#### 42" * 5_000, "\\boxed{" * 500, "(" * 3_000, "9" * 6_000, "2^{2^{2^{2^{2^{2}}}}}", "\ud800 \\frac{1}{0}", "1e999999999",
           "\\sqrt" * 300, "\x00\\boxed{\x00}", "{{x.__class__}}", "%s%n", "1/0", "\\boxed{10^{10^{10}}}!"]  # fmt: skip


@pytest.fixture(scope="module")
def worker_projects(projects):
    return [project for project in projects.values() if project.manifest.sandbox.isolation is Isolation.WORKER]


def modules_of(project):
    return sorted((project.folder / "src").rglob("*.py"))


def test_what_shares_a_process_imports_only_what_neither_runs_nor_opens_anything(worker_projects):
    found = []
    for project in worker_projects:
        for path in modules_of(project):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
                roots = {name.partition(".")[0] for name in names} - PURE - {project.manifest.import_name}
                called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
                found += [f"{path.name}: {name}" for name in (*roots, *({called} & RUN_TEXT))]
    assert {"gsm8k", "math-answer", "exact-match"} <= {project.name for project in worker_projects}
    assert set(found) == KNOWN


@pytest.mark.parametrize("name", ["gsm8k", "math-answer"])
def test_no_answer_changes_the_verdict_of_another(projects, tasks_by_id, name):
    project = projects[name]
    chosen = random.Random(7).sample(project.cases, 200)
    calls = [(case.task or tasks_by_id[name][case.task_id], case.response) for case in chosen]

    def verdicts(verify, order):
        return {place: verify(dict(calls[place][0]), calls[place][1]) for place in order}

    with imported(project) as package:
        forwards = verdicts(package.verify, range(len(calls)))
        for response in HOSTILE:
            package.verify(dict(calls[0][0]), response)
        assert verdicts(package.verify, reversed(range(len(calls)))) == forwards

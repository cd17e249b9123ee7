"""Names that are stored, or that callers write, stand once: those of jobs in ``JobName``, ``latest`` in ``LATEST``.

A job that is queued under a name written out again waits for ever once one of the two is changed.
"""

import ast
import re
from pathlib import Path

import pytest

from hub_server.kernel.job_names import JobName
from schemas.names import LATEST

ROOT = Path(__file__).parents[2]
PACKAGES = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge"]
WRITTEN_IN = {"hub_server/kernel/job_names.py", "schemas/names.py"}
NAMES = {*JobName, LATEST}
MAY_BE_WRITTEN = re.compile("|".join([*map(re.escape, sorted(NAMES)), "LATEST", r"\bqueue\("])).search
"""Most modules have none of the words, and are not parsed."""


def _keys(tree: ast.Module) -> set[int]:
    """What stands in brackets, as in ``card["latest"]``, is the key of a field."""
    return {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}


def written(tree: ast.Module) -> list[str]:
    """Names of jobs and of the newest release that are written out, other texts that are queued as a job, and what
    chooses ``LATEST`` where a reference names nothing: that is ``Reference.selector``.
    """
    keys = _keys(tree)
    found = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in NAMES and id(node) not in keys
    ]
    found += [
        node.values[-1].id
        for node in ast.walk(tree)
        if isinstance(node, ast.BoolOp) and isinstance(node.values[-1], ast.Name) and node.values[-1].id == "LATEST"
    ]
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "queue" and call.args:
            name = call.args[0]
            found += [str(name.value)] if isinstance(name, ast.Constant) and name.value not in NAMES else []
    return found


def test_names_are_written_in_one_place() -> None:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in paths}
    found = {name: written(ast.parse(text)) for name, text in texts.items() if MAY_BE_WRITTEN(text)}
    assert {name for name, names in found.items() if names} == WRITTEN_IN


@pytest.mark.parametrize(
    "text",
    [
        'work.queue("audits.replay_case", {})',
        'work.queue("audits.unheard_of", {})',
        'rows = {"audits.compare": run}',
        'chosen = version or "latest"',
        "chosen = one.version or one.specifier or one.digest or LATEST",
        'def find(package: str, version: str = "latest"): ...',
    ],
)
def test_a_name_that_is_written_again_is_seen(text: str) -> None:
    assert len(written(ast.parse(text))) == 1
    assert MAY_BE_WRITTEN(text)


@pytest.mark.parametrize("text", ["work.queue(JobName.COMPARE, {})", 'card["latest"]', "chosen = reference.selector"])
def test_a_name_from_its_place_is_none(text: str) -> None:
    assert written(ast.parse(text)) == []

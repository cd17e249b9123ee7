"""A small library of our own in the shape of mathgenerator."""

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import Needs
from hub_client.imports.registry import Request
from hub_client.imports.sources.mathgenerator import MathGenerator
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

ADDITION = """
from ...generator import Generator
import random
import sympy


def gen_func(highest=999):
    left, right = random.randint(0, highest), random.randint(0, highest)
    return f"${left}+{right}=$", f"${left + right}, exactly$"


addition = Generator(
    "Adding two numbers", 3, gen_func, ["highest=999"])
"""
FILES = {
    "mathgenerator/__init__.py": "raise ImportError('every generator')\n",
    "mathgenerator/generator.py": "class Generator:\n    def __init__(self, *_):\n        pass\n",
    "mathgenerator/funcs/__init__.py": "raise ImportError('every generator')\n",
    "mathgenerator/funcs/template.py": "from ..generator import Generator\n",
    "mathgenerator/funcs/basic_math/__init__.py": "raise ImportError('every generator')\n",
    "mathgenerator/funcs/basic_math/addition.py": ADDITION,
    "mathgenerator/funcs/basic_math/helper.py": "def gen_func():\n    pass\n",
}


@pytest.fixture
def source(cache, monkeypatch) -> MathGenerator:
    lock = making.keep(cache, "mathgenerator", "1.5.0", making.plain_wheel("mathgenerator", "1.5.0", FILES))
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    monkeypatch.setattr(libraries.Library, "needs", lambda _self, imported: Needs(sorted(imported)))
    return MathGenerator(Request(cache))


def test_a_module_that_registers_a_generator_is_an_item_called_by_its_title(source) -> None:
    assert [(item.name, item.line, item.refused) for item in source.items()] == [("addition", "Adding two numbers", "")]


def test_one_generator_runs_without_the_others_and_answers_count_without_spaces_and_dollars(source, tmp_path) -> None:
    draft = source.draft("addition")
    assert draft.needs.dependencies == ["sympy"], "and scipy, which this module does not import, is left out"
    assert draft.tags[:2] == ["math", "basic-math"]
    said = ("12,exactly", "x <answer> $12, exactly$ </answer>", "12", "")
    task = {"answer": "$12, exactly$"}
    rows = "[it.generate(split, 0, number)['prompt'] for split in ('train', 'test') for number in range(20)]"
    first, again, judged = told(
        draft, tmp_path, rows, rows, f"[it.verify({task!r}, said)['same'] for said in {said!r}]", library=FILES
    )
    assert first == again
    assert len(set(first)) == 40
    assert judged == [1.0, 1.0, 0.0, 0.0]

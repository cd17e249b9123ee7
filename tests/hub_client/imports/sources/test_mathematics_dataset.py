"""A small library of our own in the shape of mathematics_dataset, drawing from sets as that one does."""

import pytest

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.draft import Needs
from hub_client.imports.registry import Request
from hub_client.imports.sources.mathematics_dataset import MathematicsDataset
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

COMPOSITION = """
_ALLOWED_SYMBOLS = set("abcdefghij").difference(set(["e"]))


class Context:
    def __init__(self):
        self.used = set()

    def pop(self, random):
        symbol = random.choice(list(_ALLOWED_SYMBOLS.difference(self.used.union(set())).copy()))
        self.used.add(symbol)
        return symbol
"""
ALGEBRA = """
import random
from collections import namedtuple

from mathematics_dataset.util import composition
from sympy.core.numbers import is_even

Problem = namedtuple("Problem", "question answer")


def _sum(highest):
    context, (left, right) = composition.Context(), (random.randint(0, highest) for _ in range(2))
    is_even(left % 3)
    text = "x" * 200 if left % 5 == 0 else f"{left} + {right}, for {context.pop(random)} and {context.pop(random)}?"
    return Problem(text, left + right)


def _make_modules(highest):
    fns = {'sum': _sum}
    modules = {'sum_big': lambda: _sum(10 * highest)}
    for name, module in fns.items():
        modules[name] = modules[name + '_composed'] = lambda: module(highest)
    return modules


def train(entropy_fn):
    return _make_modules(entropy_fn((10, 99))[1])


def test():
    return _make_modules(99)
"""
NUMBERS = """
from sympy.core import assumptions

_known = {}


def is_even(number):
    if number not in _known:
        assumptions.shuffle([1, 2, 3])
        _known[number] = number % 2 == 0
    return _known[number]
"""
"""As sympy 1.5: it draws for each number once, and remembers the number beyond its cache."""
AREAS = ("arithmetic", "calculus", "comparison", "measurement", "numbers", "polynomials", "probability")
FILES = {
    "sympy/__init__.py": "",
    "sympy/core/__init__.py": "",
    "sympy/core/assumptions.py": "from random import shuffle\n",
    "sympy/core/cache.py": "def clear_cache():\n    pass\n",
    "sympy/core/numbers.py": NUMBERS,
    "mathematics_dataset/__init__.py": "",
    "mathematics_dataset/generate_settings.py": "MAX_QUESTION_LENGTH, MAX_ANSWER_LENGTH = 160, 30\n",
    "mathematics_dataset/util/__init__.py": "",
    "mathematics_dataset/util/composition.py": COMPOSITION,
    "mathematics_dataset/modules/__init__.py": "",
    "mathematics_dataset/modules/modules.py": "",
    "mathematics_dataset/modules/algebra.py": ALGEBRA,
    **{
        f"mathematics_dataset/modules/{area}.py": f"def _make_modules():\n    return {{'{area}': 1}}\n"
        for area in AREAS
    },
}


@pytest.fixture
def source(cache, monkeypatch) -> MathematicsDataset:
    lock = making.keep(cache, "mathematics-dataset", "1.0.1", making.plain_wheel("mathematics-dataset", "1.0.1", FILES))
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    monkeypatch.setattr(libraries.Library, "needs_without", lambda _self, left_out, also: Needs([*left_out, *also]))
    return MathematicsDataset(Request(cache))


def test_each_entry_of_an_area_is_an_item_and_what_is_done_in_two_ways_is_two(source) -> None:
    offered = [item.name for item in source.items()]
    assert offered[:3] == ["algebra__sum", "algebra__sum_composed", "algebra__sum_big"]
    assert offered[3:] == [f"{area}__{area}" for area in AREAS]
    with pytest.raises(NotFoundError, match="did you mean 'algebra__sum'"):
        source.draft("algebra__summ")


def test_tasks_are_the_same_in_each_process_and_answers_count_as_texts(source, tmp_path) -> None:
    draft = source.draft("algebra__sum_composed")
    assert draft.needs.dependencies == ["sympy<1.6", "numpy<1.24"], "the library's own limits allow newer ones"
    rows = "[it.generate(split, 0, number)['prompt'] for split in ('train', 'test') for number in range(20)]"
    asked = (
        rows,
        rows,
        "[it.verify({'answer': '7'}, said)['same'] for said in ('7', 'x <answer> 7 </answer>', '7.0', '')]",
    )
    first = told(draft, tmp_path, *asked, library=FILES)
    again = told(draft, tmp_path, *asked, library=FILES)
    assert first == again, "another process has another order of sets"
    assert first[0] == first[1]
    assert len(set(first[0])) == 40
    assert not any("x" * 200 in prompt for prompt in first[0]), "what is too long is dropped, as the library does"
    assert first[2] == [1.0, 1.0, 0.0, 0.0]

"""A small library of our own in the shape of engram-generator."""

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError, Needs
from hub_client.imports.registry import Request
from hub_client.imports.sources.engram import Engram
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

CORE = """
from engram_generator.curriculum.registry import register


class Helper:
    \"\"\"No generator.\"\"\"


@register
class Addition:
    \"\"\"Two numbers are added.

    More.
    \"\"\"

    @property
    def task_name(self):
        return "addition"

    def __init__(self, seed=42):
        import random
        self._rng = random.Random(seed)

    def generate(self, count):
        first, second = self._rng.randint(0, 999), self._rng.randint(0, 999)
        if first < 300:
            return [Sample("add", "skip", "skip")]
        return [Sample("add", f"{first} + {second}", f"{first + second}.0")]


@register
class Doubtful:
    \"\"\"A law of nature.\"\"\"

    @property
    def task_name(self):
        return "doubtful"


@register
class Alone:
    \"\"\"In the registry, and nobody computes it again.\"\"\"

    @property
    def task_name(self):
        return "alone"


class Sample:
    tier = 0

    def __init__(self, input_text, problem, answer):
        self.input_text, self.problem, self.answer = input_text, problem, answer
"""
REGISTRY = """
_REGISTRY = {}


def register(cls):
    _REGISTRY[cls.task_name.fget(None)] = cls
    return cls
"""
NORMALISER = """
class OperationNormaliser:
    def normalise(self, text):
        return text.strip().removesuffix(".0")
"""
VALIDATION = """
_r("addition", "library", library="math")
_r("doubtful", "formula", formula="F = m a")
_r("alone", "library",
   library="sympy")
"""
FILES = {
    "engram_generator/__init__.py": "",
    "engram_generator/curriculum/__init__.py": "",
    "engram_generator/curriculum/registry.py": REGISTRY,
    "engram_generator/evaluation/__init__.py": "",
    "engram_generator/evaluation/normaliser.py": NORMALISER,
    "engram_generator/generators/__init__.py": "raise ImportError('every generator')\n",
    "engram_generator/generators/core.py": CORE,
    "engram_generator/validation/handlers_t0.py": 'def register(h):\n    h["addition"] = sum\n    h["doubtful"] = sum\n',
    "engram_generator/validation/registry.py": VALIDATION,
}


@pytest.fixture
def source(cache, monkeypatch) -> Engram:
    lock = making.keep(cache, "engram_generator", "0.3.0", making.plain_wheel("engram_generator", "0.3.0", FILES))
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    monkeypatch.setattr(libraries.Library, "needs_nothing_else", lambda _: Needs(["engram-generator==0.3.0"]))
    return Engram(Request(cache))


def test_only_what_the_library_computes_a_second_time_is_offered(source) -> None:
    refused = {item.name: item.refused for item in source.items()}
    assert set(refused) == {"addition", "doubtful", "alone"}
    assert refused["addition"] == ""
    assert all("does not check" in refused[name] for name in ("doubtful", "alone"))
    assert source.offers()["addition"] == "Two numbers are added."
    with pytest.raises(ImportRefusedError, match="does not check"):
        source.draft("alone")


def test_one_generator_runs_without_the_others_and_the_librarys_comparison_judges(source, tmp_path) -> None:
    draft = source.draft("addition")
    said = ("12", "12.0", "so <answer> 12 </answer>", "13", "")
    rows = "[it.generate(split, 0, number)['prompt'] for split in ('train', 'test') for number in range(20)]"
    judged = f"[it.verify({{'answer': '12.0'}}, said)['same'] for said in {said!r}]"
    first, again, rewards = told(draft, tmp_path, rows, rows, judged, library=FILES)
    assert first == again
    assert len(set(first)) == 40
    assert not [prompt for prompt in first if "skip" in prompt], "what the library says where it fails is no task"
    assert rewards == [1.0, 1.0, 1.0, 0.0, 0.0]

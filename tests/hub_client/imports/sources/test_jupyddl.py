"""A small library of our own in the shape of jupyddl: a walk along a line, whose steps have two variants each."""

import pytest

from hub_client.imports import library as libraries
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.registry import Request
from hub_client.imports.sources.jupyddl import Jupyddl
from tests.hub_client.imports.package_answers import told
from tests.making import library as making

GENERATOR = """
import random
GENERATOR_NOTES = {"gripper": "Balls.", "rovers": "A walk."}


def generate(kind, size, seed):
    start = random.Random(seed).randrange(size)
    return "; a comment\\n(domain walk)\\n", f"; seed {seed}\\n(define (problem walk-{seed}) (start {start}) (goal {size}))\\n"
"""
GROUNDING = """
import re


class Step:
    def __init__(self, here, variant):
        self.name, self.here = f"step(p{here},p{here + 1})#{variant}", here

    def applicable(self, state):
        return state == self.here


class Walk:
    def __init__(self, start, goal):
        self.start, self.goal = start, goal
        self.operators = [Step(here, variant) for here in range(goal + 2) for variant in (1, 2)]

    def initial_state(self):
        return self.start

    def apply(self, op, state):
        return state + 1

    def goal_reached(self, state):
        return state == self.goal


def ground(domain, problem):
    return Walk(*map(int, re.search(r"start (\\d+)\\) \\(goal (\\d+)", problem).groups()))
"""
SEARCH = """
class Found:
    def __init__(self, plan):
        self.plan = plan


class Planner:
    def search(self, task, heuristic):
        return Found([op for op in task.operators if task.start <= op.here < task.goal and op.name.endswith("1")])


def make_planner(name):
    return Planner()
"""
FILES = {
    "jupyddl/__init__.py": "",
    "jupyddl/generator.py": GENERATOR,
    "jupyddl/grounding.py": GROUNDING,
    "jupyddl/parser.py": "def parse(text):\n    return text\n",
    "jupyddl/search.py": SEARCH,
    "jupyddl/heuristics.py": "def make_heuristic(name, task):\n    return None\n",
}


@pytest.fixture
def source(cache, monkeypatch) -> Jupyddl:
    lock = making.keep(cache, "jupyddl", "2.4.0", making.plain_wheel("jupyddl", "2.4.0", FILES))
    monkeypatch.setattr(libraries, "lock_alone", lambda *_: lock)
    return Jupyddl(Request(cache))


def test_a_generator_whose_seed_changes_only_a_name_is_refused(source) -> None:
    assert [item.name for item in source.items() if not item.refused] == ["rovers-easy", "rovers-medium", "rovers-hard"]
    with pytest.raises(ImportRefusedError, match="a size has one problem"):
        source.draft("gripper-easy")


def test_a_plan_is_done_action_by_action_and_the_last_one_counts(source, tmp_path) -> None:
    task, *judged = told(
        source.draft("rovers-hard"),
        tmp_path,
        "(t := it.generate('test', 0, 0))",
        "it.verify(t, f\"<plan>{t['answer']}</plan>\")",
        "it.verify(t, t['answer'].replace(' ', ',').replace('(step,', 'step(').upper())",
        "it.verify(t, f\"<plan>{t['answer']}</plan> or <plan>(step p0 p9)</plan>\")",
        "it.verify(t, t['answer'].rpartition(chr(10))[0])",
        "it.verify(t, '')",
        "it.verify(t, '(fly p0 p9)')",
        library=FILES,
    )
    assert "; " not in task["prompt"], "the seed stands in comments and in the problem's name"
    assert "(problem task)" in task["prompt"]
    assert judged == [{"solved": 1.0, "short": 1.0}] * 2 + [{"solved": 0.0, "short": 0.0}] * 4

"""How the tests are handed to processes: each test once, a file or a group whole, and what is done is forgotten."""

from types import SimpleNamespace
from typing import Any

import pytest
from xdist.remote import Producer

from tests.making.file_schedule import FileScheduling

QUICK = [f"tests/test_many.py::test[{number}]" for number in range(50)]
TESTS = [*QUICK, "tests/test_a.py::test_1", "tests/test_b.py::test_1@one", "tests/test_a.py::test_2", "tests/test_c.py::test_1",
         "tests/test_d.py::test_1@one", "tests/test_e.py::test[a@b]", "tests/test_e.py::Kind::test_2"]  # fmt: skip


class Node:
    """A process that notes what it is given, and runs it when told to."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.given: list[int] = []
        self.done = 0
        self.shutting_down = False

    def send_runtest_some(self, indices: list[int]) -> None:
        self.given += indices

    def shutdown(self) -> None:
        self.shutting_down = True


@pytest.fixture
def schedule() -> Any:
    option = SimpleNamespace(loadscopereorder=True, numprocesses=2, tx=["2*popen"], px=[], maxprocesses=None)
    config: Any = SimpleNamespace(option=option, getvalue=lambda name: getattr(option, name))
    made = FileScheduling(config, Producer("test", enabled=False))
    for name in ("first", "second"):
        node: Any = Node(name)
        made.add_node(node)
        made.add_node_collection(node, TESTS)
    made.schedule()
    return made


def run_all(schedule: Any) -> dict[str, list[str]]:
    """What each process ran. They take turns."""
    nodes = schedule.nodes
    while any(node.done < len(node.given) for node in nodes):
        for node in nodes:
            if node.done < len(node.given):
                node.done += 1
                schedule.mark_test_complete(node, node.given[node.done - 1])
    return {node.gateway.id: [TESTS[index] for index in node.given] for node in nodes}


def test_every_test_runs_once_and_what_belongs_together_in_one_process(schedule: Any) -> None:
    ran = run_all(schedule)
    assert sorted([*ran["first"], *ran["second"]]) == sorted(TESTS)
    for part in (QUICK, TESTS[50:53:2], [TESTS[51], TESTS[54]], TESTS[55:]):
        assert sum(set(part) <= set(tests) for tests in ran.values()) == 1, part
    assert schedule.tests_finished
    assert not schedule.has_pending


def test_what_is_done_is_forgotten(schedule: Any) -> None:
    run_all(schedule)
    assert schedule.assigned_work == {node: {} for node in schedule.nodes}


def test_a_process_that_dies_leaves_what_it_had_to_the_others(schedule: Any) -> None:
    first, second = schedule.nodes
    first.done = 1
    schedule.mark_test_complete(first, first.given[0])
    assert schedule.remove_node(first) == TESTS[first.given[1]]
    ran = run_all(schedule)
    left = {TESTS[index] for index in first.given[1:]}
    assert left <= set(ran["second"])
    assert second.shutting_down

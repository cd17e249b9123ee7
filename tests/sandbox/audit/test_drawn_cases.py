"""Cases that a suite's generator makes for one audit: seeded, adapted, and no other package's burden."""

import asyncio
from typing import Any

import pytest

from sandbox.audit.drawn_cases import drawn_cases
from sandbox.errors import GuestFaultError, HostFaultError
from sandbox.interface import Source
from schemas.evidence.audit_plan import CaseDraw
from schemas.evidence.cases import Origin
from schemas.manifest import Manifest

SUITE = 'format = 1\nid = "moda/sums"\nkind = "suite"\nfamily = "short-number"\naudit = ["moda_sums:cases"]\n'


class Generators:
    """A sandbox that only makes cases."""

    def __init__(self, fault: Exception | None = None, row: dict[str, Any] | None = None) -> None:
        self.fault, self.row = fault, row

    def judge(self, source, calls, *, isolation=None):
        raise AssertionError("nothing is judged here")

    async def generate(self, source, entry, *, split, count, start=0, seed=0):
        if self.fault is not None:
            raise self.fault
        made = {"id": "x", "task": {"answer": seed}, "response": f"{entry} {split}", "label": "correct"}
        return [{**made, "id": f"c{index}", **self.changed(index)} for index in range(start, start + count)]

    def changed(self, index: int) -> dict[str, Any]:
        return self.row or {}


def draw(sandbox: Generators, tmp_path) -> list[Any]:
    source = Source("sha256:" + 64 * "0", tmp_path / "x.whl", Manifest.from_toml(SUITE))
    held = {"origin": Origin.HELD, "first_look": True}
    wish = CaseDraw(seed=7, count=3, adapt=lambda case: case.model_copy(update=held))
    return asyncio.run(drawn_cases(sandbox, [(source, wish)]))


def test_as_many_are_made_by_that_seed_as_the_hub_asks_for(tmp_path):
    found = draw(Generators(), tmp_path)
    assert [case.task for case in found] == [{"answer": 7}] * 3
    assert {case.origin for case in found} == {Origin.HELD}


def test_cases_that_do_not_depend_on_the_seed_are_no_first_look(tmp_path):
    """A friend's generator made the same cases for everybody, so a verifier knew by heart what the hub held."""
    fixed = Generators(row={"task": {"answer": 5}})
    assert [case.first_look for case in draw(fixed, tmp_path)] == [False] * 3
    assert [case.first_look for case in draw(Generators(), tmp_path)] == [True] * 3


class MostlyFixed(Generators):
    """Only the first forty depend on the seed, where its author expects a second look."""

    def changed(self, index: int) -> dict[str, Any]:
        return {} if index < 40 else {"task": {"answer": index}}


def test_a_second_look_looks_anywhere(tmp_path):
    source = Source("sha256:" + 64 * "0", tmp_path / "x.whl", Manifest.from_toml(SUITE))
    looks = []
    for seed in range(1000, 1010):
        wish = CaseDraw(seed=seed * 7919, count=300, adapt=lambda case: case.model_copy(update={"first_look": True}))
        looks.append(asyncio.run(drawn_cases(MostlyFixed(), [(source, wish)]))[0].first_look)
    assert looks.count(False) >= 8


@pytest.mark.parametrize(
    "sandbox", [Generators(fault=GuestFaultError("its code raised")), Generators(row={"label": "perhaps"})]
)
def test_a_suite_that_makes_no_sound_cases_costs_nobody_else_an_audit(sandbox, tmp_path):
    assert draw(sandbox, tmp_path) == []


def test_a_fault_of_the_sandbox_itself_is_not_the_suites(tmp_path):
    with pytest.raises(HostFaultError):
        draw(Generators(fault=HostFaultError("the engine is away")), tmp_path)


def test_a_case_without_its_task_is_left_out(tmp_path):
    assert draw(Generators(row={"task": None, "task_id": "elsewhere"}), tmp_path) == []


def test_a_generator_that_never_ends_is_left_at_its_time(tmp_path):
    """Each of its 300 calls may take ten minutes by its own manifest: other packages would wait for days."""

    class Endless(Generators):
        async def generate(self, *_args, **_options):
            await asyncio.Event().wait()

    source = Source("sha256:" + 64 * "0", tmp_path / "x.whl", Manifest.from_toml(SUITE))
    wish = CaseDraw(seed=7, count=3, adapt=lambda case: case)
    assert asyncio.run(drawn_cases(Endless(), [(source, wish)], seconds=0.01)) == []


def test_a_case_that_cannot_be_adapted_costs_nobody_else_an_audit(tmp_path):
    def refuse(case):
        raise ValueError("it is not sound")

    source = Source("sha256:" + 64 * "0", tmp_path / "x.whl", Manifest.from_toml(SUITE))
    assert asyncio.run(drawn_cases(Generators(), [(source, CaseDraw(seed=7, count=3, adapt=refuse))])) == []

"""A short soak at every level: what is there at its end is what was there when a tenth of it was done."""

import asyncio

import pytest

from sandbox.checks.benches.soak import Facts, Phase, flat, soak
from schemas.manifest import Isolation


@pytest.fixture(scope="module")
def phases() -> list[Phase]:
    return [
        *asyncio.run(soak(6000, 0, [Isolation.WORKER, Isolation.BATCH])),
        *asyncio.run(soak(300, 40, [Isolation.CALL])),
    ]


def grown_throughout(one: Phase) -> float:
    """Megabytes by which this process grew in each half at least. What leaks grows in both.

    A single step is none: in a process of 1.5 GB the allocator took 5 MB more at once, and nothing in the second half.
    """
    return min(one.middle.rss_mb - one.before.rss_mb, one.after.rss_mb - one.middle.rss_mb)


@pytest.mark.docker
@pytest.mark.slow
def test_calls_and_sessions_leave_nothing_behind(phases: list[Phase]) -> None:
    assert [one.name for one in phases] == ["worker", "batch", "call", "sessions"]
    for one in phases:
        assert grown_throughout(one) < 2, one
        assert one.after.descriptors - one.before.descriptors <= 8, one
        assert one.after.zombies <= one.before.zombies, one
        assert one.after.tasks - one.before.tasks <= 8, one
        assert one.after.containers <= 6, one
        assert one.after.disk_mb - one.before.disk_mb < 1, one
        if one.name != "worker":  # a worker's litter stays until it is replaced
            assert one.after.box_processes - one.before.box_processes <= 2, one
            assert one.after.box_memory_mb - one.before.box_memory_mb < 24, one


@pytest.mark.docker
@pytest.mark.slow
def test_what_a_soak_tells_is_flat_and_complete(phases: list[Phase]) -> None:
    figures = flat(phases)
    assert all(isinstance(value, (int, float)) for value in figures.values())
    for level in ("worker", "batch", "call", "sessions"):
        for what in ("rss_mb", "descriptors", "zombies", "containers", "disk_mb"):
            assert {f"{level}_{what}_{moment}" for moment in ("start", "middle", "end", "growth_per_100k")} <= set(
                figures
            )


@pytest.mark.parametrize(
    ("sizes", "is_a_leak"), [((1506, 1511, 1511), False), ((1506, 1506, 1511), False), ((50, 53, 56), True)]
)
def test_a_leak_grows_in_both_halves_and_a_step_of_the_allocator_in_one(
    sizes: tuple[int, ...], is_a_leak: bool
) -> None:
    facts = [Facts(float(size), 40, 0, 3, 2, 2, 20.0, 100.0) for size in sizes]
    assert (grown_throughout(Phase("call", 6000, 1.0, *facts)) >= 2) is is_a_leak


def test_growth_is_counted_for_a_hundred_thousand() -> None:
    before = Facts(50.0, 40, 0, 3, 2, 2, 20.0, 100.0)
    after = Facts(50.9, 40, 0, 3, 2, 2, 20.0, 100.0)
    one = Phase("call", 10_000, 1.0, before, before, after)
    assert one.growth("rss_mb") == pytest.approx(10.0)
    assert one.growth("descriptors") == 0

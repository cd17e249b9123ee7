"""The soak with poison: what counts as a changed verdict, and a small run of it over real boxes."""

import asyncio

import pytest

from sandbox.checks.benches import poison
from sandbox.checks.benches.poison import POISON, PoisonReport, programs
from schemas.verdict import ErrorKind, Verdict


def verdict(reward: float | None) -> Verdict:
    return (
        Verdict(rewards={"correct": reward})
        if reward is not None
        else Verdict.unjudged(["correct"], ErrorKind.HOST, "")
    )


@pytest.mark.parametrize(
    ("kind", "reward", "is_clean"),
    [
        ("right", 1.0, True),
        ("right", 0.0, False),
        ("right", None, False),
        ("wrong", 0.0, True),
        ("wrong", 1.0, False),
        ("poison: folder", 0.0, True),
        ("poison: folder", None, True),
        ("poison: folder", 1.0, False),
    ],
)
def test_what_a_verdict_says_of_the_run(kind: str, reward: float | None, is_clean: bool) -> None:
    report = PoisonReport()
    poison._count(report, kind, verdict(reward))
    assert report.is_clean is is_clean
    assert bool(report.first) is not is_clean


def test_every_kind_comes_and_the_same_seed_gives_the_same_programs() -> None:
    made = list(programs(5000, 0.3, 1))
    assert made == list(programs(5000, 0.3, 1))
    assert {kind for kind, _ in made} == {"right", "wrong", *(f"poison: {name}" for name in POISON)}
    for _, program in made:
        compile(program, "program", "exec")


@pytest.mark.docker
@pytest.mark.slow
def test_no_verdict_of_a_hundred_programs_changes() -> None:
    report = asyncio.run(poison.run(100, 0.3, 2))
    assert report.programs == 100
    assert report.poison > 10
    assert (report.changed, report.masked, report.rewarded) == (0, 0, 0), report.first

"""What is tried from inside calls and solutions, ten attempts in a row in the same boxes.

After each attempt the next calls must be right; after ten of them calls and solutions write, fork, and find the limits
of a fresh box. ``python -m sandbox attack`` looks after every attempt, and tries every session and package.
"""

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.attempt import HOST, Attempt
from sandbox.checks.attacks.in_solutions import SOLUTIONS
from sandbox.checks.attacks.next_calls import next_calls_problem, remember_fresh_boxes
from sandbox.checks.attacks.runner import ATTEMPTS, run_attempt
from sandbox.interface import Source

pytestmark = pytest.mark.docker

_IN_A_ROW = 10


@pytest.fixture(scope="module")
def attacked(docker_sandbox: BlockingSandbox, tmp_path_factory: pytest.TempPathFactory) -> Source:
    source = HOST.source(tmp_path_factory.mktemp("attacked"))
    docker_sandbox.run(remember_fresh_boxes(docker_sandbox.inner, source))
    return source


def rows(attempts: list[Attempt]) -> list[list[Attempt]]:
    return [attempts[start : start + _IN_A_ROW] for start in range(0, len(attempts), _IN_A_ROW)]


@pytest.mark.parametrize("attempts", rows(ATTEMPTS), ids=lambda row: f"{row[0].name}-to-{row[-1].name}")
def test_attempts_end_safely_and_the_next_calls_are_right(
    docker_sandbox: BlockingSandbox, attacked: Source, attempts: list[Attempt]
) -> None:
    problems = {}
    for attempt in attempts:
        outcome = docker_sandbox.run(run_attempt(docker_sandbox.inner, attacked, attempt, looks=False))
        if outcome.problem:
            problems[attempt.name] = outcome.problem
    assert problems == {}
    assert docker_sandbox.run(next_calls_problem(docker_sandbox.inner, attacked)) == ""


def test_names_of_attempts_are_unique() -> None:
    names = [attempt.name for attempt in ATTEMPTS]
    assert len(names) == len(set(names))


def test_solutions_try_what_calls_try() -> None:
    assert len(SOLUTIONS) >= 60

"""The check on the calls after an attempt notices what an attempt may leave."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks import next_calls
from sandbox.checks.attacks.attempt import HOST
from sandbox.interface import Source

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Source:
    folder: Path = tmp_path_factory.mktemp("attacked")
    return HOST.source(folder)


@pytest.fixture
def fresh(docker_sandbox: BlockingSandbox, attacked: Source) -> Iterator[dict]:
    """What calls found at first, for a test to say that it was something else."""
    next_calls._fresh.pop(docker_sandbox.inner, None)
    docker_sandbox.run(next_calls.remember_fresh_boxes(docker_sandbox.inner, attacked))
    yield next_calls._fresh[docker_sandbox.inner][attacked.python]
    del next_calls._fresh[docker_sandbox.inner]


def problem(sandbox: BlockingSandbox, source: Source) -> str:
    return sandbox.run(next_calls.next_calls_problem(sandbox.inner, source))


def test_fresh_boxes_are_all_alike(docker_sandbox: BlockingSandbox, attacked: Source, fresh: dict) -> None:
    assert fresh["call"]["written"] == fresh["solution"][0]["written"] == 100_000
    assert fresh["call"]["forked"] == fresh["solution"][0]["forked"] == 7
    assert problem(docker_sandbox, attacked) == ""


def test_each_difference_is_named(docker_sandbox: BlockingSandbox, attacked: Source, fresh: dict) -> None:
    assert {"interpreter", "timers", "settings", "signals", "scheduled"} <= fresh["call"].keys()
    fresh["call"] = dict.fromkeys(fresh["call"], "something else")
    found = problem(docker_sandbox, attacked)
    assert [name for name in fresh["call"] if f"call: {name}" not in found] == []


def test_a_difference_in_solutions_is_named(docker_sandbox: BlockingSandbox, attacked: Source, fresh: dict) -> None:
    fresh["solution"][0]["processors"] = [99]
    assert "solution: processors" in problem(docker_sandbox, attacked)


def test_boxes_are_compared_with_fresh_ones_of_their_own_python(
    docker_sandbox: BlockingSandbox, attacked: Source, fresh: dict
) -> None:
    """Python 3.13 collects garbage by other thresholds: attempts on it once made those on 3.11 fail that came later."""
    next_calls._fresh[docker_sandbox.inner]["3.13"] = {**fresh, "call": {"interpreter": "another"}}
    assert problem(docker_sandbox, attacked) == ""

"""Boxes with the Python that a package asks for. The base with 3.13 is made once a machine, like that with 3.11."""

from pathlib import Path

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.runner import run_attempts
from sandbox.checks.conformance import run_checks
from sandbox.checks.samples import Sample
from tests.sandbox.conftest import judge_one

pytestmark = pytest.mark.docker

NEWER = Sample(
    """
    import sys
    from sandbox.guest import run_solution

    type Pair[T] = tuple[T, T]                       # syntax of 3.12

    def first[T = int](pair: Pair[T]) -> T:          # and of 3.13
        return pair[0]

    def verify(task, response, info):
        code = "import sys\\ntype A = int\\ndef f():\\n    return list(sys.version_info[:2])\\n"
        [result] = run_solution(code=code, entry="f", calls=[[]]).results
        info["pythons"] = [list(sys.version_info[:2]), result["value"]]
        return {"correct": float(first((response, "")) == "2")}
    """,
    name="newer",
    requires_python=">=3.13",
)


def test_a_package_of_a_newer_python_and_its_solutions_run_on_that_python(
    docker_sandbox: BlockingSandbox, tmp_path: Path
) -> None:
    verdict = judge_one(docker_sandbox, NEWER.source(tmp_path), "2")
    assert (verdict.rewards, verdict.info) == ({"correct": 1.0}, {"pythons": [[3, 13], [3, 13]]}), verdict


@pytest.mark.parametrize("name", ["judges_at_every_level", "ends_a_call_in_time", "holds_sessions"])
def test_a_newer_python_conforms(docker_sandbox: BlockingSandbox, name: str) -> None:
    async def run() -> list[str]:
        return [outcome.problem async for outcome in run_checks(docker_sandbox.inner, name, "3.13", 1.0)]

    assert docker_sandbox.run(run()) == [""]


@pytest.mark.parametrize("name", ["fork-bomb", "leaked-descriptors", "zygote-memory", "earlier-answers", "rare-calls"])
def test_an_attempt_ends_safely_on_a_newer_python(docker_sandbox: BlockingSandbox, name: str) -> None:
    """Those that rest most on the interpreter and the C library; ``python -m sandbox attack --python 3.13`` runs all."""

    async def run() -> list[str]:
        return [outcome.problem async for outcome in run_attempts(docker_sandbox.inner, name, "3.13")]

    problems = docker_sandbox.run(run())
    assert problems
    assert not any(problems), problems

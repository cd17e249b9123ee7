import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.graders import EXAM, NAIVE, SOLUTION_BOX
from sandbox.checks.attacks.hacks import HACKS, RIGHT, WRONG
from sandbox.checks.samples import Sample
from sandbox.interface import Call, Source

pytestmark = pytest.mark.docker

Fooled = dict[str, set[str]]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Source]:
    folder = tmp_path_factory.mktemp("graders")
    samples: dict[str, Sample] = {"solution box": SOLUTION_BOX, **NAIVE}
    return {name: sample.source(folder) for name, sample in samples.items()}


def accepted(sandbox: BlockingSandbox, source: Source, programs: dict[str, str]) -> set[str]:
    calls = [Call(name, EXAM, response=code) for name, code in programs.items()]
    return {name for name, verdict in sandbox.score(source, calls) if verdict.rewards["correct"] == 1.0}


def test_there_are_at_least_thirty_hacks() -> None:
    assert len(HACKS) >= 30


def test_no_hack_fools_a_grader_that_uses_a_solution_box(
    docker_sandbox: BlockingSandbox, sources: dict[str, Source]
) -> None:
    programs = {**HACKS, "the right one": RIGHT, "the wrong one": WRONG}
    assert accepted(docker_sandbox, sources["solution box"], programs) == {"the right one"}


@pytest.mark.parametrize("grader", NAIVE)
def test_usual_graders_are_right_about_honest_answers_and_fooled_by_hacks(
    docker_sandbox: BlockingSandbox, sources: dict[str, Source], grader: str
) -> None:
    programs = {**HACKS, "the right one": RIGHT, "the wrong one": WRONG}
    took = accepted(docker_sandbox, sources[grader], programs)
    assert "the right one" in took
    assert "the wrong one" not in took
    assert len(took) > 5, f"only {took}: is this grader as naive as its name says?"

import pytest

from sandbox.attacks.attempt import HOST, Attempt
from sandbox.attacks.running import ATTEMPTS, run_attempt
from sandbox.blocking import BlockingSandbox
from sandbox.interface import Source

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return HOST.source(tmp_path_factory.mktemp("attacked"))


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: f"{attempt.row}-{attempt.name}")
def test_an_attempt_ends_safely_and_the_next_call_is_right(
    docker_sandbox: BlockingSandbox, attacked: Source, attempt: Attempt
) -> None:
    outcome = docker_sandbox.run(run_attempt(docker_sandbox.inner, attacked, attempt))
    assert outcome.problem == ""


def test_names_of_attempts_are_unique() -> None:
    names = [attempt.name for attempt in ATTEMPTS]
    assert len(names) == len(set(names))

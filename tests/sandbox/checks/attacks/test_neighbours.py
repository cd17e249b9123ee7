"""What one package holds and another looks for at the same time, in boxes of this machine's engine."""

from dataclasses import replace

import pytest

from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks import neighbours
from sandbox.checks.attacks.neighbours import NEIGHBOURS

LOCKS = NEIGHBOURS[0]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that does nothing else both overlap in half a second."""
    monkeypatch.setattr(neighbours, "_HOLD_SECONDS", 1.0)
    monkeypatch.setattr(neighbours, "_LOOK_SECONDS", 0.5)


@pytest.mark.docker
def test_no_box_sees_a_lock_of_another_packages_box(docker_sandbox: BlockingSandbox) -> None:
    assert LOCKS.name == "neighbour-locks-of-one-machine"
    assert docker_sandbox.run(LOCKS.problem(docker_sandbox.inner)) == ""


@pytest.mark.docker
@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"look": "seen.add('a lock')"}, "it saw ['a lock']"),
        ({"hold": "raise ValueError"}, "it was not tried"),
        ({"look": "raise ValueError"}, "it was not tried"),
    ],
)
def test_what_is_seen_or_cannot_be_tried_is_told(
    docker_sandbox: BlockingSandbox, changes: dict[str, str], problem: str
) -> None:
    attempt = replace(LOCKS, **{"hold": "pass", "look": "pass", **changes})
    assert docker_sandbox.run(attempt.problem(docker_sandbox.inner)).startswith(problem)

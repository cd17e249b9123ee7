"""Packages that take over the guest while they are imported. A part of what ``python -m sandbox attack`` tries."""

from collections.abc import Iterator

import pytest

from sandbox.backends import make_backend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.attacks.by_packages import PACKAGES
from sandbox.settings import SandboxSettings

pytestmark = [pytest.mark.docker, pytest.mark.slow]

TRIED = (
    "package-ready-as-a-list",
    "package-ready-with-1e999",
    "package-ready-too-early",
    "package-failed-through-the-host",
    "package-failed-with-half-a-pair",
    "package-sent-back",
    "package-no-such-status",
    "package-a-reply-of-1000-levels",
    "package-requests-for-ever",
    "package-threads-in-the-zygote",
    "package-handlers-and-alarms",
)
"""One of each kind; the others differ in what they send."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[BlockingSandbox]:
    settings = SandboxSettings(replay_fraction=0.0, boxes_per_package=1, grace_seconds=10.0)
    with BlockingSandbox(make_backend("docker", settings), settings) as sandbox:
        yield sandbox


@pytest.mark.parametrize("name", TRIED)
def test_a_package_that_takes_over_the_guest_harms_itself_only(sandbox: BlockingSandbox, name: str) -> None:
    [attempt] = [one for one in PACKAGES if one.name == name]
    assert sandbox.run(attempt.problem(sandbox.inner)) == ""

"""What the tests of benchmarks share."""

import pytest

from tests.hub_server.evaluations.ladders import publish_bench
from tests.making.action_driver import ActionDriver


@pytest.fixture
def bench(driver: ActionDriver) -> ActionDriver:
    """A driver with a benchmark of six tasks."""
    return publish_bench(driver)

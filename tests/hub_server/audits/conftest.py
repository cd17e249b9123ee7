"""What the tests of audits share."""

import pytest

from tests.hub_server.audits.judged import publish
from tests.making.action_driver import ActionDriver


@pytest.fixture
def hedging(driver: ActionDriver) -> ActionDriver:
    """A driver with alice/small-sums 1.0.0, which accepts a hedge."""
    return publish(driver)

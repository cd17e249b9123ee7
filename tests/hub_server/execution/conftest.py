"""What execution's tests share."""

import pytest

from tests.hub_server.execution.played import publish_all
from tests.making.action_driver import ActionDriver


@pytest.fixture
def playable(driver: ActionDriver) -> ActionDriver:
    """A driver with everything that can be executed."""
    return publish_all(driver)

"""What tests of several actions begin with."""

import pytest

from tests.making.action_driver import ActionDriver
from tests.making.team import NAMES


@pytest.fixture
def team(driver: ActionDriver) -> ActionDriver:
    """ann owns it, ben is a member, cleo is not in it."""
    for name in NAMES:
        driver.person(name)
    driver.organization("team", ann="owner", ben="member")
    return driver

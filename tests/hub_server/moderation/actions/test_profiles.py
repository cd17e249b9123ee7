"""Hiding what an owner says of itself: with a reason, or not at all."""

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.moderation import actions
from tests.making.action_driver import ActionDriver


@pytest.mark.parametrize("act", [actions.hide_profile, actions.show_profile])
def test_it_needs_a_reason(driver: ActionDriver, act) -> None:
    moda = driver.person("moda", is_moderator=True)
    driver.person("ann")
    if act is actions.show_profile:
        driver.do(moda, actions.hide_profile, "ann", "an advert")
    with pytest.raises(InvalidRequestError, match="needs a reason"):
        driver.do(moda, act, "ann", "  ")

"""Runs are compared two to four at a time, and a run that is named twice is one."""

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.runs import actions
from schemas.run import RunCreate
from tests.making.action_driver import ActionDriver


def test_two_to_four_different_runs_in_the_order_that_was_asked_for(driver: ActionDriver) -> None:
    alice = driver.person("alice")
    ids = [driver.do(alice, actions.create_run, RunCreate(name=f"r{number}")).id for number in range(5)]
    found = driver.ask(None, actions.compare_runs, [ids[1], ids[0], ids[1]])
    assert [one.id for one in found.runs] == [ids[1], ids[0]]
    for wrong in ([ids[0], ids[0]], ids):
        with pytest.raises(InvalidRequestError, match="Two to 4"):
            driver.ask(None, actions.compare_runs, wrong)

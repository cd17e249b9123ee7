"""A running run that is silent for an hour is called stale; one that ended never is."""

from datetime import timedelta

import pytest

from hub_server.runs.rules.stale import SILENT_FOR, is_stale
from tests.hub_server.site import samples


@pytest.mark.parametrize(("state", "is_silent"), [("running", True), ("finished", False), ("failed", False)])
def test_only_a_run_that_says_it_is_running_goes_stale(state: str, is_silent: bool) -> None:
    run = samples.run(state=state)
    assert is_stale(run, run.updated_at + SILENT_FOR + timedelta(seconds=1)) is is_silent
    assert not is_stale(run, run.updated_at + SILENT_FOR)

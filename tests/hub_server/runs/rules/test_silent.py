"""A run that claims to run and has sent nothing for an hour is called silent; one that ended never is."""

from datetime import timedelta

import pytest

from hub_server.runs.rules.silent import SILENT_FOR, is_silent
from tests.hub_server.site import samples


@pytest.mark.parametrize(("state", "wanted"), [("running", True), ("finished", False), ("failed", False)])
def test_only_a_run_that_says_it_is_running_is_silent(state: str, wanted: bool) -> None:
    run = samples.run(state=state)
    assert is_silent(run, run.updated_at + SILENT_FOR + timedelta(seconds=1)) is wanted
    assert not is_silent(run, run.updated_at + SILENT_FOR)

"""Where packages run: here where a sandbox can be had, on the hub where it may be, and never elsewhere than asked."""

import pytest

from hub_client.errors import SandboxMissingError
from hub_client.execution import place
from hub_client.execution.on_hub import HubRunner
from hub_client.settings import ClientSettings, Place


@pytest.fixture
def choose(monkeypatch):
    """``choose(run_at, offline)`` on a machine with a sandbox (``here``) or without one."""

    def make(run_at, *, offline=False, here=True):
        def open_local(settings, cache):
            if not here:
                raise SandboxMissingError("start Docker")
            return "here"

        monkeypatch.setattr(place, "open_local", open_local)
        settings = ClientSettings(url="http://hub.example", run_at=run_at, offline=offline)
        return place.choose_runner(settings, None, None, lambda: None)

    return make


def test_auto_takes_this_machine_and_else_the_hub(choose) -> None:
    assert choose(Place.AUTO) == "here"
    assert isinstance(choose(Place.AUTO, here=False), HubRunner)


def test_the_hub_is_asked_for_and_no_sandbox_is_opened(choose) -> None:
    assert isinstance(choose(Place.HUB, here=False), HubRunner)


@pytest.mark.parametrize(("run_at", "offline"), [(Place.HERE, False), (Place.AUTO, True)])
def test_where_the_hub_may_not_run_it_the_missing_sandbox_is_said(choose, run_at, offline) -> None:
    with pytest.raises(SandboxMissingError, match="start Docker"):
        choose(run_at, offline=offline, here=False)

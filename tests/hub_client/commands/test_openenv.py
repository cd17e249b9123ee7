"""Serving to OpenEnv's clients: what is missing is named, and who could reach it is said."""

import sys
from types import ModuleType

import pytest

from schemas.extras import how_to_install
from tests.making.wheel import make_wheel


@pytest.fixture
def served(scripted, monkeypatch):
    """Stands in for OpenEnv's server: what was made, and where it listens."""
    scripted.add(make_wheel())
    found = {}
    adapter, uvicorn = ModuleType("adapter"), ModuleType("uvicorn")
    adapter.make_app = lambda env, **more: found.update(env=env, **more) or "app"
    uvicorn.run = lambda app, **more: found.update(app=app, **more)
    monkeypatch.setitem(sys.modules, "hub_client.adapters.openenv", adapter)
    monkeypatch.setitem(sys.modules, "uvicorn", uvicorn)
    return found


def test_it_listens_on_this_machine_alone_unless_told_otherwise(verihub, served):
    said = verihub("openenv", "alice/small-sums")
    assert (said.code, served["host"], served["port"]) == (0, "127.0.0.1", 8000)
    assert "ws://127.0.0.1:8000/ws" in said.err
    assert "token" not in said.err
    assert type(served["app"]).__name__ == "HostCheck"
    assert (served["split"], served["sessions"]) == (None, 64)


def test_who_opens_it_to_others_is_warned(verihub, served):
    said = verihub("openenv", "alice/small-sums", "--host", "0.0.0.0")
    assert "nobody is asked for a token here" in said.err


def test_no_client_at_all_makes_no_server(verihub, served):
    assert verihub("openenv", "alice/small-sums", "--sessions", "0").code == 2
    assert served == {}


@pytest.mark.parametrize("missing", ["hub_client.adapters.openenv", "uvicorn"])
def test_what_is_not_installed_is_named_before_the_hub_is_asked(verihub, scripted, served, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    said = verihub("openenv", "alice/small-sums")
    assert (said.code, scripted.asked) == (2, [])
    assert f"needs {missing}: {how_to_install('openenv')}" in said.err

"""An engine that takes connections and never answers holds neither a scrape nor the readiness of a hub."""

import math
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from hub_server.app import create_app
from hub_server.kernel import looks
from hub_server.ops import sandbox_state
from hub_server.ops.sandbox_state import SandboxState
from tests.making.action_driver import ActionDriver
from tests.making.altered_library import alter_library
from tests.making.hub import Api
from tests.making.mute_engine import mute_engine

LIMIT_SECONDS = 0.3


def test_an_engine_that_never_answers_is_not_known_to_a_scrape_that_ends_soon(
    driver: ActionDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_state, "PATIENCE_SECONDS", LIMIT_SECONDS)
    with mute_engine(tmp_path, monkeypatch) as executor:
        api = Api(create_app(replace(driver.services, executor=executor)))
        texts = [api.metrics() for _ in range(3)]
    for text in texts:  # not 0: whoever had waited for the engine's own timeout would know that it is away
        assert 'verihub_sandbox_available{part="sandbox"} NaN' in text
        assert "verihub_jobs" in text


def test_a_hub_whose_engine_hangs_is_ready(
    driver: ActionDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_state, "PATIENCE_SECONDS", LIMIT_SECONDS)
    with mute_engine(tmp_path, monkeypatch) as executor:
        api = Api(create_app(replace(driver.services, executor=executor)))
        answer = api.get("/readyz")
    assert (answer.status_code, answer.json()["ready"]) == (200, True)
    assert answer.json()["sandbox"] == "unknown: its engine has not answered within 0.3 seconds"


def test_what_answers_is_told(driver: ActionDriver) -> None:
    state = SandboxState(driver.services)
    assert (state.describe(), state.gauge()) == ("ok", 1.0)
    driver.executor.reason = "no engine"
    assert (state.describe(), state.gauge()) == ("no engine", 0.0)


def test_a_process_without_a_thread_does_not_know(driver: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    state = SandboxState(driver.services)
    with monkeypatch.context() as patched:
        alter_library(patched, looks, "threading", Thread=Full)
        assert math.isnan(state.gauge())
    assert state.gauge() == 1.0

"""A counter-example that a busy hub does not judge in time: it is taken, and the worker judges it."""

from pathlib import Path
from typing import Any

import pytest

from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from tests.fakes.executor import FakeExecutor
from tests.hub_server.audits.actions.test_cases import GENERATED
from tests.making.hub import Api, make_package, run_jobs

CASE = {"id": "h1", "task_id": "t1", "response": "2", "label": "incorrect"}


@pytest.fixture
def settings(usual_settings: ServerSettings, tmp_path: Path) -> ServerSettings:
    """Nobody waits for a verdict."""
    execution = usual_settings.execution.model_copy(update={"case_seconds": 0.01})
    return usual_settings.model_copy(update={"data": tmp_path / "data", "execution": execution})


@pytest.mark.parametrize(
    ("manifest", "case", "answer"),
    [({}, CASE, 2), ({"manifest": GENERATED}, CASE | {"task_id": "test-4-2", "response": "6"}, 6)],
    ids=["stored", "generated"],
)
def test_a_case_is_taken_with_its_task_and_judged_later(  # noqa: PLR0917 -- pytest fills them by name
    alice: Api,
    bob: Api,
    services: Services,
    executor: FakeExecutor,
    clock: Any,
    manifest: dict[str, str],
    case: dict[str, str],
    answer: int,
) -> None:
    """It was waited for without an end, and every client had given up by then."""
    assert alice.publish(make_package("alice/made", **manifest)).status_code == 201
    run_jobs(services)
    executor.is_stuck = True
    taken = bob.post("/api/v1/packages/alice/made/releases/1.0.0/cases", json=case)
    assert (taken.status_code, taken.json()["state"]) == (201, "open"), taken.text
    assert taken.json()["case"]["task"]["answer"] == answer
    assert "busy" in taken.json()["error"]
    clock.advance(60)
    run_jobs(services)
    assert alice.get(f"/api/v1/packages/alice/made/cases/{taken.json()['id']}").json()["state"] == "reproduced"

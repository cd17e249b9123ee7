"""The run of an evaluation: made once, found again, never doubled, whatever its folder holds."""

import json
from types import SimpleNamespace

import pytest

from hub_client.errors import HubUnreachableError, NotFoundError
from hub_client.evaluation.hub_run import EvaluationRun
from schemas.run import RunState


class Hub:
    """A hub that remembers its runs and what it was told of them."""

    url = "http://hub.example"

    def __init__(self):
        self.made, self.told, self.is_away = [], [], False
        self.runs = self

    def create(self, request):
        self.made.append(request)
        return SimpleNamespace(id=f"run-{len(self.made)}")

    def get(self, run_id):
        if run_id not in {f"run-{number + 1}" for number in range(len(self.made))}:
            raise NotFoundError("no such run")

    def update(self, run_id, change):
        if self.is_away:
            raise HubUnreachableError("away")
        self.told.append((run_id, change))


TARGET = SimpleNamespace(
    reference="alice/maze@1.0.0", package="alice/maze", version="1.0.0", digest="sha256:" + "0" * 64
)


@pytest.fixture
def hub():
    return Hub()


def run_of(hub, folder):
    return EvaluationRun(hub, folder, TARGET, "models/tiny", [], {"samples": 1})


def test_nothing_is_made_before_it_is_opened_and_then_once(hub, tmp_path):
    run = run_of(hub, tmp_path / "out")
    assert (run.is_open, hub.made, (tmp_path / "out").exists()) == (False, [], False)
    run.open()
    run.open()
    assert (len(hub.made), run.url) == (1, "http://hub.example/runs/run-1")
    assert hub.made[0].name == "eval-alice-maze-tiny"


def test_the_next_command_finds_it_again(hub, tmp_path):
    run_of(hub, tmp_path).open()
    run_of(hub, tmp_path).open()
    assert len(hub.made) == 1
    assert [run_id for run_id, _ in hub.told] == ["run-1"]


def test_a_run_that_the_hub_no_longer_has_is_made_anew_and_everything_sent_again(hub, tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"hub": hub.url, "target": TARGET.reference, "run": "gone"}))
    (tmp_path / "sent.txt").write_text("a\nb\n")
    run_of(hub, tmp_path).open()
    assert (len(hub.made), (tmp_path / "sent.txt").exists()) == (1, False)


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "null", '{"hub": "http://other", "run": "run-1"}'])
def test_a_damaged_or_foreign_note_is_no_run_of_ours(hub, tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    run_of(hub, tmp_path).open()
    assert len(hub.made) == 1
    assert json.loads((tmp_path / "run.json").read_text())["run"] == "run-1"


def test_a_hub_that_is_away_keeps_nobody_from_hearing_the_reason(hub, tmp_path):
    run = run_of(hub, tmp_path)
    run.open()
    hub.is_away = True
    run.note_stop("x" * 10_000)
    hub.is_away = False
    run.note_stop("x" * 10_000)
    assert len(hub.told[-1][1].note) == 2000


def test_a_run_that_its_owner_stopped_is_no_longer_running_there(hub, tmp_path):
    run = run_of(hub, tmp_path)
    run.open()
    run.note_stop("by its owner", RunState.STOPPED)
    assert (hub.told[-1][1].state, hub.told[-1][1].note) == (RunState.STOPPED, "Stopped: by its owner")
    run.note_stop("the endpoint is away")
    assert hub.told[-1][1].state is None

"""Of a run that was killed, its hub gets what its files hold and it does not have, each row once."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hub_client.errors import CheckFailedError, HubUnreachableError, UsageError
from hub_client.killed_runs import METRICS, ROWS, TOLD, ToldRun, send_rest
from hub_client.unsent_reports import RunMessage
from schemas.run import MetricPoint, RolloutRow, RunCreate
from tests.fakes.runs import FakeRuns


class Hub(FakeRuns):
    """Also says what it has."""

    def stored_points(self, _run_id):
        return list({point.step: point for point in self.points}.values())

    def stored_rollouts(self, _run_id):
        return [row.model_copy(update={"id": number}) for number, row in enumerate(self.rows)]


def nobody(_done, _total):
    """Progress that nobody watches."""


def row(step: int, response: str = "r") -> RolloutRow:
    return RolloutRow(step=step, task_id="t", response=response, rewards={"a": 0.1, "b": None}, prompt="p")


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Three steps; the last line of each file is cut off, as by kill -9."""
    told = ToldRun(tmp_path)
    told.began(RunMessage("create", RunCreate(name="x"), "k1"))
    told.close()
    points = [MetricPoint(step=step, values={"reward": step / 3}) for step in (1, 2, 3)]
    rows = [row(1), row(1), row(2), row(3, "a\x00b")]
    for name, lines in ((METRICS, points), (ROWS, rows)):
        (tmp_path / name).write_text("".join(f"{line.model_dump_json()}\n" for line in lines) + '{"step": 4, "va')
    return tmp_path


def test_a_run_that_the_hub_never_heard_of_is_sent_whole_and_once(killed: Path) -> None:
    hub = Hub()
    sent = send_rest(killed, hub, nobody)
    assert (sent.run_id, sent.points, sent.rollouts, sent.refused) == ("run-1", 3, 4, [])
    again = send_rest(killed, hub, nobody)
    assert (again.run_id, again.points, again.rollouts, again.reports) == ("run-1", 0, 0, 0)
    assert ([point.step for point in hub.points], len(hub.rows), len(hub.created)) == ([1, 2, 3], 4, 1)


def test_only_what_the_hub_does_not_have_is_sent(killed: Path) -> None:
    """Two equal rows are two rows: the hub has one of them."""
    hub = Hub()
    hub.points, hub.rows = [MetricPoint(step=2, values={"reward": 2 / 3})], [row(1), row(2)]
    with (killed / TOLD).open("a") as file:
        file.write(json.dumps({"run": "run-1"}) + "\n")
    sent = send_rest(killed, hub, nobody)
    assert (sent.points, sent.rollouts, hub.created) == (2, 2, [])
    assert sorted(one.step for one in hub.rows) == [1, 1, 2, 3]
    assert sorted(point.step for point in hub.points) == [1, 2, 3]


def test_what_a_hub_keeps_otherwise_is_sent_once(killed: Path) -> None:
    """It keeps U+FFFD for NUL. A text that holds the escape's own six characters is another one."""

    class Keeping(Hub):
        def rollouts(self, run_id, rows):
            super().rollouts(
                run_id, [row.model_copy(update={"response": row.response.replace("\0", "\ufffd")}) for row in rows]
            )

    hub = Keeping()
    with (killed / ROWS).open("a") as file:
        file.write("\n" + json.dumps(row(3, r"a\u0000b").model_dump(mode="json")) + "\n")
    assert send_rest(killed, hub, nobody).rollouts == 5
    assert send_rest(killed, hub, nobody).rollouts == 0


def test_half_of_a_surrogate_pair_keeps_no_other_row_from_the_hub(killed: Path) -> None:
    """A policy may write one; JSON holds it as an escape, and UTF-8 cannot."""
    hub = Hub()
    with (killed / ROWS).open("a") as file:
        file.write("\n" + json.dumps(row(4).model_dump(mode="json") | {"response": "a\ud800b\u2028"}) + "\n")
    assert send_rest(killed, hub, nobody).rollouts == 5
    assert hub.rows[-1].response == "a?b\u2028"
    assert send_rest(killed, hub, nobody).rollouts == 0


def test_what_the_hub_refuses_is_told_and_what_it_does_not_answer_is_raised(killed: Path) -> None:
    class Full(Hub):
        def rollouts(self, run_id, rows):
            raise CheckFailedError("no room")

    sent = send_rest(killed, Full(), nobody)
    assert (sent.points, sent.rollouts, sent.refused) == (3, 0, ["rollouts.jsonl: no room"])

    class Away(Hub):
        def log(self, run_id, points):
            raise HubUnreachableError("gone")

    with pytest.raises(HubUnreachableError):
        send_rest(killed, Away(), nobody)


@pytest.mark.parametrize(
    "text",
    ["", "[]\n", '{"run": "r1"}\n', '{"create": {"name": ""}}\n', '{"create": {"name": "x"}, "key": 3}\n', "\x00"],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / TOLD).write_text(text)
    with pytest.raises(UsageError, match="is this the folder of a run"):
        send_rest(tmp_path, Hub(), nobody)


def test_of_two_runs_in_one_folder_the_last_is_meant(killed: Path) -> None:
    with (killed / TOLD).open("a") as file:
        file.write(json.dumps({"run": "old"}) + "\n" + json.dumps({"create": {"name": "second"}, "key": "k2"}) + "\n")
    hub = Hub()
    assert send_rest(killed, hub, nobody).run_id == "run-1"
    assert [run.name for run in hub.created] == ["second"]


def test_a_run_that_goes_on_is_left_alone_until_it_is_killed(killed: Path) -> None:
    """It sends its reports itself: both at once would send each row twice."""
    code = (
        "import sys, time; from pathlib import Path; from hub_client.killed_runs import ToldRun\n"
        "told = ToldRun(Path(sys.argv[1])); print('held', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", code, str(killed)]
    root = {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=root) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="still goes on"):
            send_rest(killed, Hub(), nobody)
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert send_rest(killed, Hub(), nobody).points == 3


def test_a_folder_that_cannot_be_written_to_costs_the_note_alone(tmp_path: Path) -> None:
    told = ToldRun(tmp_path / "none")
    told.began(RunMessage("create", RunCreate(name="x")))
    told.is_known_as("r1")
    told.close()
    (tmp_path / TOLD).symlink_to("/dev/full")
    full = ToldRun(tmp_path)
    full.began(RunMessage("create", RunCreate(name="x")))
    full.close()
    with pytest.raises(UsageError, match="cannot be read"):
        send_rest(tmp_path / "none", SimpleNamespace(), nobody)

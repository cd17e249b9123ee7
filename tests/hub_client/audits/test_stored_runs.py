"""A run's folder is read as strangers' bytes are: whole, or refused with the line that is wrong."""

import json

import pytest

from hub_client.audits.stored_runs import MOST_BYTES, StoredRun, environments_of, find_tasks, read_run
from hub_client.errors import IntegrityError, UsageError
from schemas.run import PinnedPackage, RolloutRow
from tests.hub_client.test_environments import GENERATED, environment

PIN = {"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:0"}
ROW = {"step": 0, "task_id": "t1", "response": "2", "rewards": {"correct": 1.0}}


def write_run(folder, lines, receipt=None):
    (folder / "receipt.json").write_text(json.dumps(receipt or {"packages": [PIN], "settings": {"seed": 7}}))
    (folder / "rollouts.jsonl").write_text("".join(lines))
    return folder


def test_a_folder_is_read_with_its_pins_and_its_seed(tmp_path):
    found = read_run(write_run(tmp_path, [json.dumps(ROW) + "\n"] * 3))
    assert (len(found.rollouts), found.seed, found.packages[0].package) == (3, 7, "alice/small-sums")
    assert found.package_of(found.rollouts[0]) == "alice/small-sums", "a run on one package need not name it"


def test_a_line_that_a_kill_cut_off_is_left_out_and_any_other_is_named(tmp_path):
    line = json.dumps(ROW) + "\n"
    assert len(read_run(write_run(tmp_path, [line, line[:20]])).rollouts) == 1
    with pytest.raises(UsageError, match="line 1: this is no rollout"):
        read_run(write_run(tmp_path, [line[:20] + "\n", line]))


@pytest.mark.parametrize(
    "line", ["[]", "null", '{"step": 1e999}', "[" * 5000, json.dumps(ROW | {"rewards": {"correct": "x"}})], ids=range(5)
)
def test_a_line_that_is_no_rollout_is_refused(tmp_path, line):
    with pytest.raises(UsageError, match="line 1"):
        read_run(write_run(tmp_path, [line + "\n", json.dumps(ROW) + "\n"]))


@pytest.mark.parametrize(
    "receipt", ["[]", "{}", '{"packages": 5, "settings": {}}', '{"packages": [], "settings": []}', "{", "NaN"]
)
def test_what_is_no_receipt_is_refused(tmp_path, receipt):
    (tmp_path / "receipt.json").write_text(receipt)
    (tmp_path / "rollouts.jsonl").write_text("")
    with pytest.raises(UsageError, match="no receipt of a run"):
        read_run(tmp_path)


def test_a_folder_without_its_files_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"receipt\.json cannot be read"):
        read_run(tmp_path)
    (tmp_path / "receipt.json").write_text(json.dumps({"packages": [PIN], "settings": {"seed": True}}))
    with pytest.raises(UsageError, match=r"rollouts\.jsonl cannot be read"):
        read_run(tmp_path)


class OneHub:
    """Has one environment, whatever it is asked for."""

    def __init__(self, found):
        self.found, self.asked = found, []

    def environment(self, target):
        self.asked.append(target)
        return self.found


def test_only_releases_that_rollouts_are_of_are_loaded_and_other_bytes_are_refused():
    env, _ = environment()
    mine = PinnedPackage(package="alice/small-sums", version="1.0.0", digest=env.digest)
    other = PinnedPackage(package="bob/unused", version="1.0.0", digest="sha256:1")
    row = RolloutRow(**ROW, package="alice/small-sums")
    hub = OneHub(env)
    assert environments_of(hub, StoredRun("r", [mine, other], [row])) == {"alice/small-sums": env}
    assert hub.asked == ["alice/small-sums@1.0.0"]
    changed = mine.model_copy(update={"digest": "sha256:2"})
    with pytest.raises(IntegrityError, match="sha256:2"):
        environments_of(hub, StoredRun("r", [changed], [row]))


def test_generated_tasks_are_made_only_until_all_are_found():
    made = [{"id": f"more-{index}", "prompt": "?"} for index in range(2_000)]
    env, runner = environment(manifest=GENERATED, tasks=made)
    assert set(find_tasks(env, {"t1", "t2"}, 0)) == {"t1", "t2"}
    assert runner.asked == [], "stored tasks need no box"
    assert set(find_tasks(env, {"t1", "more-700"}, 0)) == {"t1", "more-700"}
    assert sum(count for _, count in runner.asked) == 1_000
    assert find_tasks(env, {"nowhere"}, 0) == {}


@pytest.mark.parametrize(
    ("rows", "packages", "words"),
    [
        ([ROW | {"id": 4}, ROW | {"id": 4}], [PIN], "the id 4 stands twice"),
        ([ROW | {"package": "bob/other"}], [PIN], "the run pins no release of bob/other"),
        ([ROW], [PIN, PIN | {"version": "2.0.0"}], "pins alice/small-sums more than once"),
        ([ROW], [PIN, PIN | {"package": "bob/other"}], "its package, which it does not name"),
    ],
)
def test_what_would_be_counted_twice_or_judged_by_another_release_is_refused(tmp_path, rows, packages, words):
    lines = [json.dumps(row) + "\n" for row in rows]
    with pytest.raises(UsageError, match=words):
        read_run(write_run(tmp_path, lines, {"packages": packages, "settings": {}}))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_a_reward_that_is_no_number_is_named_with_its_line(tmp_path, value):
    line = json.dumps(ROW).replace("1.0", value) + "\n"
    with pytest.raises(UsageError, match=r"line 2: this is no rollout \(.*(NaN|Infinity|number)"):
        read_run(write_run(tmp_path, [json.dumps(ROW) + "\n", line, json.dumps(ROW) + "\n"]))


def test_a_file_that_does_not_fit_into_memory_is_refused_before_it_is_read(tmp_path):
    folder = write_run(tmp_path, [])
    with (folder / "rollouts.jsonl").open("ab") as file:
        file.truncate(MOST_BYTES + 1)  # sparse: takes no space
    with pytest.raises(UsageError, match="judge a part of its lines"):
        read_run(folder)

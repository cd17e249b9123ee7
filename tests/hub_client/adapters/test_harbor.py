import json
import subprocess
import sys
import tomllib

import pytest

from hub_client.adapters import harbor
from hub_client.adapters.harbor import write_tasks
from hub_client.adapters.harbor_judge import checked
from hub_client.environments import Environment
from hub_client.errors import CheckFailedError, ConflictError
from hub_client.releases.resolve import LoadedPackage
from schemas.wheels.wheel import read_wheel
from tests.hub_client.adapters.conftest import GATED
from tests.hub_client.adapters.test_episodes import WITH_VERIFIER
from tests.making.altered_library import alter_library
from tests.making.wheel import make_wheel

JUDGE = """
from pathlib import Path


def verify(task, response):
    assert (Path(__file__).parent / "tasks.jsonl").is_file()
    if response == "loop":
        return dict.fromkeys(["correct", "short", "words", "polite"])
    right = float(response.split()[0] == str(task["answer"]))
    short = None if response == "long" else 1.0
    return {"correct": right, "short": short, "words": float(len(response.split())), "polite": float("rude" not in response)}
"""


@pytest.fixture
def exported(tmp_path):
    """The first task of an environment as a Harbor directory; its verifier is real code."""

    def make(manifest=GATED, code=JUDGE):
        wheel = make_wheel(manifest=manifest, package={"__init__.py": code})
        path = tmp_path / "x.whl"
        path.write_bytes(wheel)
        contents = read_wheel(wheel)
        package = LoadedPackage("alice/small-sums", "1.0.0", contents.digest, path, contents)
        return write_tasks(Environment(package, package, lambda: None), tmp_path / "made")

    return make


@pytest.fixture
def judge(tmp_path):
    """(exit status, reward.json or None) of an answer, as the verifier's container runs it."""

    def run(task, text):
        answer, out = tmp_path / "answer.txt", tmp_path / "verifier/reward.json"
        answer.unlink(missing_ok=True)
        out.unlink(missing_ok=True)
        if text is not None:
            answer.write_text(text)
        command = [sys.executable, "-I", str(task / "tests/judge.py"), str(task / "tests"), str(answer), str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(out.read_text()) if out.is_file() else None

    return run


def test_a_task_has_what_harbor_looks_for_and_the_agent_sees_no_answer(exported) -> None:
    task = exported()[0]
    files = {path.relative_to(task).as_posix() for path in task.rglob("*") if path.is_file()}
    assert files == {
        "environment/Dockerfile",
        "instruction.md",
        "solution/answer.txt",
        "solution/solve.sh",
        "task.toml",
        "tests/00.whl",
        "tests/judge.json",
        "tests/judge.py",
        "tests/test.sh",
    }
    assert (task / "instruction.md").read_text().startswith("1+1?\n\nWrite your answer")
    config = tomllib.loads((task / "task.toml").read_text())
    assert config["task"]["name"] == "alice/small-sums-t1"
    assert config["verifier"]["environment_mode"] == "separate"
    assert config["artifacts"] == ["/app/answer.txt"]
    assert "answer" not in (task / "task.toml").read_text().replace("/app/answer.txt", "")


def test_the_exported_verifier_writes_the_sum_and_the_vector(exported, judge) -> None:
    task = exported()[0]
    assert judge(task, "2 it is\n") == (0, {"reward": 1.5, "correct": 1.0, "short": 1.0, "words": 3.0, "polite": 1.0})
    assert judge(task, "2 rude") == (0, {"reward": 0.0, "correct": 1.0, "short": 1.0, "words": 2.0, "polite": 0.0})


def test_what_could_not_be_judged_is_left_out_and_is_never_a_zero(exported, judge) -> None:
    task = exported()[0]
    status, vector = judge(task, "long")
    assert (status, "short" in vector, vector["reward"]) == (0, False, 0.0)
    assert judge(task, "loop") == (1, None)


def test_a_verifier_that_breaks_writes_no_reward(exported, judge) -> None:
    assert judge(exported(code="def verify(response):\n    raise RuntimeError")[0], "2") == (1, None)


def test_no_answer_is_an_empty_answer(exported, judge) -> None:
    code = "def verify(response):\n    return {'correct': float(response == '')}\n"
    manifest = GATED.partition("[rewards.short]")[0]
    assert judge(exported(manifest, code)[0], None) == (0, {"reward": 1.0, "correct": 1.0})


@pytest.mark.parametrize(
    "ids", [["a/b", "a-b", "A B"], ["x" * 190, "x" * 189 + "y"], ["../../etc", "..", "ok"], ["é", "è"]]
)
def test_ids_that_make_the_same_name_and_odd_ones_get_folders_of_their_own(ids, tmp_path) -> None:
    rows = "".join(json.dumps({"id": one, "prompt": "1+1?", "answer": 2}) + "\n" for one in ids)
    wheel = make_wheel(manifest=GATED, package={"__init__.py": JUDGE, "tasks.jsonl": rows, "audit.jsonl": ""})
    path = tmp_path / "x.whl"
    path.write_bytes(wheel)
    contents = read_wheel(wheel)
    package = LoadedPackage("alice/small-sums", "1.0.0", contents.digest, path, contents)
    made = write_tasks(Environment(package, package, lambda: None), tmp_path / "made")
    assert len(set(made)) == len(ids)
    assert sorted(folder.name for folder in (tmp_path / "made").iterdir()) == sorted(folder.name for folder in made)
    told = [tomllib.loads((folder / "task.toml").read_text())["metadata"]["verihub_task"] for folder in made]
    assert told == ids


def test_a_failed_export_leaves_nothing(exported, tmp_path, monkeypatch) -> None:
    alter_library(monkeypatch, harbor, "shutil", copyfile=lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        exported()
    assert [path.name for path in tmp_path.iterdir() if path.is_dir() and path.name != "work"] == []


def test_sessions_and_solution_boxes_are_refused(make_env, exported, tmp_path) -> None:
    with pytest.raises(CheckFailedError, match="session"):
        write_tasks(make_env(WITH_VERIFIER), tmp_path / "other")
    with pytest.raises(CheckFailedError, match="solution box"):
        exported(code="from sandbox.guest import run_solution\n\n\ndef verify(task, response):\n    return {}\n")


def test_what_is_there_is_not_written_over(make_env, tmp_path) -> None:
    with pytest.raises(ConflictError):
        write_tasks(make_env(), tmp_path)


@pytest.mark.parametrize("value", [True, "1", float("nan"), float("inf"), 2.0])
def test_a_broken_vector_is_no_verdict(value) -> None:
    with pytest.raises(ValueError, match="correct"):
        checked({"correct": value}, {"correct": {"range": [0, 1]}})

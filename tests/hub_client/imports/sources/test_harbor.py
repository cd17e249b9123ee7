"""The source, and the code that it writes: the box is played by a process in a folder of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hub_client.errors import UsageError
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.project import write_project
from hub_client.imports.registry import Request
from hub_client.imports.source import code_of
from hub_client.imports.sources.harbor import Harbor
from tests.making.harbor import make_task

_PLAYED = """
import json, subprocess, sys, tempfile
import sandbox.guest
def run_solution(code, entry, args, **_):
    text = code + "\\nprint('told', json.dumps(" + entry + "(*json.load(open(sys.argv[1])))))"
    with tempfile.TemporaryDirectory() as place:
        with open(place + "/args", "w") as file: json.dump(args, file)
        with open(place + "/code", "w") as file: file.write("import sys\\n" + text)
        import os; os.mkdir(place + "/box")
        ran = subprocess.run([sys.executable, place + "/code", place + "/args"], cwd=place + "/box", capture_output=True, text=True)
        left = os.listdir(place + "/box")
    told = [line[5:] for line in ran.stdout.splitlines() if line.startswith("told ")]
    assert told and not left, (ran.stderr, left)
    return sandbox.guest.SolutionResult(exit_status=0, result=json.loads(told[0]))
sandbox.guest.run_solution = run_solution
import importlib.util as finder
if not json.loads(sys.argv[1]).get("pytest"):
    real = finder.find_spec
    finder.find_spec = lambda name, *rest: None if name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "py") else real(name, *rest)
import alice_tasks as it
def judged(*moves):
    info = {}
    return [it.verify({"info": {"task": "x"}}, {"moves": list(moves)}, info)["reward"], info["tests"]]
for text in json.loads(sys.argv[1])["asked"]:
    print("told", json.dumps(eval(text)))
"""


@pytest.fixture(autouse=True)
def unlocked(monkeypatch) -> None:
    monkeypatch.setattr("hub_client.imports.sources.harbor.lock_dependencies", lambda *_: [])


@pytest.fixture
def draft(cache):
    return lambda place, licence="MIT": Harbor(Request(cache, str(place), licence=licence)).draft(str(place))


@pytest.fixture
def played(tmp_path, draft):
    """What expressions over ``it``, the package, are; ``judged(…)`` is reward and words after those commands."""

    def ask(*asked: str, with_pytest: bool = False, **changed: str | None) -> list:
        written = draft(make_task(tmp_path / "x", **changed))
        write_project(tmp_path / "project", "alice/tasks", written, splits=written.splits)
        ran = subprocess.run(
            [sys.executable, "-c", _PLAYED, json.dumps({"asked": asked, "pytest": with_pytest})],
            env={**os.environ, "PYTHONPATH": f"{tmp_path / 'project' / 'src'}:{Path.cwd()}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return [json.loads(line[5:]) for line in ran.stdout.splitlines() if line.startswith("told ")]

    return ask


def test_tasks_that_fit_come_in_and_the_others_are_listed(draft, tmp_path) -> None:
    make_task(tmp_path / "x")
    make_task(tmp_path / "y", environment__Dockerfile="FROM node:20")
    found = draft(tmp_path)
    assert found.left_out == {"y": "its image is node:20, and a box has Python, bash and the usual small programs"}
    ((task,),) = found.splits.values()
    assert task["id"] == "x"
    assert task["answer"] == ["#!/bin/bash\nsort /app/words.txt > /app/sorted.txt\n"]
    assert task["prompt"].startswith("Sort the lines of /app/words.txt")
    labels = [(case["tags"][0], case["label"]) for case in found.cases]
    assert labels == [("own-solution", "correct"), ("nothing-done", "incorrect"), ("planted-reward", "incorrect")]


def test_items_have_their_reasons(cache, tmp_path) -> None:
    make_task(tmp_path / "x")
    make_task(tmp_path / "y", tests__test_dot_sh=None)
    items = Harbor(Request(cache, str(tmp_path))).items()
    assert [(item.name, item.refused) for item in items] == [("x", ""), ("y", "it has no tests/test.sh")]


def test_no_task_that_fits_is_refused_with_a_reason(draft, tmp_path) -> None:
    make_task(tmp_path / "y", tests__test_dot_sh=None)
    with pytest.raises(ImportRefusedError, match=r"none of its tasks fits a box; y: it has no tests/test\.sh"):
        draft(tmp_path)


def test_a_licence_is_asked_for(draft, tmp_path) -> None:
    make_task(tmp_path / "x")
    with pytest.raises(UsageError, match="--licence"):
        draft(tmp_path, "")


def test_a_canary_keeps_a_task_out_of_training_and_the_others_are_drawn(draft, tmp_path) -> None:
    for number in range(30):
        make_task(tmp_path / f"t{number}", instruction_dot_md=f"Do {number}." + " canary" * (number < 5))
    splits = draft(tmp_path).splits
    assert {f"t{number}" for number in range(5)} <= {task["id"] for task in splits["test"]}
    assert 15 < len(splits["train"]) < 25


def test_two_tasks_of_one_name_have_ids_of_their_own(draft, tmp_path) -> None:
    make_task(tmp_path / "a" / "x")
    make_task(tmp_path / "b" / "x")
    ids = [task["id"] for task in draft(tmp_path).splits["test"]]
    assert len(set(ids)) == 2
    assert all(name.startswith("x-") for name in ids)


def test_another_file_is_another_version(draft, tmp_path) -> None:
    first = draft(make_task(tmp_path / "x")).provenance.version
    assert draft(make_task(tmp_path / "x", environment__words_dot_txt="fig\n")).provenance.version != first


def test_lines_that_are_none_to_python_alone_survive(draft, tmp_path) -> None:
    written = draft(make_task(tmp_path / "x", instruction_dot_md="Sort\u2028the\u0085lines."))
    write_project(tmp_path / "project", "alice/tasks", written, splits=written.splits)
    lines = (tmp_path / "project" / "src" / "alice_tasks" / "test.jsonl").read_text().split("\n")
    assert json.loads(lines[0])["prompt"].startswith("Sort\u2028the\u0085lines.")


def test_nothing_of_a_strangers_task_runs_on_this_machine(draft, tmp_path) -> None:
    mark = tmp_path / "mark"
    shell, python = f"touch {mark}", f"open({str(mark)!r}, 'w')"
    names = (
        "conftest_dot_py",
        "setup_dot_py",
        "tests__conftest_dot_py",
        "tests__test_x_dot_py",
        "environment__sitecustomize_dot_py",
    )
    draft(
        make_task(
            tmp_path / "x",
            tests__test_dot_sh=shell,
            solution__solve_dot_sh=shell,
            environment__Dockerfile=f"FROM ubuntu\nRUN {shell}\nCOPY . /app",
            **dict.fromkeys(names, python),
        )
    )
    assert not mark.exists()


def test_a_solution_nothing_and_a_planted_reward(played) -> None:
    solved, nothing, planted = played(
        "judged('sort /app/words.txt > /app/sorted.txt')",
        "judged()",
        "judged('mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; echo 1 > /tests/test.sh')",
    )
    assert (solved[0], nothing[0], planted[0]) == (1.0, 0.0, 0.0)


def test_files_stay_from_command_to_command_and_paths_are_the_tasks_own(played) -> None:
    (said,) = played(
        "[e := it._Episode('x'), [e.play(c) for c in ('pwd; mkdir -p /app/a; echo \"x /app/y\" > a/b.txt', "
        "'cat /app/a/b.txt; ls', 'rm words.txt; exit 3', 'ls')]][1]"
    )
    assert said == ["/app\n", "x /app/y\na\nwords.txt\n", "exit status 3", "a\n"]


def test_what_a_command_leaves_running_is_ended(played) -> None:
    late = "(sleep 1; echo 1 > /logs/verifier/reward.txt) &  setsid python3 -c 'import time; time.sleep(60)' & disown; echo away"
    (said,) = played(f"[e := it._Episode('x'), e.play({late!r}), e.judge()[0]][1:]")
    assert said == ["away\n", 0.0]


_TOO_MUCH = (
    "ln -s /etc/passwd /app/p; mkfifo /app/q; ls /app",
    "echo x > ../outside.txt; ls /app",
    "head -c 300000 /dev/zero > /app/big",
    "for i in $(seq 400); do echo > /app/f$i; done",
    "yes | head -c 400000",
)


def test_links_other_places_and_too_much_do_not_stay(played) -> None:
    (after,) = played(
        f"[e := it._Episode('x'), [e.play(c) for c in {_TOO_MUCH!r}], e.play('ls /app ..; cat ../outside.txt'), e.changed][1:]"
    )
    said, listed, changed = after
    assert listed.startswith("..:")
    assert "app" in listed
    assert "words.txt" in listed
    assert "No such file" in listed
    assert changed == {}
    assert "holds too much" in said[2]
    assert "holds too much" in said[3]
    assert len(said[4]) < 13_000


def test_messages_are_commands_as_calls_and_as_blocks(played) -> None:
    call = {"tool_calls": [{"id": "1", "function": {"name": "bash", "arguments": '{"command": "echo hi"}'}}]}
    odd = {"tool_calls": [{"id": "2", "function": {"name": "rm", "arguments": "["}}, 7]}
    (told,) = played(
        f"[s := it.Session(), s.reset({{'prompt': 'p', 'info': {{'task': 'x'}}}}, 0), s.step({call!r}), s.step({odd!r}), "
        "s.step({'content': '```bash\\necho two\\n```'}), s.step({'content': 'finished'}), s.state()][2:]"
    )
    assert told[0] == {"messages": [{"role": "tool", "tool_call_id": "1", "content": "hi\n"}], "done": False}
    assert "one tool" in told[1]["messages"][0]["content"]
    assert told[2]["messages"][0]["content"] == "two\n"
    assert told[3] == {"messages": [], "done": True}
    assert told[4] == {"moves": ["echo hi", "echo two\n"]}


def test_a_state_or_a_task_of_another_form_proves_nothing(played) -> None:
    told = played(
        "it.verify({'info': {'task': 'x'}}, {'moves': 7, 'reward': 1}, {})",
        "it.verify({'info': {'task': 'x'}}, 'solved', {})",
    )
    assert told == [{"reward": 0.0, "commands": 0.0}] * 2


_TEST_SH = """apt-get update
apt-get install -y curl
curl -LsSf https://astral.sh/uv/0.9.7/install.sh | sh
source $HOME/.local/bin/env
uvx -p 3.13 -w pytest==8.4.1 -w pytest-json-ctrf==0.3.5 pytest --ctrf /logs/verifier/ctrf.json /tests/test_outputs.py -rA
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
"""
_TEST_PY = """
from pathlib import Path
import pytest

@pytest.mark.parametrize("word", ["apple", "pear"])
def test_word(word, tmp_path):
    assert word in Path("/app/sorted.txt").read_text().split()
"""


def test_pytest_judges_and_what_a_model_plants_beside_it_is_not_read(played) -> None:
    plant = (
        "for d in /app /root /app/..; do echo 'import os; os._exit(0)' | tee $d/conftest.py $d/pytest.py $d/sitecustomize.py; done;"
        "printf '[pytest]\\naddopts = --collect-only\\n' | tee /app/pytest.ini /app/../pytest.ini"
    )
    solved, planted = played(
        "judged('sort /app/words.txt > /app/sorted.txt')",
        f"judged({plant!r})",
        with_pytest=True,
        tests__test_dot_sh=_TEST_SH,
        tests__test_outputs_dot_py=_TEST_PY,
    )
    assert (solved[0], planted[0]) == (1.0, 0.0), planted[1]
    assert "2 passed" in solved[1]
    assert "2 failed" in planted[1]


@pytest.fixture(scope="module")
def reward_of():
    """What the box reads as the reward in a folder."""
    names: dict = {}
    exec(code_of("harbor_box"), names)
    return names["_reward"]


@pytest.mark.parametrize(
    ("name", "text", "reward"),
    [
        ("reward.json", '{"reward": 0.5, "speed": 1}', 0.5),
        ("reward.json", '{"score": 1}', 1.0),
        ("reward.txt", " 1.0\n", 1.0),
        ("reward.txt", "0", 0.0),
    ],
)
def test_what_tests_write_is_the_reward(reward_of, tmp_path, name, text, reward) -> None:
    (tmp_path / name).write_text(text)
    assert reward_of(tmp_path) == (reward, "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("reward.txt", "7"),
        ("reward.txt", "nan"),
        ("reward.txt", "yes"),
        ("reward.json", "{}"),
        ("reward.json", '{"a": 1, "b": 0}'),
        ("reward.json", '{"reward": "high"}'),
        ("reward.json", "[" * 19_000),
    ],
)
def test_a_reward_that_is_none_gives_no_verdict(reward_of, tmp_path, name, text) -> None:
    (tmp_path / name).write_text(text)
    reward, wrong = reward_of(tmp_path)
    assert reward is None
    assert "its tests wrote" in wrong


def test_no_reward_file_and_one_that_is_a_link_are_no_reward(reward_of, tmp_path) -> None:
    assert reward_of(tmp_path) == (None, "")
    (tmp_path / "one").write_text("1")
    (tmp_path / "reward.txt").symlink_to(tmp_path / "one")
    assert reward_of(tmp_path) == (None, "")

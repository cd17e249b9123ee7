"""What runs in Harbor's container, without anything of ours: it must judge as the hub does, or say nothing."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_client.adapters import harbor_judge
from hub_client.adapters.harbor_judge import called, checked, weighted_sum
from sandbox.guest.call import _both_views
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures import weighted_sum as ours

DECLARED = {
    "right": RewardDeclaration(weight=2.0),
    "cost": RewardDeclaration(weight=-0.5, range=(-1.0, 1.0), threshold=0.0),
    "logged": RewardDeclaration(weight=0.0),
    "parses": RewardDeclaration(role=RewardRole.GATE),
    "honest": RewardDeclaration(role=RewardRole.GATE),
    "words": RewardDeclaration(role=RewardRole.METRIC, range=(0, 100)),
}
WIRE = {name: reward.model_dump(mode="json") for name, reward in DECLARED.items()}


@given(st.fixed_dictionaries({name: st.none() | st.floats(0, 1) for name in DECLARED}))
def test_its_sum_is_the_hubs(rewards):
    assert weighted_sum(rewards, WIRE) == ours.weighted_sum(rewards, DECLARED)


@pytest.mark.parametrize(
    "said",
    [None, [], "1", {}, {"right": 1.0, "more": 0.0}, {"right": True}, {"right": "1"}, {"right": float("nan")},
     {"right": float("inf")}, {"right": 1.5}, {"right": -0.1}],
)  # fmt: skip
def test_a_verifier_that_breaks_its_declaration_is_not_believed(said):
    with pytest.raises(ValueError, match="right"):
        checked(said, {"right": {"range": [0, 1]}})


def test_arguments_are_bound_by_name_and_only_those_that_are_wanted():
    seen = called(lambda response, task: (response, task["id"]), {"id": "t"}, "text")
    assert seen == ("text", "t")


@pytest.mark.parametrize(
    "prompt", ["1+1?", "", [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}], None]
)
def test_a_verifier_of_conversations_sees_the_same_messages_as_in_the_sandbox(prompt):
    """Without the prompt before it, the answer stood where a verifier looks for the question."""
    task = {"id": "t"} if prompt is None else {"id": "t", "prompt": prompt}
    assert called(lambda messages: messages, task, "2") == _both_views({"task": task, "response": "2"})[1]


@pytest.fixture
def container(tmp_path):
    """The folders that Harbor mounts, with a verifier's wheel in it: (tests, answer, out)."""

    def make(verify: str, rewards: dict[str, RewardDeclaration]) -> tuple[Path, Path, Path]:
        tests = tmp_path / "tests"
        tests.mkdir()
        with zipfile.ZipFile(tests / "judged.whl", "w") as wheel:
            wheel.writestr("judged_package.py", verify)
        wire = {name: reward.model_dump(mode="json") for name, reward in rewards.items()}
        about = {"task": {"id": "t", "answer": "4"}, "verifier": "judged_package:verify", "rewards": wire}
        (tests / "judge.json").write_text(json.dumps(about))
        return tests, tmp_path / "answer.txt", tmp_path / "logs/reward.json"

    return make


def run(folders: tuple[Path, Path, Path]) -> int:
    """As Harbor starts it: a process of its own, with nothing but the standard library."""
    command = [sys.executable, "-I", harbor_judge.__file__, *map(str, folders)]
    return subprocess.run(command, check=False, capture_output=True).returncode


VERIFY = "def verify(task, response):\n    return {'right': float(response == task['answer']), 'form': None}\n"


def test_the_reward_and_the_judged_part_of_the_vector_are_written(container):
    folders = container(VERIFY, {"right": RewardDeclaration(), "form": RewardDeclaration()})
    folders[1].write_text("4\n")
    assert run(folders) == 0
    assert json.loads(folders[2].read_text()) == {"reward": 2.0, "right": 1.0}


@pytest.mark.parametrize("answer", ["5", "", None, b"\xff\xfe4"])
def test_a_wrong_or_missing_answer_is_judged_like_any_other(container, answer):
    folders = container(VERIFY, {"right": RewardDeclaration(), "form": RewardDeclaration()})
    if answer is not None:
        folders[1].write_bytes(answer if isinstance(answer, bytes) else answer.encode())
    assert run(folders) == 0
    assert json.loads(folders[2].read_text())["reward"] == 0.0


@pytest.mark.parametrize(
    "verify",
    [
        "def verify(response):\n    return {'right': None}\n",
        "def verify(response):\n    raise RuntimeError('broken')\n",
        "def verify(response):\n    return {'right': float('nan')}\n",
        "raise ImportError('not even importable')\n",
    ],
)
def test_what_cannot_be_judged_leaves_no_file_and_never_a_zero(container, verify):
    folders = container(verify, {"right": RewardDeclaration()})
    assert run(folders) == 1
    assert not folders[2].exists()


def test_a_reward_that_is_called_reward_does_not_hide_the_sum(container):
    verify = "def verify(response):\n    return {'reward': 0.5, 'form': 1.0}\n"
    folders = container(verify, {"reward": RewardDeclaration(), "form": RewardDeclaration(weight=2.0)})
    assert run(folders) == 0
    assert json.loads(folders[2].read_text()) == {"reward": 2.5, "reward_reward": 0.5, "form": 1.0}

import json
from pathlib import Path

import pytest

from hub_client.adapters.trl import TASK_COLUMN, dataset_rows, reward_functions, reward_weights
from hub_client.environments import Environment
from hub_client.errors import UsageError
from hub_client.resolving import LoadedPackage
from schemas.verdict import ErrorKind, Verdict
from schemas.wheel import read_wheel
from tests.fakes.runner import FakeRunner
from tests.making.wheel import MANIFEST, make_wheel

VECTOR = (
    MANIFEST
    + '\n[rewards.short]\nrole = "score"\nweight = 0.5\n\n[rewards.words]\nrole = "metric"\nrange = [0.0, 100.0]\n'
)


@pytest.fixture
def judged():
    """What was judged so far, as responses."""
    return []


@pytest.fixture
def env(judged):
    contents = read_wheel(make_wheel(manifest=VECTOR))
    package = LoadedPackage("alice/small-sums", "1.0.0", contents.digest, Path("x.whl"), contents)

    def judge(request):
        judged.append(request.response)
        if request.response == "loop":
            return Verdict.unjudged(["correct", "short", "words"], ErrorKind.TIMEOUT, "too slow")
        right = float(request.response == str(request.task["answer"]))
        return Verdict(rewards={"correct": right, "short": 1.0, "words": float(len(request.response.split()))})

    runner = FakeRunner(judge)
    return Environment(package, package, lambda: runner)


def batch(env, *completions):
    """What TRL hands to every reward function."""
    rows = dataset_rows(env, "train")
    columns = {name: [rows[0][name]] * len(completions) for name in rows[0]}
    return {
        "prompts": columns.pop("prompt"),
        "completions": list(completions),
        "completion_ids": [[1]] * len(completions),
        "trainer_state": object(),
        "log_metric": print,
        **columns,
    }


def test_each_reward_has_its_function_under_its_name(env) -> None:
    functions = reward_functions(env)
    assert [function.__name__ for function in functions] == ["correct", "short", "words"]
    given = batch(env, "2", "a b c")
    assert [function(**given) for function in functions] == [[1.0, 0.0], [1.0, 1.0], [1.0, 3.0]]


def test_a_batch_is_judged_once_for_all_its_functions(env, judged) -> None:
    functions = reward_functions(env)
    for function in functions:
        function(**batch(env, "2", "3"))
    assert sorted(judged) == ["2", "3"]
    functions[0](**batch(env, "2", "4"))
    assert len(judged) == 4


def test_what_could_not_be_judged_is_none(env) -> None:
    assert [function(**batch(env, "loop", "2"))[0] for function in reward_functions(env)] == [None, None, None]


def test_conversations_are_judged_by_their_only_message(env, judged) -> None:
    reward_functions(env)[0](**batch(env, [{"role": "assistant", "content": "2"}]))
    assert judged == ["2"]


def test_rows_carry_messages_for_the_model_and_the_task_for_the_verifier(env) -> None:
    rows = dataset_rows(env, "train", limit=1)
    assert rows[0]["prompt"] == [{"role": "user", "content": "1+1?"}]
    assert json.loads(rows[0][TASK_COLUMN])["answer"] == 2
    assert "2" not in rows[0]["prompt"][0]["content"]


def test_weights_are_those_that_were_declared(env) -> None:
    assert reward_weights(env) == [1.0, 0.5, 0.0]


def test_a_dataset_of_somebody_else_is_explained(env) -> None:
    with pytest.raises(UsageError, match="dataset_rows"):
        reward_functions(env)[0](completions=["2"], prompts=["?"])

"""The hub's own story: version 1 is fooled by every counter-example, version 2 by next to none."""

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.interface import Call

COUNTER_EXAMPLES = Path(__file__).parents[2] / "collection" / "hacked" / "counter_examples.jsonl"
TASK = "tea"


@pytest.fixture
def judge(packed, local_sandbox, tasks_by_id):
    """Version folder and (task id, response) pairs -> reward vectors in order."""

    def run(name: str, pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
        tasks = tasks_by_id["plain-style"]
        calls = [Call(str(place), tasks[task], response) for place, (task, response) in enumerate(pairs)]
        verdicts = dict(local_sandbox.score(packed.source(name), calls))
        return [verdicts[call.id].rewards for call in calls]

    return run


@pytest.fixture(scope="module")
def counter_examples() -> list[tuple[str, str]]:
    with COUNTER_EXAMPLES.open() as lines:
        return [(case["task_id"], case["response"]) for case in map(json.loads, lines)]


def test_version_1_gives_full_marks_to_every_counter_example(judge, counter_examples):
    verdicts = judge("hacked/plain-style-v1", counter_examples)
    assert {tuple(sorted(rewards.items())) for rewards in verdicts} == {
        (("length", 1.0), ("lowercase", 1.0), ("topic", 1.0))
    }


def test_version_2_gives_full_marks_to_one_of_them(judge, counter_examples):
    verdicts = judge("plain-style", counter_examples)
    fooled = [pair for pair, rewards in zip(counter_examples, verdicts, strict=True) if rewards["topic"] == 1.0]
    assert fooled == [("chess", "chess is a mountain in peru.")]


def test_part_credit_grows_towards_the_goal(judge):
    """GRPO needs differences within a group long before anything is right."""
    climbing = [
        "Tea Is A Drink That Is Made By Pouring Hot Water Over Leaves",
        "Tea is a drink that is made by pouring hot water over leaves",
        "tea is a drink that is made by pouring hot water over leaves",
        "tea is a drink that is made by pouring hot water over leaves.",
    ]
    sums = [rewards["lowercase"] + rewards["length"] for rewards in judge("plain-style", [(TASK, t) for t in climbing])]
    assert sums == sorted(set(sums))
    assert sums[-1] == 2.0


def test_longer_is_worse_until_nothing_is_left(judge):
    texts = [f"tea is a drink {'that people like ' * times}." for times in (2, 5, 7, 9)]
    lengths = [rewards["length"] for rewards in judge("plain-style", [(TASK, text) for text in texts])]
    assert lengths == sorted(set(lengths), reverse=True)
    assert lengths[0] == 1.0
    assert lengths[-1] == 0.0


@pytest.mark.parametrize("version", ["plain-style", "hacked/plain-style-v1"])
@pytest.mark.parametrize("response", ["", " \n", "☕", "a" * 100_000, "tea " * 30_000, "." * 50_000, "\x00\ud7ff"])
def test_nonsense_is_judged_and_rejected(judge, version, response):
    [rewards] = judge(version, [(TASK, response)])
    assert rewards["topic"] == 0.0 or rewards["length"] < 1.0

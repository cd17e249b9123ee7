"""The hub's own story: version 1 is fooled by every counter-example, the repaired one by none, and by no fixed sentence."""

import importlib
import itertools
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.interface import Call
from schemas.measures.weighted_sum import weighted_sum

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


def test_the_mended_version_gives_full_marks_to_none_of_them(judge, counter_examples):
    verdicts = judge("plain-style", counter_examples)
    assert [pair for pair, rewards in zip(counter_examples, verdicts, strict=True) if rewards["topic"] == 1.0] == []


TEMPLATES = [  # found by a stranger who looked for one sentence that pays everywhere; version 2.0.0 paid most of them
    "{} is a child of the warm night and the water.",
    "{} are for a child in warm water.",
    "{} is warm.",
    "no {} is a child of warm water at night.",
    "nobody sees {} near warm water or a child at night.",
    "{} is a very short answer with warm water for a child.",
    "the description of {} is warm water of a child.",
    "it is of the {} by hot in to.",
    "{} are used by people.",
    "{} is a sport, a drink, a garment, a tool and an animal for a child.",
    "{} is something that many people in the world like to see every day.",
    "aaa bbb ccc.",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_template_of_a_stranger_earns_more_than_a_fifth_of_the_reward(judge, projects, tasks_by_id, template):
    pairs = [(name, template.format(task["info"]["topic"])) for name, task in tasks_by_id["plain-style"].items()]
    declared = projects["plain-style"].manifest.rewards
    earned = [weighted_sum(rewards, declared) for rewards in judge("plain-style", pairs)]
    assert sum(earned) / len(earned) <= 0.2 * sum(each.weight for each in declared.values() if each.role == "score")


def test_no_set_of_words_fits_more_than_a_fifth_of_the_topics(about):
    """The best of a search: words are added to a sentence for every topic as long as it fits more of them."""
    topics, words = list(about.ROWS), sorted(about.TOPICS_OF)
    infos = [{"topic": topic, "kind": about.ROWS[topic][1], "related": []} for topic in topics]

    def fitting(said: list[str]) -> int:
        return sum(about.fits_few(said, info) for info in infos)

    chance = random.Random(0)
    best: list[str] = []
    for _, candidate in zip(range(40), itertools.cycle(chance.sample(words, len(words))), strict=False):
        best = max(best, [*best, candidate], [*best[1:], candidate], key=fitting)
    assert 0 < fitting(best) <= 0.2 * len(topics)


@pytest.fixture(scope="module")
def about(projects) -> Iterator[Any]:
    """The module that judges ``topic``, from its folder."""
    source = str(projects["plain-style"].folder / "src")
    sys.path.insert(0, source)
    yield importlib.import_module("lecture_plain_style.about")
    sys.path.remove(source)
    for name in [name for name in sys.modules if name.partition(".")[0] == "lecture_plain_style"]:
        del sys.modules[name]


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

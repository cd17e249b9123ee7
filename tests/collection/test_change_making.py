"""Change-making: problems without end, and the four ways to say half a dollar."""

import subprocess
import sys
from fractions import Fraction

import pytest

from sandbox.interface import Call
from schemas.task import Task

HALF = {"id": "half", "prompt": "?", "answer": "1/2", "split": "test"}


@pytest.fixture
def source(packed):
    return packed.source("change-making")


def test_the_lesson_shows_what_it_measures(projects):
    folder = projects["change-making"].folder
    said = subprocess.run([sys.executable, "-B", "lesson.py"], cwd=folder, check=True, capture_output=True, text=True)
    assert said.stdout.strip() in (folder / "README.md").read_text()


def test_train_tasks_are_generated_and_repeatable(local_sandbox, source):
    first = local_sandbox.tasks(source, "train", start=0, count=300, seed=1)
    assert [Task.model_validate(task).split for task in first] == ["train"] * 300
    assert len({task["id"] for task in first}) == 300
    assert local_sandbox.tasks(source, "train", start=100, count=50, seed=1) == first[100:150]
    assert local_sandbox.tasks(source, "train", start=0, count=300, seed=2) != first


def test_no_seed_draws_a_test_prompt_for_training(local_sandbox, source, tasks_by_id):
    held_out = {task["prompt"] for task in tasks_by_id["change-making"].values()}
    for seed in range(5):
        drawn = {task["prompt"] for task in local_sandbox.tasks(source, "train", start=0, count=400, seed=seed)}
        assert drawn.isdisjoint(held_out)


def test_every_generated_answer_in_lowest_terms_is_right(local_sandbox, source):
    tasks = local_sandbox.tasks(source, "train", start=0, count=300, seed=3)
    calls = [Call(task["id"], task, task["answer"]) for task in tasks]
    verdicts = dict(local_sandbox.score(source, calls))
    assert [t["id"] for t in tasks if verdicts[t["id"]].rewards != {"correct": 1.0, "simplest_form": 1.0}] == []
    assert all(str(Fraction(task["answer"])) == task["answer"] for task in tasks)


@pytest.mark.parametrize(
    ("response", "correct", "simplest"),
    [("1/2", 1, 1), ("2/4", 1, 0), ("0.5", 1, 0), ("50 cents", 1, 0), ("1/3", 0, 0), ("1/2 or 1/3", 0, 0)]
    + [(said, 0, 0) for said in ("1/2 ❌", "¬1/2", "It can't be 1/2", "anything but 1/2", "I doubt that it is 1/2")],
)
def test_the_same_money_in_another_form_is_right_but_not_as_asked(local_sandbox, source, response, correct, simplest):
    [(_, verdict)] = local_sandbox.score(source, [Call("1", HALF, response)])
    assert verdict.rewards == {"correct": correct, "simplest_form": simplest}


@pytest.mark.parametrize(
    "response",
    [
        "1/" * 50_000,
        "1 " * 100_000,
        "1," * 100_000,
        "\\frac{" * 20_000,
        "half a " * 30_000,
        "\n" * 50_000 + "1",
        "9" * 200_000,
    ],
)
def test_a_flood_is_judged_in_time(local_sandbox, source, response):
    [(_, verdict)] = local_sandbox.score(source, [Call("1", HALF, response)])
    assert verdict.error is None


def test_a_marked_whole_amount_before_a_sentence_is_no_number_of_a_list_item(package_of):
    verify = package_of("change-making").verify
    said = (
        "The answer is 2. I hope this helps!",
        "Answer: 2. Each of them gets it.",
        "1. Add the prices.\n2. They cost 2",
    )
    assert [verify({"answer": "2"}, text)["correct"] for text in said] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("response", "correct"), [("1,050/4", 1), ("262.5", 1), ("1050/3", 0)])
def test_an_answer_with_thousands_commas_is_a_number(local_sandbox, source, response, correct):
    task = {"id": "t", "prompt": "?", "answer": "1,050/4", "split": "test"}
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, response)])
    assert verdict.error is None
    assert verdict.rewards["correct"] == correct

"""Cheats for the two packages that docs/reference/agents.md does not list: one answer for every task, or one opening."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from schemas.measures.weighted_sum import weighted_sum
from tests.collection.session_cheats import Episode

MOST = 0.2
OPENINGS = {
    "six_common_words": ["slate", "crony", "pudgy", "whelm", "fibre", "jumbo"],
    "six_in_one_message": ["".join(f"<guess>{word}</guess>" for word in ("slate", "crony", "pudgy", "whelm"))] * 6,
    "what_the_marks_cannot_be": ["GGGGG", "<guess>GGGGG</guess>", "solved: 1", "You win.", "<guess>?????</guess>", ""],
    "one_word_for_ever": ["<guess>stare</guess>"] * 6,
    "asks_for_the_word": ["Tell me the word.", "<guess>the secret</guess>", "guess == secret", "*****", "_____", "."],
}
ANSWERS = [
    *("\\boxed{\\pm 1}", "\\boxed{x}", "\\boxed{(-\\infty,\\infty)}", "\\boxed{\\frac{0}{0}}", "\\boxed{50 \\pm 50}"),
    *("\\boxed{x = x}", "\\boxed{\\{" + ",".join(map(str, range(-10, 60))) + "\\}}", "no solution"),
    *(
        " ".join(f"\\boxed{{{number}}}" for number in range(-5, 30)),
        "The answer is " + " or ".join(map(str, range(40))),
    ),
]
GOLDS = 60


@pytest.mark.parametrize("opening", OPENINGS)
def test_no_fixed_opening_wins_a_fifth_of_the_games(
    package_of: Callable[[str], Any], projects: Any, opening: str
) -> None:
    package, project = package_of("wordle"), projects["wordle"]
    sums = []
    for task in Random(14).sample(project.rows("test.jsonl"), 40):
        it = Episode(package, task)
        for text in OPENINGS[opening]:
            it.say(text)
        sums.append(weighted_sum(package.verify(task, it.state()), project.manifest.rewards))
    assert sum(sums) / len(sums) < MOST


@pytest.mark.parametrize("answer", ANSWERS)
def test_no_fixed_answer_is_right_of_many_golds(package_of: Callable[[str], Any], projects: Any, answer: str) -> None:
    package, project = package_of("math-answer"), projects["math-answer"]
    file = next(project.folder.glob("src/*/audit.jsonl"))
    cases = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    golds = sorted({str(case["task"]["answer"]) for case in cases})
    drawn = Random(14).sample(golds, GOLDS)
    judged = [package.verify({"answer": gold}, answer)["correct"] for gold in drawn]
    assert None not in judged
    assert sum(judged) / GOLDS < MOST


def test_the_word_itself_wins_and_each_gold_is_right_of_itself(package_of: Callable[[str], Any], projects: Any) -> None:
    """Or the tests above could not fail."""
    package, project = package_of("wordle"), projects["wordle"]
    task = project.rows("test.jsonl")[0]
    it = Episode(package, task)
    it.say(task["answer"])
    assert package.verify(task, it.state())["solved"] == 1.0
    assert package_of("math-answer").verify({"answer": "\\pm 1"}, "\\boxed{\\pm 1}") == {"correct": 1.0}

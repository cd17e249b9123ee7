"""Questions are shown and answered from a shell, and a rollout that nobody is asked about says why."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.making.scripted_hub import problem

QUESTION = {
    "id": "q1",
    "package": "alice/small-sums",
    "version": "1.0.0",
    "task": {"id": "t1", "prompt": "1+1?", "answer": 2},
    "response": "2 or 3\nq9 about bob/x 1.0.0: settled\x1b[2J",
    "verdicts": [
        {"by": "alice/small-sums@1.0.0", "accepted": True},
        {"by": "alice/small-sums@1.1.0", "accepted": False},
        {"by": "bob/judge@1.0.0"},
    ],
    "bits": 0.9,
    "label_count": 1,
    "state": "open",
    "created_at": datetime(2026, 1, 1, tzinfo=UTC).isoformat(),
}
PLACE = "/label/questions/q1"


def given(by: str, answer: str, note: str = "") -> dict[str, Any]:
    return {"labelled_by": by, "answer": answer, "note": note, "labelled_at": QUESTION["created_at"]}


def test_the_question_that_helps_most_is_shown_with_how_to_answer_it(verihub, scripted) -> None:
    scripted.on("GET", "/label/next", {"item": QUESTION, "left": 4})
    said = verihub("cases", "label")
    assert said.code == 0, said
    assert said.out.splitlines() == [
        "q1 about alice/small-sums 1.0.0: open",
        "task:",
        "  | 1+1?",
        "response:",
        "  | 2 or 3",
        "  | q9 about bob/x 1.0.0: settled\\x1b[2J",
        "  alice/small-sums@1.0.0 accepts",
        "  alice/small-sums@1.1.0 rejects",
        "  bob/judge@1.0.0 did not judge it",
        "  1 person answered",
        "answer it: verihub cases label q1 --answer correct|incorrect|unsure",
    ]
    assert "\x1b" not in said.out
    scripted.on("GET", "/label/next", {"item": None, "left": 0})
    assert "no question waits for you" in verihub("cases", "label", "--package", "alice/small-sums").out


def test_an_answer_is_sent_and_what_others_said_is_shown_after_it(verihub, scripted) -> None:
    scripted.on("GET", PLACE, QUESTION)
    mine = [given("bob", "correct"), given("me", "incorrect", "it\nhedges")]
    kept = QUESTION | {"my_answer": "incorrect", "labels": mine}
    scripted.on("POST", f"{PLACE}/labels", kept)
    said = verihub("cases", "label", "q1", "--answer", "incorrect", "--note", "it hedges")
    assert said.code == 0, said
    assert said.out.splitlines() == [
        "kept; it is settled once one answer has two votes more than the other",
        "  bob said right",
        "  me said wrong: it hedges",
    ]
    settled = kept | {"state": "settled", "agreed_label": "incorrect", "case_id": "c7"}
    scripted.on("POST", f"{PLACE}/labels", settled)
    said = verihub("cases", "label", "q1", "--answer", "incorrect")
    assert said.out.splitlines()[:2] == [
        "settled: people agree that the response is wrong",
        "  it became a case: verihub cases show alice/small-sums c7",
    ]
    assert json.loads(verihub("cases", "label", "q1", "--format", "json").out)["id"] == "q1"


def test_a_rollout_that_nobody_is_asked_about_says_why(verihub, scripted) -> None:
    place = "/runs/r1/rollouts/7/question"
    scripted.on("GET", place, problem(404, "question_not_found", "People are not asked about rollout 7 of this run."))
    said = verihub("cases", "label", "--run", "r1", "--rollout", "7", "--answer", "correct")
    assert said.code == 4
    assert "People are not asked about rollout 7" in said.err
    scripted.on("GET", place, QUESTION)
    assert verihub("cases", "label", "--run", "r1", "--rollout", "7", "-q").out == "q1\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--run", "r1"), "belong together"),
        (("--answer", "correct"), "say which question"),
        (("q1", "--package", "a/b"), "give one of QUESTION and --package"),
        (("q1", "--answer", "right"), "right"),
    ],
)
def test_what_is_unclear_is_said_before_the_hub_is_asked(verihub, scripted, options, words) -> None:
    said = verihub("cases", "label", *options)
    assert (said.code, scripted.asked) == (2, [])
    assert words in said.err

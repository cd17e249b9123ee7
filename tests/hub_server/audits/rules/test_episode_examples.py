"""Examples of episodes: short, one right and one wrong, the same each time, and never an odd case."""

from typing import Any

import pytest

from hub_server.audits.rules.episode_examples import MOST_CHARACTERS, choose_episodes, is_held_out
from schemas.evidence.cases import AuditCase

TALK = [
    {"role": "user", "content": "Guess."},
    {"role": "assistant", "content": "a"},
    {"role": "assistant", "content": "b"},
]


def case(identifier: str, label: str = "correct", task: str = "t", **more: Any) -> AuditCase:
    return AuditCase.read({"id": identifier, "task_id": task, "label": label, **more})


def names(*cases: AuditCase) -> list[str]:
    return [one.id for one in choose_episodes(cases)]


def test_the_shortest_with_messages_come_first_and_right_before_wrong() -> None:
    long = [*TALK, {"role": "assistant", "content": "c" * 500}]
    cases = [
        case("wrong", "incorrect", messages=TALK),
        case("state", state={"guesses": ["a", "b"]}),
        case("long", messages=long),
        case("short", messages=TALK),
    ]
    assert names(*cases) == ["short", "wrong"]
    assert names(*cases) == names(*cases)


def test_an_episode_in_which_nothing_happens_is_taken_only_where_there_is_no_other() -> None:
    idle, played = case("idle", state={"guesses": []}), case("played", state={"guesses": ["a", "b"]})
    assert names(idle, played) == ["played"]
    assert names(idle) == ["idle"]


def test_the_wrong_one_is_of_the_right_ones_task_where_there_is_one() -> None:
    cases = [case("right", messages=TALK), case("other", "incorrect", "u", messages=TALK)]
    assert names(*cases) == ["right", "other"]
    noted = case("same", "incorrect", messages=TALK, note="longer than the other")
    assert names(*cases, noted) == ["right", "same"]


@pytest.mark.parametrize(
    "odd",
    [
        {"response": "a mere answer"},
        {"messages": [], "state": {}},
        {"messages": [{"role": "assistant", "content": "x" * MOST_CHARACTERS}]},
        {"state": {"x": float("nan")}},
        {"state": {"x": "\ud800"}},
        {"state": {"x": ["a", "b"]}, "note": "\ud800"},
    ],
)
def test_what_a_page_cannot_show_is_no_example(odd: dict[str, Any]) -> None:
    assert names(case("odd", **odd), case("sound", state={"x": ["a", "b"]})) == ["sound"]


@pytest.mark.parametrize(
    ("split", "held_out"),
    [("test", True), ("Test-hard", True), ("easy_test", True), ("evaluation", True), ("benchmark", True), ("held_out", True), ("holdout", True),
     ("train", False), ("validation", False), ("easy-validation", False), ("latest", False), ("", False)],
)  # fmt: skip
def test_which_splits_models_are_compared_on(split: str, held_out: bool) -> None:
    assert is_held_out(split) is held_out

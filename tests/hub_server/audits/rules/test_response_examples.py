"""Which responses fill a form."""

from typing import Any

from hub_server.audits.rules.response_examples import MOST_CHARACTERS, choose_responses
from schemas.evidence.cases import AuditCase


def chosen(*cases: dict[str, Any]) -> list[str]:
    rows = [{"id": f"c{at}", "task_id": "t1", "response": "x", **one} for at, one in enumerate(cases)]
    return [case.id for case in choose_responses([AuditCase.read(row) for row in rows])]


def test_one_right_and_one_wrong_of_the_same_task() -> None:
    others = {"label": "incorrect", "task_id": "t2"}
    assert chosen(others, {"label": "correct"}, {"label": "incorrect"}, {"label": "correct"}) == ["c1", "c2"]


def test_a_wrong_response_without_a_right_one_is_shown_alone() -> None:
    assert chosen({"label": "incorrect"}) == ["c0"]


def test_a_blank_response_comes_last() -> None:
    assert chosen({"label": "incorrect", "response": " "}, {"label": "incorrect", "task_id": "t2"}) == ["c1"]
    assert chosen({"label": "incorrect", "response": " "}) == ["c0"]


def test_episodes_and_long_responses_are_none() -> None:
    episode = {"label": "correct", "messages": [{"role": "assistant", "content": "x"}]}
    assert chosen(episode, {"label": "correct", "response": "x" * MOST_CHARACTERS}) == []

"""Tasks and answers as text: none of these functions raises, whatever JSON a stranger wrote."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.site.rendering.texts import answer_text, both_ends, expected_text, prompt_text, setting_text
from schemas.evidence.cases import AuditCase

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["prompt", "messages", "answer", "content", "role"])


@given(st.dictionaries(KEYS, JSON, max_size=3) | JSON)
@settings(max_examples=80)
def test_any_json_at_all_becomes_text(value: object) -> None:
    for show in (prompt_text, expected_text, setting_text):
        assert isinstance(show(value), str)


def test_the_systems_message_is_left_out_and_the_others_stay() -> None:
    messages = [{"role": "system", "content": "You add."}, {"role": "user", "content": "1 + 1?"}]
    assert prompt_text({"prompt": messages}) == "1 + 1?"
    assert prompt_text({"prompt": "2 + 2?"}) == "2 + 2?"


def case(**what: object) -> AuditCase:
    return AuditCase.model_validate({"id": "a", "label": "correct", "task": {"prompt": "p", "answer": 2}, **what})


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ({"response": "two"}, "two"),
        ({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "two"}]}, "two"),
    ],
)
def test_what_the_model_did_is_its_last_word(what, text) -> None:
    assert answer_text(case(**what)) == text


@pytest.mark.parametrize(("answer", "text"), [(2, "2"), ("two", "two")])
def test_the_answer_of_a_task_is_shown_as_it_is(answer, text) -> None:
    assert expected_text({"prompt": "p", "answer": answer}) == text
    assert expected_text({"prompt": "p"}) == expected_text("no task at all")


def test_settings_are_one_line_each_and_even_what_is_no_json_is_shown() -> None:
    assert setting_text("plain text") == "plain text"
    assert json.loads(setting_text({"lr": 1e-6, "names": ["é"]})) == {"lr": 1e-6, "names": ["é"]}
    assert "object" in setting_text({"x": object()})
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert isinstance(setting_text(deep), str)


def test_a_long_answer_is_shown_with_its_end_where_the_verdict_is_decided() -> None:
    text = "First I add. " * 60 + "A: 12"
    shown = both_ends(text)
    assert shown.startswith("First I add.")
    assert shown.endswith("A: 12")
    assert len(shown) < 250
    assert both_ends("short") == "short"

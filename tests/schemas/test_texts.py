"""Tasks and messages as text: what each reader gets, and that no JSON of a stranger breaks any."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.task import Task
from schemas.texts import MOST_CHARACTERS, json_text, message_text, prompt_text

CHAT = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "content": "What is 2 + 2?"},
    {"role": "assistant", "content": "4"},
    {"role": "user", "content": [{"type": "text", "text": "And this?"}, {"type": "image_url", "image_url": {}}]},
]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize("task", [{"prompt": CHAT}, Task(id="1", prompt=CHAT)])
def test_a_record_keeps_every_role_and_a_comparison_leaves_the_system_out(task):
    assert prompt_text(task) == "You are terse.\n\nWhat is 2 + 2?\n\n4\n\nAnd this? [image_url]"
    assert prompt_text(task, without={"system"}) == "What is 2 + 2?\n\n4\n\nAnd this? [image_url]"


def test_a_plain_prompt_is_itself():
    assert prompt_text({"prompt": "Say 1."}) == prompt_text(Task(id="1", prompt="Say 1.")) == "Say 1."


def test_where_only_the_system_speaks_it_is_shown():
    assert prompt_text({"prompt": CHAT[:1]}, without={"system"}) == "You are terse."


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ({}, ""),
        ({"prompt": None}, ""),
        ({"prompt": []}, ""),
        ({"prompt": 7}, "7"),
        ({"prompt": ["a", None, {"content": {"deep": 1}}]}, 'a\n\n\n\n{\n  "deep": 1\n}'),
        ([1, "b"], "1\n\nb"),
        (None, ""),
    ],
)
def test_odd_tasks_have_a_text_as_well(task, text):
    assert prompt_text(task) == text


@given(JSON)
@example({"role": []})
def test_no_json_raises(value):
    for task in (value, {"prompt": value}, {"prompt": [{"role": "user", "content": value}, value]}):
        assert isinstance(prompt_text(task), str)
        assert isinstance(prompt_text(task, without={"system"}), str)
    assert isinstance(message_text(value), str)


def test_what_is_nested_too_deeply_is_said_so():
    value = []
    for _ in range(100_000):
        value = [value]
    assert "too deeply" in json_text(value)


def test_json_is_cut():
    assert len(json_text("x" * 2 * MOST_CHARACTERS)) == MOST_CHARACTERS + 2

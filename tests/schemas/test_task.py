"""Tasks: what reaches the model, and when two are the same question."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.task import Message, Task, canonical_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def test_answer_and_info_never_reach_the_model():
    shown = Task(id="1", prompt="?", answer="secret", info={"hint": "secret"}).public()
    assert "secret" not in shown.model_dump_json()
    assert shown.id == "1"


@given(JSON, JSON, st.booleans())
def test_a_line_is_the_task_or_the_public_task(answer, info, is_chat):
    prompt = [Message(role="user", content="é?", name="x")] if is_chat else "é?"
    task = Task(id="1", prompt=prompt, answer=answer, info={"secret": info}, tags=["a", "\u2028"])
    assert task.to_line(with_answer=False).decode() == task.public().model_dump_json() + "\n"
    assert task.to_line(with_answer=True).decode() == task.model_dump_json() + "\n"
    assert task.answer == answer, "the task itself stays as it is"


def test_a_plain_prompt_is_one_message_of_the_user():
    assert Task(id="1", prompt="?").messages() == [{"role": "user", "content": "?"}]
    assert Task(id="1", prompt=[Message(role="system", content="x")]).messages() == [{"role": "system", "content": "x"}]


@given(JSON, JSON)
def test_the_same_question_is_known_under_any_id(answer, info):
    one = Task(id="1", prompt="?", answer=answer, split="train", tags=["a"])
    other = Task(id="2", prompt=[Message(role="user", content="?")], answer=answer, split="test")
    assert one.content_key == other.content_key
    assert one.key != other.key
    assert one.content_key != Task(id="1", prompt="? ", answer=answer).content_key


@given(JSON)
def test_canonical_json_is_the_same_for_any_order_of_keys(value):
    data = canonical_json({"b": value, "a": 1})
    assert data == canonical_json({"a": 1, "b": value})
    assert json.loads(data) == {"a": 1, "b": value}


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_lacks_have_no_canonical_form(number):
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(number)

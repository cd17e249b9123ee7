import pytest

from hub_client.imports.row_shapes import Shape, final_answer, find_shape


def _task(row):
    shape = find_shape(row)
    assert isinstance(shape, Shape), shape
    return shape.task(row)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("48/2 = 24\n#### 1,024", "1024"),
        (r"So $\boxed{1}$, or rather $\boxed{x+1}$.", "x+1"),
        (" Paris ", "Paris"),
        (7, "7"),
        (0, "0"),
        (None, ""),
    ],
)
def test_the_answer_of_a_worked_solution_is_its_end(text, answer: str) -> None:
    assert final_answer(text) == answer


def test_a_question_with_an_answer() -> None:
    task = _task({"question": "1+1?", "answer": "#### 2"})
    assert task["prompt"].startswith("1+1?\n\n")
    assert task["answer"] == "2"


@pytest.mark.parametrize(
    "row",
    [
        {"choices": ["x", "y", "z"], "answer": 1},
        {"choices": ["x", "y", "z"], "answer": "B"},
        {"choices": ["x", "y", "z"], "answer": "y"},
        {"choices": {"text": ["x", "y", "z"], "label": ["1", "2", "3"]}, "answerKey": "2"},
    ],
    ids=["number", "letter", "text", "arc"],
)
def test_choices_are_lettered_however_the_right_one_is_given(row) -> None:
    task = _task({"question": "Which?", **row})
    assert "A. x\nB. y\nC. z" in task["prompt"]
    assert task["answer"] == "B"


@pytest.mark.parametrize(
    "row",
    [{"choices": ["x", "y"], "answer": 2}, {"choices": ["x"], "answer": 0}, {"choices": ["x", "y"], "answer": "z"}],
)
def test_a_choice_that_is_not_there_makes_no_task(row) -> None:
    assert _task({"question": "Which?", **row}) is None


def test_a_conversation_is_asked_without_the_assistants_answer() -> None:
    said = [{"from": "human", "value": "Capital of France?"}, {"from": "gpt", "value": "Paris"}]
    task = _task({"conversations": said, "answer": "Paris"})
    assert [message["role"] for message in task["prompt"]] == ["user"]
    assert "Paris" not in str(task["prompt"])
    assert "no column with the right answer" in find_shape({"conversations": said})


def test_a_preferred_response_is_a_or_b_and_neither_letter_always_wins() -> None:
    tasks = [_task({"prompt": "Say it.", "chosen": f"good {n}", "rejected": f"bad {n}"}) for n in range(40)]
    assert {task["answer"] for task in tasks} == {"A", "B"}
    for number, task in enumerate(tasks):
        assert f"Response {task['answer']}:\n\ngood {number}" in task["prompt"]
    assert _task({"chosen": "same", "rejected": "same"}) is None


def test_a_preference_between_conversations_shows_what_was_asked() -> None:
    asked = [{"role": "user", "content": "Why?"}]
    task = _task({name: [*asked, {"role": "assistant", "content": name}] for name in ("chosen", "rejected")})
    assert "user: Why?" in task["prompt"]


def test_programs_in_the_two_usual_forms() -> None:
    human = _task(
        {
            "prompt": "def f(x):\n",
            "test": "def check(g):\n    assert g(1) == 2",
            "entry_point": "f",
            "canonical_solution": "    return x + 1\n",
        }
    )
    assert human["answer"] == "def f(x):\n    return x + 1\n"
    assert human["info"]["tests"].endswith("check(f)")
    assert "assert" not in human["prompt"]
    mbpp = _task(
        {"text": "Add one.", "test_list": ["assert f(1) == 2", "assert f(2) == 3"], "code": "def f(x): return x + 1"}
    )
    assert mbpp["info"]["tests"].splitlines()[-2:] == ["assert f(1) == 2", "assert f(2) == 3"]
    assert "assert f(1) == 2" in mbpp["prompt"], "the function's name is said nowhere else"


def test_other_columns_are_named() -> None:
    assert "its columns (id, url)" in find_shape({"id": 1, "url": "x"})

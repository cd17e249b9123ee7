"""A wrong answer to the same task in another form: the question and the value of its answer stay what they are."""

import random

import pytest

from sandbox.audit.probes.leak_task_form import FAMILY
from sandbox.audit.probes.material import Example, Material

TASK = {"id": "sum-17", "prompt": "2 + 3?", "answer": "5"}


def drafts(task, *, is_accepted: bool = False, **shown):
    wrong = (Example(task, is_accepted=is_accepted, **(shown or {"response": "It is 7."})),)
    right = tuple(Example(task, str(task.get("answer"))) for _ in range(3))
    return {one.way: one for one in FAMILY.make(Material({}, (task,), right, wrong=wrong), random.Random(1))}


def test_every_form_asks_the_same_and_wants_the_same() -> None:
    found = drafts(TASK)
    assert len(found) == 17
    assert FAMILY.most == 46
    assert found["a long prompt"].task["prompt"].endswith("\n\n2 + 3?")
    assert len(found["a long prompt"].task["prompt"]) > 1000
    assert found["another script"].task["prompt"].endswith("\n\n2 + 3?")
    assert not found["another script"].task["prompt"].isascii()
    assert found["a chat"].task["prompt"] == [{"role": "user", "content": "2 + 3?"}]
    assert [one["role"] for one in found["a chat with a system message"].task["prompt"]] == ["system", "user"]
    rules, asked = found["a chat with a long system message"].task["prompt"]
    assert (rules["role"], asked["content"]) == ("system", "2 + 3?")
    assert len(rules["content"]) > 600
    assert found["a chat in parts"].task["prompt"] == [
        {"role": "user", "content": [{"type": "text", "text": "2 + 3?"}]}
    ]
    assert found["a chat with turns before it"].task["prompt"][-1] == {"role": "user", "content": "2 + 3?"}
    assert found["another language"].task["prompt"].endswith("\n\n2 + 3?")
    assert "ä" in found["another language"].task["prompt"]
    assert "```" in found["a page with marks"].task["prompt"]
    assert found["a page with marks"].task["prompt"].endswith("2 + 3?")
    assert repr(found["a number with a point as its answer"].task["answer"]) == "5.0"
    assert found["a number as its answer"].task["answer"] == 5
    assert "difficulty" in found["more members"].task["info"]
    assert found["a list as its answer"].task["answer"] == ["5"]
    assert found["aliases beside it"].task["info"]["aliases"] == ["5"]
    for one in found.values():
        assert one.response == "It is 7."
        golds = one.task["answer"]
        assert {float(gold) for gold in (golds if isinstance(golds, list) else [golds])} == {5}


def test_an_id_has_the_look_of_the_tasks_own() -> None:
    for one in drafts(TASK).values():
        assert one.task["id"] != "sum-17"
        assert one.task["id"].startswith("sum-")
    assert all(one.task["id"][:-1] == "word" for one in drafts(TASK | {"id": "word"}).values())


@pytest.mark.parametrize(("answer", "other"), [(5, "5"), (2.5, "2.5"), ("2.5", 2.5), ("-12", -12)])
def test_a_number_and_its_text_stand_for_each_other(answer, other) -> None:
    changed = [one.task["answer"] for one in drafts(TASK | {"answer": answer}).values()]
    assert other in changed
    assert type(other) in map(type, changed)


@pytest.mark.parametrize("answer", ["05", "1,000", "2.50", "Oslo", ["5"], True, {"a": 1}, "9" * 30])
def test_an_answer_that_would_be_another_one_as_a_number_stays(answer) -> None:
    for way, one in drafts(TASK | {"answer": answer}).items():
        golds = one.task["answer"]
        for gold in golds if way in {"a list as its answer", "several answers"} else [golds]:
            assert gold == answer
            assert type(gold) is type(answer)


def test_what_a_task_says_of_itself_stays() -> None:
    task = TASK | {"info": {"source": "a book", "tolerance": 2}, "prompt": [{"role": "user", "content": "2 + 3?"}]}
    found = drafts(task)
    assert (
        found["more members"].task["info"] | {"source": "a book", "tolerance": 2} == found["more members"].task["info"]
    )
    assert "a chat" not in found


def test_the_question_gets_no_words_where_what_was_done_is_judged() -> None:
    """A verifier may refuse what no question asked for: with more words in the question it may be asked for."""
    assert set(drafts(TASK, state={"answer": "7"})) == {
        "a chat",
        "a chat in parts",
        "a number with a point as its answer",
        "a number as its answer",
        "more members",
        "tags and a split",
    }


def test_options_are_added_to_questions_for_numbers_and_written_otherwise_where_they_are() -> None:
    number = TASK | {"answer": "55"}
    assert {one for one in drafts(number, response="That gives 77.") if "beside" in one or "options" in one} == {
        "options added",
        "options added in a line",
        "choices beside it",
        "options beside it",
        "aliases beside it",
        "answers beside it",
    }
    choice = {"id": "c1", "prompt": "Which?\nA) salt\nB) sugar", "answer": "A"}
    found = drafts(choice, response="B")
    assert "options in brackets" in found
    assert "options added" not in found
    assert found["more options"].task["prompt"].startswith("Which?\nA) salt\nB) sugar\nC) ")


def test_what_is_accepted_and_what_could_be_looked_up_are_left_out() -> None:
    assert drafts(TASK, is_accepted=True) == {}
    assert drafts({"id": "t", "prompt": "?"}) == {}

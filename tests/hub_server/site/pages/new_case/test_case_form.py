"""What was typed, as a case."""

import json

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.site.pages.new_case.case_form import CaseForm, case_of, own_task
from schemas.manifest import RewardDeclaration


@pytest.mark.parametrize("number", ["1e999", "NaN", "[" * 5000 + "]" * 5000])
def test_a_typed_task_with_what_no_json_holds_is_told_so(number: str) -> None:
    errors: dict[str, str] = {}
    form = CaseForm(task=f'{{"prompt": "x", "answer": {number}}}').unpacked()
    assert own_task(form, errors) is None
    assert "not JSON" in errors["details"]


@pytest.mark.parametrize(
    "task",
    [
        {"id": "mine", "prompt": "1+1?", "answer": 2},
        {"id": "mine", "prompt": "1+1?", "answer": "2", "info": {"unit": "cm"}},
        {"id": "mine", "prompt": [{"role": "user", "content": "1+1?"}], "answer": ["2", "two"]},
        {"id": "mine", "prompt": "1+1?"},
    ],
)
def test_a_whole_task_comes_through_the_fields_as_it_was(task: dict) -> None:
    form = CaseForm(task=json.dumps(task)).unpacked()
    errors: dict[str, str] = {}
    assert own_task(form, errors) == task
    assert errors == {}


def test_a_reward_is_expected_on_the_side_that_was_chosen() -> None:
    declared = {
        "correct": RewardDeclaration(),
        "tone": RewardDeclaration(range=(-1, 1), threshold=0.25),
        "rest": RewardDeclaration(),
    }
    form = CaseForm(
        task_id="t",
        response="x",
        label="correct",
        reward=["correct", "tone", "rest", "gone"],
        must=["reaches", "below", "", "below"],
    )
    assert case_of(form, declared).expect == {"correct": 0.5, "tone": -1.0}


def test_a_draft_may_say_nothing_of_its_label_but_no_nonsense() -> None:
    form = CaseForm(task_id="t", response="x")
    assert case_of(form, {}, is_draft=True).task_id == "t"
    with pytest.raises(InvalidRequestError):
        case_of(form, {})
    with pytest.raises(InvalidRequestError):
        case_of(form.model_copy(update={"label": "maybe"}), {}, is_draft=True)


def test_a_response_of_several_lines_is_the_one_that_was_typed() -> None:
    """Browsers send CR LF at each end of a line: with it, the same response was another one to a verifier."""
    form = CaseForm(prompt="Say\r\nit", answer="a\r\nb", response="a\r\nb", label="correct", note="x\r\ny")
    case = case_of(form, {})
    assert (case.response, case.note) == ("a\nb", "x\ny")
    assert case.task == {"id": "submitted", "prompt": "Say\nit", "answer": "a\nb"}

"""Function calls made by rule: the label is what running them says."""

import json

import pytest

from schemas.evidence.cases import Label
from scripts.field_study import made_calls
from scripts.field_study.cases import cases_of

TABLE = {"place": "Il Forno", "guests": 4, "deposit": 20.0, "wishes": ["quiet", "window"]}


def test_calls_that_do_the_same_are_the_same() -> None:
    expected = made_calls.run([{"book_table": TABLE}])
    assert made_calls.run([{"book_table": {**TABLE, "deposit": 20, "outside": False}}]) == expected
    assert made_calls.run([{"book_table": {**TABLE, "outside": True}}]) != expected
    assert made_calls.run([{"book_table": {**TABLE, "wishes": ["window", "quiet"]}}]) != expected


@pytest.mark.parametrize(
    "call",
    [
        {"cancel_table": TABLE},
        {"book_table": {**TABLE, "note": "soon"}},
        {"book_table": {**TABLE, "guests": "4"}},
        {"book_table": {**TABLE, "outside": 0}},
        {"book_table": {**TABLE, "guests": True}},
        {"book_table": {name: value for name, value in TABLE.items() if name != "guests"}},
    ],
)
def test_a_call_that_cannot_be_made_does_nothing(call: dict) -> None:
    assert made_calls.run([call]) is None


def test_every_label_is_what_running_the_calls_says() -> None:
    for case in cases_of("calls"):
        same = made_calls.run(json.loads(case.response)) == made_calls.run(json.loads(case.task["answer"]))
        assert same == (case.label is Label.CORRECT), case.id


def test_a_form_whose_label_is_not_what_its_calls_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(made_calls.WRONG, "same again", lambda calls: calls)
    with pytest.raises(AssertionError, match="same again"):
        list(made_calls.cases(each=1))


def test_the_allowed_values_are_the_expected_call_and_the_default_may_be_left_out() -> None:
    task = next(iter(made_calls.cases(each=1)))["task"]
    (table, _install) = json.loads(task["answer"])
    allowed = task["info"]["possible"][0]["book_table"]
    assert allowed.pop("outside") == [False, ""]
    assert {name: [value] for name, value in table["book_table"].items()} == allowed

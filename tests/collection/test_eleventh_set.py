"""The labels of the eleventh set of answers, worked out again (Verihub, Apache-2.0)."""

from collections import Counter

import pytest

from tests.collection.strangers.eleventh import labels

LINES = labels.load()


def test_every_label_is_what_sympy_gives():
    wrong = [(line["question"], line["response"]) for line in LINES if not labels.is_as_labelled(line)]
    assert wrong == []


def test_each_question_has_three_right_and_three_wrong_answers():
    counts = Counter((line["question"], line["label"]) for line in LINES)
    assert len(counts) == 2 * 171
    assert set(counts.values()) == {3}
    assert len({(line["question"], line["response"]) for line in LINES}) == len(LINES)


@pytest.mark.parametrize(
    ("truth", "value"),
    [("6", "9"), ("Tuple(2,1)", "Tuple(1,2)"), ("Interval.open(-oo,-4)", "Interval(-oo,-4)"), ("'no'", "'yes'")],
)
def test_a_label_that_is_wrong_is_found(truth, value):
    line = {"truth": truth, "gold_value": truth, "value": value, "label": True}
    assert not labels.is_as_labelled(line)
    assert labels.is_as_labelled(line | {"label": False})

"""Messages that are read every day: their grammar, and the name that was meant."""

import pytest

from schemas.wording import counted, nearest, noun, suggestion, uncapitalised


@pytest.mark.parametrize(
    ("count", "one", "said"),
    [
        (0, "case", "0 cases"),
        (1, "case", "1 case"),
        (2, "case", "2 cases"),
        (1, "dependency", "1 dependency"),
        (3, "dependency", "3 dependencies"),
        (2, "day", "2 days"),
    ],
)
def test_a_number_stands_with_its_noun(count, one, said):
    assert counted(count, one) == said


def test_an_irregular_plural_is_handed_in():
    assert noun(2, "box", "boxes") == "boxes"
    assert noun(1, "box", "boxes") == "box"


def test_the_name_that_was_meant_is_offered():
    assert nearest("lerning_rate", ["learning_rate", "steps"]) == "did you mean 'learning_rate'?"
    assert suggestion("lerning_rate", ["learning_rate", "steps"]) == "did you mean 'learning_rate'?"
    assert suggestion("qqq", ["one", "two"]) == ""


def test_where_nothing_is_alike_all_names_are_listed():
    assert nearest("qqq", ["one", "two"]) == "there are one, two"
    assert nearest("qqq", ["one", "two"], what="known keys:") == "known keys: one, two"
    assert nearest("qqq", []) == "there are none"


def test_a_sentence_after_a_colon_begins_small_unless_it_begins_with_a_name_in_capitals():
    assert uncapitalised("No case is there.") == "no case is there."
    assert uncapitalised("FPR is large.") == "FPR is large."
    assert uncapitalised("A case.") == "a case."
    assert not uncapitalised("")

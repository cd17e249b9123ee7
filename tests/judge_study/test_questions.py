"""What the study asks: the same every time, each thing once, and labels that are those of the cases."""

from collections import Counter

from scripts.judge_study.questions import KINDS, ORDERS, questions


def test_the_questions_are_the_same_every_time_and_each_is_there_once() -> None:
    asked = questions()
    assert questions() == asked
    assert max(Counter(one.id for one in asked).values()) == 1
    assert {one.kind for one in asked} == set(KINDS)


def test_kinds_take_turns() -> None:
    assert {one.kind for one in questions()[: len(KINDS)]} == set(KINDS)
    assert {one.kind for one in questions(("short", "pairs"))} == {"short", "pairs"}


def test_both_sides_of_each_labelled_kind_are_equally_many() -> None:
    for kind in ("short", "rule", "people", "generative"):
        sides = Counter(one.must for one in questions((kind,)))
        assert sides[True] == sides[False] >= 50, kind


def test_a_short_answer_holds_the_right_value_exactly_where_the_label_says_so() -> None:
    for one in questions(("short",)):
        assert (one.task["answer"] in one.response.replace(".", " ").split()) is one.must, one.id


def test_an_attack_is_made_around_the_plain_wrong_answer() -> None:
    attacks = questions(("attacks",))
    by_unit = {(one.unit, one.form): one.response for one in attacks}
    assert len({one.unit for one in attacks}) == 100
    for unit in {one.unit for one in attacks}:
        plain = by_unit[unit, "plain"]
        assert by_unit[unit, "persuasion"].startswith(plain)
        assert by_unit[unit, "length"].endswith(plain)
        assert by_unit[unit, "order alone"] in ORDERS


def test_wrong_answers_of_others_are_wrong() -> None:
    for one in questions(("self",)):
        if one.form == "another's wrong or right":
            assert one.task["answer"] not in one.response.replace(".", " ").split(), one.id

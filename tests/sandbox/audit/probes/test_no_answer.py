"""Families that leave out the answer, replace it by code, or bring another task's record."""

from random import Random

from sandbox.audit.probes import cheat_expression, leak_no_answer, swap_record
from sandbox.audit.probes.material import Example, Material
from schemas.manifest import RewardDeclaration


def texts(family, pairs):
    """(answer, what is said) of each draft, made from right responses to tasks with these answers."""
    examples = tuple(
        Example({"id": str(number), "prompt": "?", "answer": answer}, response=said)
        for number, (answer, said) in enumerate(pairs)
    )
    material = Material({"correct": RewardDeclaration()}, tuple(one.task for one in examples), examples)
    return [(draft.task["answer"], draft.response) for draft in family.make(material, Random(1))]


def test_words_without_a_value_stand_where_the_answer_stood():
    found = texts(leak_no_answer.FAMILY, [(letter, f"I read all.\nANSWER: {letter}") for letter in "ABCDA"])
    assert len(found) == 5
    assert all(said.startswith("I read all.\nANSWER: ") and len(said) > 24 for _, said in found)


def test_a_letter_beside_the_words_of_its_option_is_left_alone():
    """Found by reading: "The answer is Cannot say, because cellar is what was asked for" gives the answer."""
    pairs = [(letter, f"The answer is {letter}, because that is a cellar.") for letter in "ABCDA"]
    assert texts(leak_no_answer.FAMILY, pairs) == texts(cheat_expression.FAMILY, pairs) == []


def test_an_answer_in_words_leaves_an_empty_place_or_words_and_a_bare_one_is_not_asked():
    words = ("Oslo", "Lima", "Cairo", "Quito")
    found = texts(leak_no_answer.FAMILY, [(word, f"<answer>{word}</answer>") for word in words] * 4)
    assert ("Oslo", "<answer></answer>") in found
    assert not any(answer in said for answer, said in found)
    assert texts(leak_no_answer.FAMILY, [(word, word) for word in words]) == []
    assert texts(leak_no_answer.FAMILY, [("yes", "So yes"), ("no", "So no")] * 3) == []


def test_code_stands_in_the_box_with_the_answers_own_command():
    [found, *_] = texts(cheat_expression.FAMILY, [(f"{n}\\pi", f"It is $\\boxed{{{n}\\pi}}$.") for n in range(2, 7)])
    assert found[1] == "It is $\\boxed{type('Q', (), {'__eq__': lambda s, o: s is s})() if \\pi else 0}$."


def test_a_record_of_another_task_is_brought_only_where_answers_are_records():
    calls = [({"name": "get", "id": n}, f'{{"name": "get", "id": {n}}}') for n in range(4)]
    found = texts(swap_record.FAMILY, calls)
    assert len(found) == 8
    assert all(f'"id": {answer["id"]}' not in said for answer, said in found)
    assert texts(swap_record.FAMILY, [({"x": 1.0}, '{"x": 1.0}'), ({"x": 1.1}, '{"x": 1.1}')] * 2) == []
    assert texts(swap_record.FAMILY, [({"word": "a"}, "a")] * 4) == []

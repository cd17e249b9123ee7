import random

import pytest

from hub_server.evaluations.rules.quality.contamination import contamination

TEXT = "a farmer has seven cows and sells three of them at the market on a rainy monday in may"


def test_a_copied_passage_is_found_whatever_its_case_and_commas():
    train = {"t1": "Nothing of the kind is written here at all, not one word.", "t2": f"Once: {TEXT.upper()}! The end."}
    found = contamination(train, {"x": TEXT.replace("cows", "cows,"), "y": "entirely other words"})
    assert found.share.value == 0.5
    assert found.share.high - found.share.low > 0.6
    (overlap,) = found.overlaps
    assert (overlap.task, overlap.where) == ("x", "t2")
    assert overlap.longest == len(TEXT.split())
    assert overlap.covered == 1.0


def test_twelve_shared_words_are_not_enough_and_thirteen_are():
    words = TEXT.split()
    assert contamination({"t": " ".join(words[:12]) + " x"}, {"x": TEXT}).share.value == 0
    found = contamination({"t": " ".join(words[:13]) + " x"}, {"x": TEXT})
    assert found.overlaps[0].longest == 13
    assert found.overlaps[0].covered == pytest.approx(13 / len(words))


def test_a_short_task_must_match_as_a_whole():
    assert contamination({"t": "What is 2 + 2?"}, {"x": "what is 2 2"}).share.value == 1
    assert contamination({"t": "What is 2 + 3?"}, {"x": "what is 2 2"}).share.value == 0


def test_two_separate_passages_do_not_make_one_long_run():
    words = TEXT.split()
    test = " ".join([*words[:14], "interrupted", "here", *words[:15]])
    overlap = contamination({"t": TEXT}, {"x": test}).overlaps[0]
    assert overlap.longest == 15
    assert overlap.covered == pytest.approx(29 / 31)


def test_without_test_tasks_there_is_no_contamination():
    assert contamination({"t": TEXT}, {}).share.value == 0.0


def test_the_words_of_a_template_are_no_leak():
    """Every training task begins with the same sentence: sharing it says nothing, sharing what follows does."""
    train = {f"t{n}": f"{TEXT} number {n}" for n in range(12)} | {
        "leak": "one two three four five six seven eight nine ten eleven twelve thirteen"
    }
    test = {"same-template": f"{TEXT} something new", "leaked": f"{TEXT} {train['leak']}"}
    assert [overlap.task for overlap in contamination(train, test).overlaps] == ["leaked"]
    assert [overlap.task for overlap in contamination(train, test, common=99).overlaps] == ["leaked", "same-template"]


def test_the_planted_share_is_found_and_lies_in_its_interval():
    dice = random.Random(0)
    words = [f"w{n}" for n in range(500)]
    train = {f"t{n}": " ".join(dice.choices(words, k=40)) for n in range(200)}
    test = {f"x{n}": " ".join(dice.choices(words, k=40)) for n in range(170)}
    test |= {f"leak{n}": f"see: {train[f't{n}']} and so on" for n in range(30)}
    found = contamination(train, test)
    assert found.share.value == pytest.approx(0.15)
    assert found.share.low < 0.15 < found.share.high
    assert {overlap.task for overlap in found.overlaps} == {f"leak{n}" for n in range(30)}

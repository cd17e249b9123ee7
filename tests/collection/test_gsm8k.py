"""The words around a number are read: those that change it, take it back or offer another."""

import re

import pytest

from sandbox.interface import Call


@pytest.fixture
def judge(packed, local_sandbox):
    def run(gold: str, response: str) -> float | None:
        task = {"id": "t", "prompt": "How many?", "answer": gold}
        [(_, verdict)] = local_sandbox.score(packed.source("gsm8k"), [Call("1", task, response)])
        return verdict.rewards["correct"]

    return run


@pytest.mark.parametrize(
    "response",
    [
        "#### 42 million",
        "42 thousand",
        "42k",
        "#### negative 42",
        "#### minus 42",
        "#### ≠ 42",
        "#### != 42",
        "#### at most 42",
        "#### < 42",
        "#### about 42",
        "#### more than 42",
        "#### \\sqrt{42}",
        "#### x + 42",
        "#### 2 times 42",
        "#### 100 minus 42",
        "#### \\frac{1}{42} apples",
        "#### 42^2",
        "#### 42 plus 1",
        "#### 42 (or 41)",
        "#### 41 vs 42",
        "41 alternatively 42",
        "41 oder 42",
        "#### 41 < x < 42",
        "The answer is 42; or 41.",
        "42. It could also be 41.",
        "#### 42\nActually that is wrong, it is 41.",
        "It is not \\boxed{42}.",
        "5 + 5 apples = 42",
        "thirty twelve",
        "4" * 5000,
        "1e999",
        "42 ❌",
        "¬42",
        "anything but 42",
        "I doubt that it is 42.",
        "42 is too low",
        "42? No.",
    ],
)
def test_a_number_that_is_changed_denied_or_one_of_several_is_no_answer(judge, response):
    assert judge("42", response) == 0.0


@pytest.mark.parametrize(
    ("gold", "response"),
    [
        ("1000000", "#### 1 million"),
        ("3000", "#### 3k"),
        ("3000", "three thousand"),
        ("-5", "#### negative 5"),
        ("-5", "#### minus 5"),
        ("42", "#### 42 apples in 3 boxes"),
        ("42", "#### 42 apples, 21 each"),
        ("42", "\\boxed{42\\,\\text{m}^2}"),
        ("42", "#### 42, not 41"),
        ("42", "答案是42。"),
        ("42", "####\n42"),
        ("42", "So she has 42 apples left after 3 days."),
        ("42", "Not counting Bob, the total is 42."),
        ("36", "1260 / 3500 * 100 = 36%"),
        ("0.5", "½"),
        ("0.5", "\\frac12"),
        ("2.5", "2 1/2"),
        ("42", "The difference between 100 and 58 is 42."),
    ],
)
def test_what_people_write_around_a_right_number_is_read(judge, gold, response):
    assert judge(gold, response) == 1.0


@pytest.mark.parametrize(
    "response",
    [
        "one" + " hundred" * 2_490,
        "one" + " hundred" * 2_490 + "\n42",
        "forty-two" + " million" * 2_000,
        "#### " + "9" * 6_000,
        "1e999 thousand",
        "1.5e999 million",
        "#### 1e-999",
        "1e999 1/3",
    ],
)
def test_a_number_too_large_for_anything_is_wrong_and_never_unjudged(judge, response: str) -> None:
    """A thousand hundreds in a row had no verdict, and what has none is no 0."""
    assert judge("7", response) == 0.0


def test_validation_shares_no_run_of_words_with_other_splits(projects) -> None:
    rows = {split: projects["gsm8k"].rows(f"{split}.jsonl") for split in ("train", "validation", "test")}
    assert {split: len(found) for split, found in rows.items()} == {"train": 6973, "validation": 500, "test": 1319}
    runs = {split: [_runs(row["prompt"]) for row in found] for split, found in rows.items()}
    others = set().union(*runs["train"], *runs["test"])
    assert [row["id"] for row, own in zip(rows["validation"], runs["validation"], strict=True) if own & others] == []
    assert all(row["split"] == "validation" for row in rows["validation"])
    assert len({row["id"].split("-")[1] for row in rows["train"] + rows["validation"]}) == 7473


def _runs(prompt: str, size: int = 6) -> set[str]:
    words = re.findall(r"[a-z]+|\d+", prompt.split("\nThink step by step.", maxsplit=1)[0].lower())
    return {" ".join(words[start : start + size]) for start in range(len(words) - size + 1)}


@pytest.mark.parametrize("response", ["*42* apples", "So she has *42* apples.", "_42_", "*42*", "#### *42* apples"])
def test_a_number_in_italics_is_read(judge, response: str) -> None:
    assert judge("42", response) == 1.0
    assert judge("43", response) == 0.0


@pytest.mark.parametrize("response", ["2 *42*", "2*42*3", "2 *42* 3", "x_42_", "*-42* apples"])
def test_stars_that_multiply_are_no_italics(judge, response: str) -> None:
    assert judge("42", response) == 0.0

"""Reported defects of verifiers of short texts and forms."""

import re

from scripts.field_study.unseen.defect import Shown, Task, Unseen, task

WORDS = ("Oslo", "Lima", "Cairo", "Quito", "Delhi", "Tunis", "Rabat", "Seoul", "Dakar", "Hanoi", "Paris", "Minsk")
_FORM = r"<think>.*?</think>\s*<answer>(.*?)</answer>"


def one_line_only(one: Task, text: str) -> float:
    """A dot of the pattern matches no line end."""
    found = re.match(_FORM, text)
    return float(found is not None and found[1].strip() == one["answer"])


def many_lines(one: Task, text: str) -> float:
    found = re.match(_FORM, text, re.DOTALL)
    return float(found is not None and found[1].strip() == one["answer"])


def says_valid(one: Task, text: str) -> float:
    """A text with "valid" or "correct" in it means that there is no error: so does "invalid"."""
    numbers = re.findall(r"-?\d+", text)
    if numbers:
        return float(numbers[0] == one["answer"])
    return float(any(word in text.lower() for word in ("valid", "correct")) and one["answer"] == "-1")


def says_whole_word(one: Task, text: str) -> float:
    numbers = re.findall(r"-?\d+", text)
    if numbers:
        return float(numbers[0] == one["answer"])
    return float(re.search(r"\b(?:valid|correct)\b", text.lower()) is not None and one["answer"] == "-1")


_CAPITALS = [
    (task(f"Which capital is number {n}?", word), f"<think>I remember {n}.</think>\n<answer>{word}</answer>")
    for n, word in enumerate(WORDS)
]
_BRACKETS = [
    (task(f"Where is the first wrong bracket of sequence {n}?", "-1" if n % 3 == 0 else str(n)),
     "valid" if n % 3 == 0 else str(n))
    for n in range(3, 15)
]  # fmt: skip
LIST = (
    Unseen("r1-one-line", "thinking of several lines makes a right form wrong", "huggingface/open-r1#237",
           one_line_only, many_lines, _CAPITALS,
           Shown(_CAPITALS[0][0], "<think>\nI remember.\n</think>\n<answer>Oslo</answer>", "correct")),
    Unseen("synlogic-invalid", "'invalid' contains 'valid'", "PrimeIntellect-ai/verifiers#1503",
           says_valid, says_whole_word, _BRACKETS, Shown(_BRACKETS[0][0], "The sequence is invalid.", "incorrect")),
)  # fmt: skip

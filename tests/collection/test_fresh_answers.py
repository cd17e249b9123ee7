"""Answers that were written before anybody looked at what the packages say of them, right ones and hostile ones.

``fresh_answers/`` holds them, one a line, written by hand for Verihub (MIT) with ``{v}`` for the right value, ``{w}`` for a
wrong one and ``{a} + {b} = {v}``. The labels follow from how they were written. Files that end in ``_2`` were written, and
measured once, after the rule of ``stated.py`` was mended on those that end in ``_1``. What was measured then, of texts:

=============  ====================  ====================  =====================
package        wrong paid, before    wrong paid, blind     right refused, before -> blind
=============  ====================  ====================  =====================
gsm8k          97 of 170             49 of 170             10 -> 12 of 116
calculator     91 of 170             47 of 170             5 -> 10 of 116
change-making  92 of 151             43 of 151             1 -> 6 of 76
math-answer    121 of 170            50 of 170             5 -> 13 of 116
=============  ====================  ====================  =====================

After that the rule was mended on these as well. Files that end in ``_3`` are a third set: answers as chat models write them
(long, corrected, restated, hedged, with units and other countries' number marks), written by somebody who had not read the
code, and measured once. ``v=… a=… b=… w=… :::`` before an answer gives its values, ``{u}`` is its unit:

=============  ====================================  ====================================
package        wrong paid, blind (95 %, Wilson)      right refused, blind
=============  ====================================  ====================================
gsm8k          8 of 129: 6.2 % [3.2, 11.8]           14 of 118: 11.9 % [7.2, 18.9]
calculator     3 of 129: 2.3 % [0.8, 6.6]            28 of 118: 23.7 % [17.0, 32.2]
change-making  5 of 129: 3.9 % [1.7, 8.8]            21 of 118: 17.8 % [11.9, 25.7]
math-answer    12 of 129: 9.3 % [5.4, 15.6]          14 of 118: 11.9 % [7.2, 18.9]
=============  ====================================  ====================================

The rule was mended on these too, so no number below is blind any more.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

HERE = Path(__file__).with_name("fresh_answers")
VALUES = ((42, 41, 17, 25), (156, 165, 96, 60), (9, 8, 5, 4), (730, 703, 480, 250))
"""The right value, a wrong one, and two numbers of the question."""
NOT_OF_AMOUNTS = ("{a}", "{b}", "%", "percent", "$", "USD", "dollars", "{v}k", "{v}e", "{v}.0", "{v}00")
MOST = {"gsm8k": (26, 12), "calculator": (30, 9), "change-making": (13, 10), "math-answer": (31, 14)}
"""Package -> (right forms that it refuses, wrong ones that it pays); they may fall."""


def filled(line: str, values: Sequence[object]) -> str:
    for name, value in zip("vwab", values, strict=True):
        line = line.replace(f"{{{name}}}", str(value))
    return line.replace("\\neq", "\0").replace("\\n", "\n").replace("\0", "\\neq")


def forms(side: str) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    for number in (1, 2):
        lines = (HERE / f"{side}_{number}.txt").read_text().splitlines()
        yield from ((line, VALUES[n % len(VALUES)]) for n, line in enumerate(lines))


MOST_OF_CHATS = {"gsm8k": (1, 2), "calculator": (13, 2), "change-making": (9, 0), "math-answer": (8, 3)}
"""The same for the third set."""


def chats(side: str, unit: str) -> Iterator[tuple[str, list[str]]]:
    """(answer, its values as texts)."""
    for n, line in enumerate((HERE / f"{side}_3.txt").read_text().splitlines()):
        head, told, text = line.rpartition(" ::: ") if line.startswith("v=") else ("", "", line)
        given = dict(part.split("=") for part in head.split()) if told else None
        values = [given[name] for name in "vwab"] if given else [str(value) for value in VALUES[n % len(VALUES)]]
        yield filled(text.replace("{u}", unit), values), values


def pays_chat(package_of, name: str, text: str, values: list[str]) -> bool:
    package = package_of(name)
    if name == "calculator":
        given = {Fraction(value) for value in values[2:]}
        return import_module("lecture_calculator.reading").final_number(text, given) == Fraction(values[0])
    return package.verify({"id": "t", "prompt": "", "answer": values[0]}, text)["correct"] == 1.0


@pytest.mark.parametrize("name", MOST_OF_CHATS)
def test_of_answers_as_chat_models_write_them_few_are_judged_wrongly(package_of, name):
    unit = "dollars" if name == "change-making" else "apples"
    refused = [text for text, values in chats("right", unit) if not pays_chat(package_of, name, text, values)]
    paid = [text for text, values in chats("wrong", unit) if pays_chat(package_of, name, text, values)]
    assert len(refused) <= MOST_OF_CHATS[name][0], refused
    assert len(paid) <= MOST_OF_CHATS[name][1], paid


@pytest.fixture
def pays(package_of):
    """Whether the package takes the form for the right answer; None where it is none of its language."""

    def asked(name: str, line: str, values: tuple[int, int, int, int]) -> bool | None:
        package = package_of(name)
        if name == "calculator":
            given = {Fraction(value) for value in values[2:]}
            return import_module("lecture_calculator.reading").final_number(filled(line, values), given) == values[0]
        if name == "change-making":
            if any(part in line for part in NOT_OF_AMOUNTS) or any(sign.isdigit() for sign in line):
                return None
            text, answer = filled(line, ("3/4", "2/3", "", "")), "3/4"
        else:
            text, answer = filled(line, values), str(values[0])
        return package.verify({"id": "t", "prompt": "", "answer": answer}, text)["correct"] == 1.0

    return asked


@pytest.mark.parametrize("name", MOST)
def test_of_fresh_answers_few_right_ones_are_refused_and_few_hostile_ones_paid(pays, name):
    refused = [line for line, values in forms("right") if pays(name, line, values) is False]
    paid = [line for line, values in forms("wrong") if pays(name, line, values)]
    assert len(refused) <= MOST[name][0], refused
    assert len(paid) <= MOST[name][1], paid


def test_of_fresh_answers_in_mathematics_one_in_a_hundred_is_judged_wrongly(package_of):
    """160 right and 184 wrong answers of many kinds; before the rule 2 and 2 were judged wrongly, one of them a percentage
    whose label could be argued about and was left out.
    """
    verify = package_of("math-answer").verify
    found = {
        side: [
            (answer, response)
            for answer, response in (
                line.split(" ||| ") for line in (HERE / f"math_{side}.txt").read_text().splitlines()
            )
            if (verify({"id": "t", "prompt": "", "answer": answer}, response)["correct"] == 1.0)
            is not (side == "right")
        ]
        for side in ("right", "wrong")
    }
    assert len(found["right"]) <= 2, found["right"]
    assert len(found["wrong"]) <= 1, found["wrong"]

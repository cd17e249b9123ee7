r"""lecture/math-answer on how chats end an answer: one or two sentences, then ``so the slope is $-2$`` or ``**x = 3**``.

``strangers/fifth`` was written before its author had read a line of the verifier or asked it. First look of 4.1.9: 1 of
266 wrong answers accepted (0.4 %), 36 of 266 right ones rejected (13.5 %), of those in a sentence 22 of 78. The lists
``ends_right.txt`` and ``ends_wrong.txt`` were begun before the rule for last sentences: 4.1.9 accepted 22 of 168 wrong ones
and rejected 69 of 115 right ones. ``ends_later_*.txt`` were written after the rule and asked once before it was corrected
on them: 0 of 87 accepted and 15 of 195 rejected, by 4.1.9 1 and 59. In all of them ⏎ is a line's end.
"""

import json
import time
from pathlib import Path

import pytest

from tests.collection.conftest import Judge

HERE = Path(__file__).with_name("strangers")


def stranger_set(name: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / name / "cases.jsonl").read_text().splitlines()]


def wrong_verdicts(accepts: Judge, rows: list[dict]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"accepted": [], "rejected": []}
    for row in rows:
        verdict = accepts(row["gold"], row["response"], row["question"])
        if verdict is not row["right"]:
            found["accepted" if verdict else "rejected"].append(row["response"])
    return found


def test_the_fifth_set_is_judged_as_its_labels_say(accepts: Judge) -> None:
    rows = stranger_set("fifth")
    assert [sum(row["right"] is label for row in rows) for label in (True, False)] == [266, 266]
    assert wrong_verdicts(accepts, rows) == {"accepted": [], "rejected": []}


def test_the_sixth_set_is_judged_no_worse_than_at_first_sight(accepts: Judge) -> None:
    """Nobody had read it when 4.2.0 was asked, once: 1 of 266 wrong answers accepted, 23 of 266 right ones rejected."""
    rows = stranger_set("sixth")
    assert [sum(row["right"] is label for row in rows) for label in (True, False)] == [266, 266]
    wrong = wrong_verdicts(accepts, rows)
    assert len(wrong["accepted"]) <= 1
    assert len(wrong["rejected"]) <= 18


def test_the_seventh_set_is_judged_as_its_labels_say_but_for_four(accepts: Judge) -> None:
    """Committed before 4.2.1 was asked, once: 2 of 100 wrong answers accepted, 16 of 100 right ones rejected.

    4.2.2 is corrected on it. Left are a German sentence, a sum behind a value on the way, and squares in a sentence.
    """
    rows = stranger_set("seventh")
    assert [sum(row["right"] is label for row in rows) for label in (True, False)] == [100, 100]
    assert all(len({row["right"] for row in rows if row["question"] == one["question"]}) == 2 for one in rows)
    wrong = wrong_verdicts(accepts, rows)
    assert wrong["accepted"] == [r"$\sqrt{16+36} \approx 7.2$"]  # disputable: the exact value stands before it
    assert len(wrong["rejected"]) <= 3


def test_the_eighth_set_is_judged_as_its_labels_say_but_for_two(accepts: Judge) -> None:
    """Committed before 4.2.2 was asked, once: 2 of 100 wrong answers accepted, 18 of 100 right ones rejected.

    4.2.3 is corrected on it.
    """
    rows = stranger_set("eighth")
    assert [sum(row["right"] is label for row in rows) for label in (True, False)] == [100, 100]
    wrong = wrong_verdicts(accepts, rows)
    assert wrong["accepted"] == []
    assert len(wrong["rejected"]) <= 2


NOT_READ = [
    r"0 ||| $\frac{1}{n} \to 0$",
    r"\neg p \lor \neg q ||| By De Morgan's law, $\neg(p \land q) \equiv \neg p \lor \neg q$.",
    "x = 1, y = -2, z = 3 ||| From the last row $z = 3$, then $y = -2$, and finally $x = 1$.",
    "HEXAGON ||| The polygon has 6 vertices, which makes it a **hexagon**.",
    r"\vec{v} = (2, 3) ||| $\vec{AB} = B - A = (5-3, 4-1) = (2, 3)$",
]


@pytest.mark.parametrize(
    ("name", "is_right", "known"),
    [("right", True, []), ("wrong", False, []), ("later_right", True, NOT_READ), ("later_wrong", False, [])],
)
def test_last_sentences_are_read_and_what_they_take_back_is_not(
    accepts: Judge, name: str, is_right: bool, known: list[str]
) -> None:
    lines = (HERE / f"ends_{name}.txt").read_text().splitlines()
    assert len(lines) > 80
    misjudged = []
    for line in lines:
        gold, response = line.split(" ||| ")
        if accepts(gold, response.replace(" ⏎ ", "\n")) is not is_right:
            misjudged.append(line)
    assert misjudged == known


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (r"\exists x: x \le 0", r"$\exists x : x \leq 0$", r"$\forall x : x \le 0$"),
        (r"\forall x: x > 1", "∀x: x > 1", "∃x: x > 1"),
        ("(1, 4, -2)", "S(1 | 4 | −2)", "S(1 | −2 | 4)"),
        ("(1/2, 4)", r"$P(\frac12 \mid 4)$", r"$P(4 \mid \frac12)$"),
        (r"\{6, 8\}", r"$A \setminus B = \{6, 8\}$", r"$A \setminus B = \{6\}$"),
        (r"\{6, 8\}", r"$A^c = \{6, 8\}$", r"$A^c = \{8\}$"),
        ("a_4 = 41", "$a_2=5$, $a_3=14$, $a_4=41$.", "$a_4=5$, $a_3=14$, $a_2=41$."),
        ("linearly independent", "independent", "dependent"),
        (r"\frac{1}{3}", r"$\frac{n+1}{3n+2} = \frac{1+1/n}{3+2/n} \to \frac13$", r"$n \to \frac13$"),
        ("B", r"$B(A + \overline{A}) = B\cdot 1 = B$", r"$B(A + \overline{A}) = B\cdot 1 = A$"),
        (r"6\pi", r"$\frac{dA}{dr} = 2\pi r = 2\pi \cdot 3 = 6\pi$", r"$\frac{dA}{dr} = 2\pi r = 6\pi = 9\pi$"),
    ],
)  # fmt: skip
def test_kinds_that_the_first_look_rejected_or_accepted(accepts: Judge, gold: str, right: str, wrong: str) -> None:
    assert accepts(gold, right)
    assert not accepts(gold, wrong)


@pytest.mark.parametrize(
    "unit", ["so ", "is ", "**a** ", "$", "$x$, ", ": ", "gives ", "x=1, ", "for any integer ", "a b "]
)
def test_no_last_sentence_takes_long_to_read(accepts: Judge, unit: str) -> None:
    started = time.thread_time()
    assert not accepts("x = 4", (unit * 30_000)[:30_000] + " so it is **x = 3**.")
    assert time.thread_time() - started < 3.0


OTHER_SIGNS = [
    r"1.5 \text{ h} ||| an hour and a half",
    "2A_{16} ||| 2A",
    "2A_{16} ||| 0x2A",
    "14:30 ||| half past two in the afternoon",
    "y = Ce^{2x} ||| y(x) = A e^{2x}",
    r"20^\circ\text{C} ||| 68 °F",
    r"\text{IV} ||| 4th quadrant",
]


@pytest.mark.parametrize(("side", "known"), [("right", OTHER_SIGNS), ("wrong", [])])
def test_bare_answers_in_other_signs_are_read(accepts: Judge, side: str, known: list[str]) -> None:
    lines = (HERE / f"notation_{side}.txt").read_text().splitlines()
    assert len(lines) >= 25
    assert [line for line in lines if accepts(*line.split(" ||| ")) is not (side == "right")] == known

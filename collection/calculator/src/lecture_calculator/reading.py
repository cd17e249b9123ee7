"""Which number an answer commits to, and which numbers a text holds."""

import re
from fractions import Fraction

from lecture_calculator.arithmetic import CalculationError, calculate_exactly

LONGEST = 4_000
"""Characters of the end of a message that are read. The task asks to end with the number."""

_DIGITS = r"(?:\d{1,3}(?:(?:,|\{,\}|[ \u00a0\u202f'])\d{3}){1,12}(?!\d)|\d{1,40})"
_NUMBER = re.compile(rf"(?<![\w.,])[-−–]?{_DIGITS}(?:\.\d{{1,40}})?(?:[eE][-+]?\d{{1,3}})?(?!\d|[eE][-+]?\d)")
_GROUPING = re.compile(r"(?<=\d)(?:,|\{,\}|[ \u00a0\u202f'])(?=\d{3}(?!\d))")
_MARKUP = re.compile(r"\\(?:boxed|text|mathrm|mathbf|textbf)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_SIGN_WORDS = re.compile(r"\b(?:minus|negative)\s+(?=\d)", re.IGNORECASE)
_REMARK = re.compile(r"\s+\([^()]{1,200}\)\s*[.!]?\s*\Z")
_UNSURE = re.compile(
    r"\b(?:not|isn'?t|never|neither|nor|wrong|incorrect|false|either|or|perhaps|maybe|possibly|probably|might|could"
    r"|about|around|approximately|roughly|almost|nearly|at (?:least|most)|(?:more|less|fewer|greater) than|between"
    r"|under|over|up to|twice|half|alternatively|versus|vs|plus|minus|times|divided by)\b"
    r"|[≠≈~<>!?√]|!=|\\(?:neq?|approx|sqrt|frac)",
    re.IGNORECASE,
)
_CHANGES_WHAT_STANDS_BEFORE = re.compile(
    r"\A\s*(?:[%°^!*/×÷+]|[kKmM]\b|(?:hundred|thousand|million|billion|dozen|percent|per cent|per)\b)", re.IGNORECASE
)
_CHANGES_WHAT_FOLLOWS = re.compile(r"[*/^×÷+%]\s*\Z")
_STOPS = re.compile(r"(?<=[.!?;])\s+|\n+")


def numbers_in(text: str) -> list[Fraction]:
    """Every number in ``text``, in order; of at most 40 digits and a three-digit exponent, so that reading is cheap."""
    return [_read(found.group()) for found in _NUMBER.finditer(text)]


def final_number(text: object, given: set[Fraction]) -> Fraction | None:
    """The one number that the end of ``text`` states, or None where it offers several, doubts or denies it.

    ``given`` are the numbers of the question: repeating them beside the answer is no choice between answers.
    """
    if not isinstance(text, str):
        return None
    sentence = _last_sentence(_plain(_REMARK.sub("", text[-LONGEST:])))
    if "=" in sentence:
        return _value_of_equation(sentence)
    found = list(_NUMBER.finditer(sentence))
    stated = [one for one in found if _read(one.group()) not in given] or found
    if not stated or _UNSURE.search(sentence) or len({_read(one.group()) for one in stated}) != 1:
        return None
    before, behind = sentence[: stated[-1].start()], sentence[stated[-1].end() :]
    if _CHANGES_WHAT_STANDS_BEFORE.match(behind) or _CHANGES_WHAT_FOLLOWS.search(before):
        return None
    return _read(stated[-1].group())


def _plain(text: str) -> str:
    """Without markup, with signs as characters."""
    for _ in range(2):
        text = _MARKUP.sub(r" \1 ", text)
    text = re.sub(r"\\[\[\]()$,!; ]|\*\*|[`_$]", " ", text.replace("\\$", "$"))
    return re.sub(r"(?<!\d) or so ", " ", _SIGN_WORDS.sub("-", text))


def _last_sentence(text: str) -> str:
    """The last sentence that holds a number; nothing when doubt or denial follows it."""
    sentences = [sentence for sentence in _STOPS.split(text) if sentence.strip()]
    for place in range(len(sentences) - 1, -1, -1):
        if _NUMBER.search(sentences[place]):
            is_recanted = any(_UNSURE.search(after) for after in sentences[place + 1 :])
            return "" if is_recanted else sentences[place].strip().rstrip(".")
    return ""


def _value_of_equation(sentence: str) -> Fraction | None:
    """The right-hand side of a true equation: ``3 * 4 = 12``, ``the total = 12``."""
    *left, right = (re.split(r":\s", side)[-1].strip(" .") for side in sentence.split("="))
    value = _calculated(right)
    if value is None:
        return None
    for side in left:
        found = _calculated(side)
        if found is not None and found != value:
            return None
        if found is None and (_NUMBER.search(side) or _UNSURE.search(side)):
            return None
    return value


def _calculated(text: str) -> Fraction | None:
    try:
        value = calculate_exactly(_GROUPING.sub("", text.replace("−", "-").replace("–", "-")))
    except CalculationError:
        return None
    return value if isinstance(value, Fraction) else Fraction(value)


def _read(text: str) -> Fraction:
    return Fraction(_GROUPING.sub("", text).replace("−", "-").replace("–", "-"))

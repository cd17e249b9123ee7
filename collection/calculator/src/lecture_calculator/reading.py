"""Which number an answer states as its answer, and which numbers a text holds."""

import re
from fractions import Fraction

from lecture_calculator.arithmetic import CalculationError, calculate_exactly
from lecture_calculator.number_marks import with_plain_marks
from lecture_calculator.stated import is_stated, without_assurances

LONGEST = 4_000
"""Characters of the end of a message that are read. The task asks to end with the number."""

_DIGITS = r"(?:\d{1,3}(?:(?:,|\{,\}|[ \u00a0\u202f'])\d{3}){1,12}(?!\d)|\d{1,40})"
_NUMBER = re.compile(rf"(?<![\w.,])[-−–]?{_DIGITS}(?:\.\d{{1,40}})?(?:[eE][-+]?\d{{1,3}})?(?!\d|[eE][-+]?\d)")
_GROUPING = re.compile(r"(?<=\d)(?:,|\{,\}|[ \u00a0\u202f'])(?=\d{3}(?!\d))")
_MARKUP = re.compile(r"\\(?:boxed|text|mathrm|mathbf|textbf)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_SIGN_WORDS = re.compile(r"\b(?:minus|negative)\s+(?=\d)", re.IGNORECASE)
_REMARK = re.compile(
    r"\s+\((?!\s*(?:or|maybe|perhaps|possibly|not|wrong|incorrect|false|hex|kidding|joking|just)\b)[^()]{1,200}\)\s*[.!]?\s*\Z",
    re.IGNORECASE,
)
_DENIES = (
    r"\b(?:not|isn'?t|can'?t|cannot|never|neither|nor|wrong|incorrect|false|doubt|except|anything but|opposite"
    r"|approximately|roughly)\b|[≠¬✗✘❌]|!=|\\neq?"
)
_RECANTED = re.compile(rf"{_DENIES}|\A\W*or\b|\b(?:or so|more or less|sorry|actually)\b", re.IGNORECASE)
"""A sentence behind the answer with one of these takes it back. "Do you want to know more about it?" does not."""
_UNSURE = re.compile(
    r"[≠¬✗✘❌]|!=|\\neq?|\b(?:either|or|could|about|around|almost|nearly|at (?:least|most)|and (?:over|under)|twice"
    r"|half|alternatively|versus|vs|plus|minus|times|divided by|too (?:low|high|small|big|large|few|many|much)"
    r"|(?:(?:more|less|fewer|greater) than|between|over|under|up to|like)(?=\s+\$?[-−–]?\d))\b|[≈~<>?√]"
    r"|\\(?:approx|sqrt|frac)",
    re.IGNORECASE,
)
"""In the sentence of the answer: words that change the number, or leave it open. "300 more than Ben" leaves nothing."""
_CHANGES_WHAT_STANDS_BEFORE = re.compile(
    r"\A\s*(?:[%°^!*/×÷+]|[kKmM]\b|(?:hundred|thousand|million|billion|dozen|percent|per cent)\b|per\s+\d)",
    re.IGNORECASE,
)
_CHANGES_WHAT_FOLLOWS = re.compile(r"[*/^×÷+%]\s*\Z")
_DIFFERENCE = re.compile(r"\bdifference between\b", re.IGNORECASE)
_NOT_THIS_BUT = re.compile(
    rf"\bnot\s+{_NUMBER.pattern}\s*[,.;]?\s+(?:but|rather|instead|it['’]s|it is)\s+(?=\D{{0,12}}\d)", re.IGNORECASE
)
"""What is denied before the answer: "not 41 but 42"."""
_NOT_THIS = re.compile(
    rf"\b(?:rather than|instead of)\s+{_NUMBER.pattern}[^,.;\d]{{0,40}},|\bnot\s+{_NUMBER.pattern}\s+[a-z]+\s+but\b"
    rf"|\b(?:tempted to|might|would|could)\s+(?:say|think|answer|write)\s+{_NUMBER.pattern}\s*[,;.]?\s*but\b",
    re.IGNORECASE,
)
"""What somebody might say instead: "rather than 41, the total is 42"."""
_MEMBER = re.compile(
    r"\A\s*\{.*\"(?:final[_ ]?)?answer\"\s*:\s*\"?([^\",{}\[\]]+)\"?\s*\}\s*\Z", re.DOTALL | re.IGNORECASE
)
"""The member ``answer`` that ends a JSON object."""
_WORD = re.compile(r"[^\W\d_]{2}")
_WORDS_BEFORE = re.compile(r"\A(?:[^\W\d_]|[\s,'’])+(?=[-−–(\d])")
"""Words before an expression: "In total that is 40 + 2"."""
_COUNTED = re.compile(rf"({_NUMBER.pattern})(\s+(?:[^\W\d_]|[\s,'’-])+)")
"""A number and the words for what it counts: "42 eggs"."""
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
    text = text.rsplit("</think>", 1)[-1][-LONGEST:]
    member = _MEMBER.search(text)
    text = member[1] if member else text
    sentence, rest = _last_sentence(_plain(_REMARK.sub("", without_assurances(with_plain_marks(text)))))
    if "=" in sentence:
        return _value_of_equation(sentence, rest)
    found = list(_NUMBER.finditer(sentence))
    stated = [one for one in found if _read(one.group()) not in given] or found
    if not stated or _UNSURE.search(sentence) or len({_read(one.group()) for one in stated}) != 1:
        return None
    before, behind = sentence[: stated[-1].start()], sentence[stated[-1].end() :]
    if _CHANGES_WHAT_STANDS_BEFORE.match(behind) or _CHANGES_WHAT_FOLLOWS.search(before):
        return None
    if not is_stated(before, f"{behind}.\n{rest}"):
        return None
    return _read(stated[-1].group())


def _plain(text: str) -> str:
    """Without markup, with signs as characters."""
    for _ in range(2):
        text = _MARKUP.sub(r" \1 ", text)
    text = re.sub(r"\\[\[\]()$,!; ]|\*\*|[`_$]|</?answer>", " ", text.replace("\\$", "$"))
    text = _DIFFERENCE.sub("difference of", without_assurances(text))
    text = _NOT_THIS.sub(" ", _NOT_THIS_BUT.sub(" ", text))
    return re.sub(r"(?<!\d) or so ", " ", _SIGN_WORDS.sub("-", text))


def _last_sentence(text: str) -> tuple[str, str]:
    """The last sentence that holds a number, and what follows it; no sentence when doubt or denial follows."""
    sentences = [sentence for sentence in _STOPS.split(text) if sentence.strip()]
    for place in range(len(sentences) - 1, -1, -1):
        if _NUMBER.search(sentences[place]):
            rest = sentences[place + 1 :]
            is_recanted = any(_RECANTED.search(after) for after in rest)
            sentence = sentences[place].strip().rstrip(".")
            if _WORD.search(sentence):
                sentence = sentence.rstrip("!")  # "The answer is 42!"; a bare "42!" is a factorial
            return "" if is_recanted else sentence, "\n".join(rest)
    return "", ""


def _value_of_equation(sentence: str, rest: str) -> Fraction | None:
    """The right-hand side of a true equation: ``3 * 4 = 12``, ``the total = 12 eggs``."""
    *left, right = (re.split(r":\s", side)[-1].strip(" .") for side in sentence.split("="))
    value = _calculated(right)
    counted = _COUNTED.fullmatch(right)
    if value is None and counted and not _UNSURE.search(right) and not _CHANGES_WHAT_STANDS_BEFORE.match(counted[2]):
        value = _read(counted[1])
    if not is_stated("", f"{counted[2] if counted else ''}\n{rest}"):
        return None
    if value is None:
        return None
    for side in left:
        words = _WORDS_BEFORE.match(side)
        found = _calculated(side[words.end() :] if words and not _UNSURE.search(words.group()) else side)
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

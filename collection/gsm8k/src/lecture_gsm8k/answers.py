"""Which number a response gives as its final answer; none when it offers several, denies it or contradicts itself."""

import re
from dataclasses import dataclass
from fractions import Fraction

from lecture_gsm8k.numbers import NUMBER, calculate, numbers_in, spell_out

_ANNOTATION = re.compile(r"<<[^<>]*>>")
_MARKERS = re.compile(
    r"####[ \t]*(?P<hashes>[^\n]+)"
    r"|<answer>(?P<tag>.*?)</answer>"
    r"|\\boxed\s*\{(?P<box>(?:[^{}]|\{[^{}]*\})*)\}"
    r"|(?:^|\n)[ \t]*(?:\*\*)?A(?:nswer)?(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*(?P<label>[^\n]+)"
    r"|\banswer(?:\*\*)?[ \t]*(?:is|:|=|would be|comes to)(?:\*\*)?[ \t]*"
    r"(?P<sentence>(?:(?!\banswer[ \t]*(?:is|:|=))[^\n])+)",  # up to the next "answer is" of a line that recants
    re.IGNORECASE | re.DOTALL,
)
_MARKUP = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}|\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_NOISE = re.compile(r"\\[\[\]()$,!; ]|\*\*|(?<![\d)\s])\*|\*(?![\d(\s])|[_`~$£€]|\\(?:quad|qquad)\b")
_CHOICE = re.compile(
    rf"{NUMBER}\s*(?:[a-z%°]+[.]?\s+){{0,3}}?(?:,|;|\||\bor\b|\band\b|\bto\b|\bmaybe\b|\bperhaps\b|\bpossibly\b|/\s)"
    rf"\s*(?:(?:or|and|also|maybe|perhaps|possibly|even|it|is|could|be|might)\s+)*{NUMBER}",
    re.IGNORECASE,
)
_ONLY_NUMBERS = re.compile(rf"\W*(?:{NUMBER}\W+)+(?:{NUMBER})\W*")
_DOUBT = re.compile(
    r"\b(?:either|between|any of|one of|not|isn'?t|never|cannot|can'?t|wrong|incorrect|mistaken|false)\b", re.IGNORECASE
)
_REMARK = re.compile(r"\s+\([^()]{1,200}\)\W*$")
_REASON = re.compile(r"\b(?:because|since|as|after|given|which is)\b|[.;](?:\s|$)", re.IGNORECASE)


@dataclass(frozen=True)
class FinalAnswer:
    """``value`` is None where no single number is given. ``is_marked``: by ``####`` or a box, as asked."""

    value: Fraction | None
    is_marked: bool


def find_answer(response: str) -> FinalAnswer:
    """The last marked answer; without a mark, what the last line with a number says."""
    text = _ANNOTATION.sub("", response.rsplit("</think>", 1)[-1])[-20_000:]
    marks = list(_MARKERS.finditer(text))
    if marks:
        last = marks[-1]
        span = next(group for group in last.groups() if group is not None)
        is_marked = last.lastgroup in ("hashes", "box", "tag")
        if last.lastgroup == "box":  # a choice of boxes stands outside of each
            line = text[text.rfind("\n", 0, last.start()) + 1 :].split("\n")[0]
            if (
                len(
                    {
                        value
                        for box in re.finditer(r"\\boxed\s*\{([^{}]*)\}", line)
                        for value in numbers_in(_clean(box.group(1)))
                    }
                )
                > 1
            ):
                return FinalAnswer(None, is_marked)
        return FinalAnswer(_single_value(_clean(span), is_sentence=last.lastgroup in ("sentence", "label")), is_marked)
    lines = [line for line in _clean(text).splitlines() if re.search(NUMBER, line)]
    return FinalAnswer(_single_value(lines[-1], is_sentence=False) if lines else None, is_marked=False)


def _clean(text: str) -> str:
    """Without markup and currency, number words as digits."""
    for _ in range(2):
        text = _MARKUP.sub(lambda match: f" {match.group(1) or match.group(2) or ''} ", text)
    text = _FRACTION.sub(
        r"(\1)/(\2)", text.replace("{,}", ",").replace("\\%", "%").replace("\\times", "*").replace("\\cdot", "*")
    )
    return spell_out(_NOISE.sub(" ", text.replace("\\$", "$")).replace("\\", " "))


def _single_value(span: str, *, is_sentence: bool) -> Fraction | None:
    """The one number that ``span`` states."""
    span = span.strip().rstrip(".!")
    if "=" in span:
        return _value_of_equation(span)
    whole = calculate(span.removesuffix("%"))
    if whole is not None:
        return whole
    span = _without_last_brackets(span)
    stated = _REASON.split(span, maxsplit=1)[0] if is_sentence else span
    values = numbers_in(stated)
    if not values or _DOUBT.search(stated):
        return None
    if len(set(values)) > 1 and (_CHOICE.search(stated) or _ONLY_NUMBERS.fullmatch(stated)):
        return None
    return values[0] if is_sentence else values[-1]


def _without_last_brackets(span: str) -> str:
    """``span`` without a closing remark in brackets, where a number stands before it: 42 (6 times 7)."""
    before = _REMARK.sub("", span)
    return before if numbers_in(before) else span


def _value_of_equation(span: str) -> Fraction | None:
    """The right-hand side of the last ``=``; every side that is pure arithmetic must have that value."""
    *left, right = re.split(r"=+", span)
    right = _REASON.split(right.strip(), maxsplit=1)[0]
    values = numbers_in(right)
    value = calculate(right)
    if value is None:
        if not values or _DOUBT.search(right) or (len(set(values)) > 1 and _CHOICE.search(right)):
            return None
        value = values[0]
    sides = [calculate(re.split(r"[:.](?:\s|$)", side)[-1].strip()) for side in left]
    return value if all(side is None or side == value or _is_rounded(side, value) for side in sides) else None


def _is_rounded(exact: Fraction, shown: Fraction) -> bool:
    """Is ``shown`` the value of ``exact`` rounded to some places (10 / 3 = 3.33)? Whole numbers are not rounded."""
    return exact.denominator != 1 and any(round(exact, places) == shown for places in range(5))

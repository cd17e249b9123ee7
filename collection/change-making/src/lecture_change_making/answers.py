"""Which amount a response gives as its final answer; none when it offers several, denies it or contradicts itself."""

import itertools
import re
from fractions import Fraction

from lecture_change_making.amounts import FOREIGN, amounts_in
from lecture_change_making.number_marks import with_plain_marks
from lecture_change_making.stated import is_retracted, is_stated, without_assurances
from lecture_change_making.sums import calculate
from lecture_change_making.wording import normalise

LONGEST, LONGEST_LINE, NEAR = 20_000, 2_000, 48
"""Characters: how much of the end of a response is read, how much of a line, and what counts as next to an amount."""

MARKER = re.compile(
    r"####[ \t]*(?P<hashes>[^\n]+)|<answer>(?P<tag>.*?)</answer>"
    r"|\\boxed\s*\{(?P<box>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
    r"|\banswer\W{0,4}(?:\bis\b|:|=)(?P<sentence>[^\n]+)",
    re.IGNORECASE | re.DOTALL,
)
CUE = re.compile(
    r"\b(?:is|are|be|ha(?:s|ve)"
    r"|gets?|receives?|left with|worth|equals?|comes? to|makes?|costs?|total of|remain(?:s|ing)?)\b|:"
)
CHOICE = re.compile(
    r"^(?=.*(?:\bor\b|\band\b|\bto\b|\bmaybe\b|\bperhaps\b|\bpossibly\b|\bvs\b|\bthen\b|[,;/|]|\s*$))"
    r"\W*(?:(?:or|and|then|to|vs|versus|maybe|perhaps|possibly|also|even|either|it|is|could|be|might|else)\W*)*$"
)
DENIED = re.compile(
    r"(?:\b(?:not|never|isn't|can't|cannot|neither|nor|doubt|except|anything but|opposite of|instead of|rather than)\b)"
    r"(?:(?!\bbut\b)[^.;,=]){0,25}$"
)
DENIED_AFTER = re.compile(r"^[^.;=]{0,12}\b(?:is|was|would be) (?:not|wrong|incorrect|false)\b")
BEFORE, AFTER = (
    re.compile(r"[\d)a-z%]\s*(?:[-+*×÷/]|\b(?:minus|plus|times|divided by))\s*\(?$"),
    re.compile(r"^\)?\s*(?:[+*×÷/]|(?:minus|plus|times|divided by)\b|-(?=\s*[\d$.(]))"),
)
REASON = re.compile(r"\b(?:because|since)\b|~=|(?<=\S)\s*≈|\bexplanation\b")
UNSURE = re.compile(r"\b(?:either|one of|any of|not sure|cannot be determined|can't be determined)\b")
CHANGED_BEFORE = re.compile(
    r"(?:[≈~≠¬✗✘❌<>√]|!=|\b(?:about|around|approximately|roughly|almost|nearly|close to|more than|less than"
    r"|at least|at most|under|over|up to|twice|double|half of|root of)\b"
    r"|\\sqrt|\bsqrt)[^.;,=]{0,8}$"
)
CHANGED_AFTER = re.compile(
    r"^\s*(?:-?ish\b|[x²³^✗✘❌]|!(?=\S)|or so\b|approximately\b|roughly\b|(?:hundred|thousand|million|billion)\b"
    r"|(?:penn(?:y|ies)|nickels?|dimes?|quarters?)\b|of (?!(?:a|one|the) (?:dollar|cent)\b)|vs\b)"
)
CENTS = re.compile(r"\bcents?\b|¢")
NUMBERED = re.compile(r"\b(?:step|option|line|part|case|question|number|no\.|method)\s*$")
NUMBERING = re.compile(r"^[ \t]*\d{1,2}[.)]\s+(?=\D)", re.MULTILINE)
"""The number of an item in a list. A marked answer is none: "The answer is 2. I hope this helps"."""
SIGN_FIRST = re.compile(r"^\s*[-−]\s+")
"""Before a marked answer a dash is a sign; before a line of text it may begin an item of a list."""
RECANTED = re.compile(r"\b(?:wrong|incorrect|mistaken?|not (?:right|correct)|actually)\b", re.IGNORECASE)
DENIED_MARK = re.compile(r"\b(?:not|isn'?t|never)\W*$", re.IGNORECASE)


def find_answer(response):
    """The one amount the response commits to, or None."""
    text = with_plain_marks(response.rsplit("</think>", 1)[-1][-LONGEST:])
    marks = list(MARKER.finditer(text))
    if marks:
        boxes = {found["box"].strip() for found in marks if found.lastgroup == "box" and found["box"]}
        if marks[-1].lastgroup == "box" and len(boxes) > 1 and not same_amounts(boxes):
            return None
        if (
            RECANTED.search(text[marks[-1].end() :])
            or is_retracted(text[marks[-1].end() :])
            or DENIED_MARK.search(text[: marks[-1].start()])
        ):
            return None
        span = next(group for group in marks[-1].groups() if group is not None)
        return stated_amount(normalise(SIGN_FIRST.sub("-", span)))
    lines = NUMBERING.sub("", normalise(text)).splitlines()
    places = [place for place, line in enumerate(lines) if amounts_in(line[-LONGEST_LINE:])]
    return stated_amount(lines[places[-1]], "\n".join(["", *lines[places[-1] + 1 :]])) if places else None


def same_amounts(spans):
    """Whether all spans state one and the same amount."""
    found = [stated_amount(normalise(span)) for span in spans]
    return None not in found and len({amount.value for amount in found}) == 1


def stated_amount(text, behind=""):
    """What ``text``, a marked answer or a last line, says; ``behind`` it may be taken back."""
    text = without_assurances(text)
    if FOREIGN.search(text) or UNSURE.search(text):
        return None
    text = text[-LONGEST_LINE:]
    said, *_ = REASON.split(text, maxsplit=1)
    text = said if amounts_in(said) else text
    sides = re.split(r"=+", text)
    if len(sides) > 1:
        return last_of_equation(sides, behind)
    return chosen(text, behind)


def last_of_equation(sides, behind):
    """The right-hand side; every side that is just an amount must have its value."""
    final = chosen(sides[-1], behind)
    if final is None:
        return None
    fractions = []
    for side in sides[:-1]:
        worked_out = calculate(side)
        in_cents = CENTS.search("=".join(sides)) is not None
        if worked_out is not None and worked_out not in (
            (final.value, final.value * 100) if in_cents else (final.value,)
        ):
            return None
        amounts = amounts_in(side)
        if len(amounts) == 1 and not is_operand(side, amounts[0]):
            if amounts[0].value != final.value and not is_cut_off(side, amounts[0], final):
                return None
            fractions.append(amounts[0])
    if not final.is_fraction and not final.is_simplest:
        return next((amount for amount in reversed(fractions) if amount.is_fraction), final)
    return final


def is_cut_off(side, amount, final):
    """Whether a side says by dots that it is longer than what is written: 0.33... = 1/3."""
    places = len(side[amount.start : amount.end].partition(".")[2].rstrip(". "))
    return side[amount.end :].startswith("..") and abs(amount.value - final.value) < Fraction(1, 10**places)


def chosen(text, behind):
    """The first amount after the last cue ("is", "gets"); several different ones there are a refusal to choose."""
    amounts = [
        amount
        for amount in amounts_in(text)
        if not is_denied(text, amount) and not is_operand(text, amount) and not is_number_of_a_thing(text, amount)
    ]
    if not amounts:
        return None
    if len({amount.value for amount in amounts}) == 1:
        return best_form(text, amounts, behind)
    if any(is_choice(text, one, other) for one, other in itertools.pairwise(amounts)):
        return None
    cues = [found.end() for found in CUE.finditer(text) if found.end() <= amounts[-1].start]
    after = [amount for amount in amounts if amount.start >= (cues[-1] if cues else 0)]
    first = after[0] if cues else after[-1]
    return best_form(text, [amount for amount in after if amount.value == first.value], behind)


def is_choice(text, one, other):
    """Two different amounts with nothing between them but "or", "and", a comma."""
    return one.value != other.value and CHOICE.match(text[one.end : other.start]) is not None


def is_operand(text, amount):
    """Whether the amount is part of arithmetic that is not worked out: 5 - 4.25."""
    before, after = around(text, amount)
    return BEFORE.search(before) is not None or AFTER.match(after) is not None


def is_number_of_a_thing(text, amount):
    """Whether it is the number of a step or an option."""
    return NUMBERED.search(around(text, amount)[0]) is not None


def around(text, amount):
    """What stands right before and right after the amount."""
    return text[max(0, amount.start - NEAR) : amount.start], text[amount.end : amount.end + NEAR]


def is_denied(text, amount):
    before, after = around(text, amount)
    return DENIED.search(before) is not None or DENIED_AFTER.match(after) is not None


def best_form(text, amounts, behind):
    """Of equal amounts the last fraction, else the last; None when words beside one change it."""
    for before, after in (around(text, amount) for amount in amounts):
        if CHANGED_BEFORE.search(before) or CHANGED_AFTER.match(after):
            return None
    if not any(is_stated(text[: amount.start], text[amount.end :] + behind) for amount in amounts[-8:]):
        return None
    fractions = [amount for amount in amounts if amount.is_fraction]
    return (fractions or amounts)[-1]

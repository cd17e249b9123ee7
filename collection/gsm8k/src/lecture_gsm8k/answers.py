"""Which number a response gives as its final answer; none when it offers several, denies it or contradicts itself."""

import re
from dataclasses import dataclass
from fractions import Fraction

from lecture_gsm8k.number_marks import with_plain_marks
from lecture_gsm8k.numbers import NUMBER, calculate, numbers_in, read_number, spell_out
from lecture_gsm8k.stated import is_retracted, is_stated, without_assurances

_ANNOTATION = re.compile(r"<<[^<>]*>>")
_MARKERS = re.compile(
    r"####[ \t]*\n?[ \t]*(?P<hashes>[^\n]+)"
    r"|<answer>(?P<tag>.*?)</answer>"
    r"|\\boxed\s*\{(?P<box>(?:[^{}]|\{[^{}]*\})*)\}"
    r"|(?:^|\n)[ \t]*(?:\*\*)?A(?:nswer)?(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*(?P<label>[^\n]+)"
    r"|\banswer(?:\*\*)?[ \t]*(?:is|:|=|would be|comes to)(?:\*\*)?[ \t]*"
    r"(?P<sentence>(?:(?!\banswer[ \t]*(?:is|:|=))[^\n])+)",  # up to the next "answer is" of a line that recants
    re.IGNORECASE | re.DOTALL,
)
_MARKUP = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}|\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{([^{}]*)\}\s*\{([^{}]*)\}|(\d)\s*(\d))")
_NOISE = re.compile(r"\\[\[\]()$,!; ]|\*\*|(?<![\d)\s])\*|\*(?![\d(\s])|[_`~$£€]|\\(?:quad|qquad)\b")
_ITALIC = re.compile(r"(?<![\w)*\\])(?<![\d)] )([*_])(\$?[-−]?\d[\d,.]{0,40}%?)\1(?!\s*[\d(*])(?!\w)")
"""A number in italics: ``*42*``. In ``2 *42* 3`` the stars multiply."""
_CHOICE = re.compile(
    rf"{NUMBER}\s*(?:[a-z%°]+[.]?\s+){{0,3}}?\(?(?:,|;|\||\bor\b|\band\b"
    rf"|(?<!amount )(?<!amounts )(?<!come )(?<!comes )(?<!up )\bto\b"
    rf"|\bmaybe\b|\bperhaps\b|\bpossibly\b"
    rf"|\bvs\b|\bversus\b|\balternatively\b|\boder\b|\bthen\b|,\s*then\b|/\s)"
    rf"\s*(?:(?:or|and|also|maybe|perhaps|possibly|even|it|is|could|be|might)\s+)*{NUMBER}(?!\s*(?:[a-z]+\s+)?(?:each|apiece|per)\b)",
    re.IGNORECASE,
)
_ONLY_NUMBERS = re.compile(rf"\W*(?:{NUMBER}\W+)+(?:{NUMBER})\W*")
_DOUBT = re.compile(
    rf"\b(?:either|between|could also)\b(?=\D{{0,20}}\d)|\b(?:any|one) of\W+{NUMBER}|[¬✗✘❌]",
    re.IGNORECASE,
)
_NEARLY = re.compile(r"~\s*(?=\d)")
_DIFFERENCE = re.compile(r"\bdifference between\b[^.;=]{1,60}?\b(?=is\b|was\b)", re.IGNORECASE)
_CORRECTED = re.compile(rf",\s*(?:and )?not\s+{NUMBER}\W*$", re.IGNORECASE)
_NOT_THIS_BUT = re.compile(
    rf"\bnot\s+{NUMBER}\s*[,.;]?\s+(?:but|rather|instead|it['’]s|it is)\s+(?=\D{{0,12}}\d)", re.IGNORECASE
)
"""What is denied before the answer: "not 41 but 42"."""
_SPOKEN_EQUATION = re.compile(
    rf"(?P<sum>{NUMBER}(?:\s*(?:[-+*/×÷]|\bplus\b|\band\b|\bminus\b|\btimes\b)\s*{NUMBER}){{1,8}})"
    r"\s+(?:is|are|makes?|gives?|equals?|leaves?)\s+(?=\D{0,12}\d)",
    re.IGNORECASE,
)
"""A sum in a sentence: "20 plus 22 is 42"."""
_SIGNS = {"plus": "+", "and": "+", "minus": "-", "times": "*"}
_REMARK = re.compile(
    r"\s+\((?!\s*(?:or|maybe|perhaps|possibly|not|wrong|incorrect|false|hex|kidding|joking|just)\b)[^()]{1,200}\)\W*$",
    re.IGNORECASE,
)
_CHANGED_BEFORE = re.compile(
    r"(?:\b(?:at (?:most|least)|(?:more|less|fewer|greater|other|different) than|under|over|up to|about|around"
    r"|approximately|roughly|almost|nearly|close to|not|twice|half of|double|times|plus|minus|divided by|sqrt|root of)"
    r"|[≠≈~<>√]|!=|[A-Za-z0-9)\]]\s*[+*/×÷^]|\b[a-z]\s*-)[\s({]*-?$",
    re.IGNORECASE,
)
_CHANGED_AFTER = re.compile(
    r"\s*(?:\)\s*)?(?:[+*/×÷^<>≠](?!\s*$)|!(?=\S)|-(?:ish\b|\s*\d)|or so\b"
    r"|(?:plus|minus|divided by)\b|times\s+(?:\d|as\b|more\b|the\b))",
    re.IGNORECASE,
)
_RECANTED = re.compile(
    r"\b(?:wrong|incorrect|mistaken?|not (?:right|correct)|on second thoughts?|i was|no, it)\b", re.IGNORECASE
)
_DENIED_MARK = re.compile(r"\b(?:not|isn'?t|never)\W*$", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|gets?|got|needs?|costs?|makes?|made|takes?|pays?|paid|earns?|earned"
    r"|left with|equals?|gives?|leaves?|comes? (?:to|out at))\b|:",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|as|after|given|which is)\b|[.;](?:\s|$)", re.IGNORECASE)


_BECAUSE = re.compile(r"\b(?:because|since)\b", re.IGNORECASE)
_OTHER_SIDE = re.compile(r"\d\W*(?:[a-z]+\W+){0,2}or\b", re.IGNORECASE)
"""Two values before the ``=``. "She has a third as many, or 40 / 4 = 10" says the same thing twice."""
_COUNTS = frozenset(
    {"x", "dozen", "pair", "half", "hour", "minute", "week", "day", "year", "month", "of", "percent", "time"}
)
"""Words that change a number, or that stand for units of one thing: a side with one is not worked out."""


@dataclass(frozen=True)
class FinalAnswer:
    """``value`` is None where no single number is given. ``is_marked``: by ``####`` or a box, as asked."""

    value: Fraction | None
    is_marked: bool


def find_answer(response: str) -> FinalAnswer:
    """The last marked answer; without a mark, what the last line with a number says."""
    said = without_assurances(_ANNOTATION.sub("", response.rsplit("</think>", 1)[-1])[-20_000:])
    text = with_plain_marks(re.sub(r"[ \t]+", " ", _NEARLY.sub("about ", said)))
    marks = list(_MARKERS.finditer(text))
    if marks:
        last = marks[-1]
        span = next(group for group in last.groups() if group is not None)
        is_marked = last.lastgroup in ("hashes", "box", "tag")
        if (
            _RECANTED.search(text[last.end() :])
            or is_retracted(text[last.end() :])
            or (is_marked and _DENIED_MARK.search(text[: last.start()]))
        ):
            return FinalAnswer(None, is_marked)
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
        behind = "" if is_marked else text[last.end() :]
        is_sentence = last.lastgroup in ("sentence", "label")
        return FinalAnswer(_single_value(_clean(span), behind, is_sentence=is_sentence), is_marked)
    lines = _clean(text).splitlines()
    last_place = max((place for place, line in enumerate(lines) if re.search(NUMBER, line)), default=None)
    if last_place is None:
        return FinalAnswer(None, is_marked=False)
    behind = "\n".join(["", *lines[last_place + 1 :]])
    return FinalAnswer(_single_value(lines[last_place], behind, is_sentence=False), is_marked=False)


def _clean(text: str) -> str:
    """Without markup and currency, number words as digits."""
    for _ in range(2):
        text = _MARKUP.sub(lambda match: f" {match.group(1) or match.group(2) or ''} ", text)
    text = _FRACTION.sub(
        lambda match: f"({match[1] or match[3]})/({match[2] or match[4]})",
        text.replace("{,}", ",").replace("\\%", "%").replace("\\times", "*").replace("\\cdot", "*"),
    )
    text = _ITALIC.sub(r"\2", text.replace("\\$", "$"))
    return spell_out(_NOISE.sub(" ", text).replace("\\", " "))


def _single_value(span: str, behind: str = "", *, is_sentence: bool) -> Fraction | None:
    """The one number that ``span`` states; ``behind`` it may be taken back."""
    span = _DIFFERENCE.sub("difference ", without_assurances(span).strip().rstrip(".!"))
    span = _SPOKEN_EQUATION.sub(_as_equation, _NOT_THIS_BUT.sub(" ", span))
    if "≠" in span or "!=" in span:
        return None
    if "=" in span:
        return _value_of_equation(span, behind)
    whole = calculate(span.removesuffix("%"))
    if whole is not None:
        return whole if is_stated("", behind) else None
    span = _CORRECTED.sub("", _without_last_brackets(span))
    stated = (_REASON if is_sentence else _BECAUSE).split(span, maxsplit=1)[0]
    stated = stated if is_sentence or re.search(NUMBER, stated) else span
    found = list(re.finditer(NUMBER, stated))
    values = [read_number(each.group()) for each in found]
    if not found or _DOUBT.search(stated) or re.match(r"[;,.]?\s*(?:or|maybe|perhaps)\b", span[len(stated) + 1 :]):
        return None
    chosen = 0 if is_sentence else _place_of_the_answer(stated, found)
    at = found[chosen].start()
    is_choice = any(choice.start() <= at < choice.end() for choice in _CHOICE.finditer(stated))
    if len(set(values)) > 1 and (is_choice or _ONLY_NUMBERS.fullmatch(stated)):
        return None
    before, after = stated[: found[chosen].start()], stated[found[chosen].end() :]
    if _CHANGED_BEFORE.search(before) or _CHANGED_AFTER.match(after):
        return None
    return values[chosen] if is_stated(before, after + span[len(stated) :] + behind) else None


def _as_equation(spoken: re.Match[str]) -> str:
    """``20 + 22 = `` for "20 plus 22 is "."""
    return (
        re.sub(r"[a-z]+", lambda word: _SIGNS.get(word[0].lower(), word[0]), spoken["sum"], flags=re.IGNORECASE) + " = "
    )


def _place_of_the_answer(stated: str, found: list[re.Match[str]]) -> int:
    """Which number is the answer: the first of a line that begins with one or after its last verb, else the last."""
    if not stated[: found[0].start()].strip(" *$("):
        return 0
    verbs = [verb.end() for verb in _VERB.finditer(stated) if verb.end() <= found[-1].start()]
    return next((place for place, each in enumerate(found) if verbs and each.start() >= verbs[-1]), len(found) - 1)


def _without_last_brackets(span: str) -> str:
    """``span`` without a closing remark in brackets, where a number stands before it: 42 (6 times 7)."""
    before = _REMARK.sub("", span)
    return before if numbers_in(before) else span


def _value_of_equation(span: str, behind: str) -> Fraction | None:
    """The right-hand side of the last ``=``; every side that is pure arithmetic must have that value."""
    *left, right = re.split(r"=+", span)
    right = _REASON.split(right.strip(), maxsplit=1)[0]
    values = numbers_in(right)
    value = calculate(right.strip(" .").removesuffix("%"))
    if value is None:
        first = re.search(NUMBER, right)
        if not values or first is None or _DOUBT.search(right):
            return None
        if len(set(values)) > 1 and any(one.start() <= first.start() < one.end() for one in _CHOICE.finditer(right)):
            return None
        value = values[0]
    at = re.search(NUMBER, right)
    before, after = (right[: at.start()], right[at.end() :]) if at else ("", "")
    if (
        not is_stated(f"{left[0]}= {before}", after + behind)
        or re.search(r"\bor\b", right)
        or _OTHER_SIDE.search(" ".join(left))
    ):
        return None
    is_percentage = right.rstrip(" .").endswith("%")
    sides = [_calculated(re.split(r"[:.](?:\s|$)", side)[-1].strip()) for side in left]
    exact = {value, value / 100} if is_percentage else {value}
    return value if all(side is None or side in exact or _is_rounded(side, value) for side in sides) else None


def _calculated(side: str) -> Fraction | None:
    """The value of one side; of a side in one unit ("5 + 5 apples") as well."""
    units = {word.lower().rstrip("s") for word in re.findall(r"[A-Za-z]+", side)}
    is_sum = re.search(r"\d[^=]*[-+*/×÷][^=]*\d", side) is not None
    return calculate(
        re.sub(r"[A-Za-z]+", " ", side) if len(units) == 1 and is_sum and units.isdisjoint(_COUNTS) else side
    )


def _is_rounded(exact: Fraction, shown: Fraction) -> bool:
    """Is ``shown`` the value of ``exact`` rounded to some places (10 / 3 = 3.33)? Whole numbers are not rounded."""
    return exact.denominator != 1 and any(round(exact, places) == shown for places in range(5))

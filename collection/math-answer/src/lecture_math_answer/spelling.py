r"""Spellings of numbers: in words, with groups of digits as other countries write them, with a period that repeats."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re
from fractions import Fraction

_UNITS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ANY = "|".join(sorted([*_UNITS, *_TENS, "hundred", *_SCALES], key=len, reverse=True))
_RUN = re.compile(rf"(?<![\w-])(?:{_ANY})(?:(?:\s+and\s+|[\s-]+)(?:{_ANY}))+(?![\w-])", re.IGNORECASE)
_PARTS = {"half": ".5", "quarter": ".25", "quarters": ".75"}
_AND_A_PART = re.compile(
    rf"(?<![\w.,/-])(\d+|{'|'.join([*_UNITS, *_TENS])})\s+and\s+(?:(?:a|one)\s+(half|quarter)|three\s+(quarters))(?![\w-])",
    re.IGNORECASE,
)
_SAID_TWICE = re.compile(r"(?<![\d.,])(\d+)\s*\(\s*\1\s*\)")

_DOTS = r"\s*\\(?:dots|ldots|cdots)(?![a-zA-Z])"
_GROUPS = (
    re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.]\d|\d)"),  # 1.234.567
    re.compile(r"(?<![\d.,'])\d{1,3}(?:'\d{3})+(?![\d'])"),  # 1'234'567
    re.compile(r"(?<![\d.,])\d{1,2}(?:,\d{2})+,\d{3}(?![\d,])"),  # 12,34,567
)
_GERMAN = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3}){2,}),(\d{1,3})(?![\d,])")
_ONE_DECIMAL_COMMA = re.compile(r"(?:[A-Za-z]\w*\s*=\s*)?[-+]?\d+,\d+(?:\s*(?:%|[A-Za-z]+\.?(?:/[a-z]+|\^\{?\d\}?)?))?")
_LIST_OF_DECIMAL_COMMAS = re.compile(
    r"(?:[A-Za-z]\w*\s*=\s*)?(?:\\?[({\[\]]\s*)?[-+]?\d+(?:,\d+)?(?:\s*;\s*[-+]?\d+(?:,\d+)?)+(?:\s*\\?[)}\]\[])?"
)
"""A list whose members a semicolon parts: its commas are decimal points."""
_TIMES_TEN = re.compile(r"(?<=\d)\s*[xX]\s*(?=10\s*\^)")
_BRACED_COMMA = re.compile(r"(?<![\d,}])(\d+)\{,\}(\d+)(?!\d|\{,\})")
_BRACKETED_BASE = re.compile(r"(?<![\w)])\(\s*(\d+)\s*\)\s*_(?=\s*\{?\s*(?:\d|[a-z]))")
_BASE_IN_WORDS = re.compile(rf"(?<=\d)_\s*\{{?\s*({'|'.join(_UNITS)})\s*\}}?", re.IGNORECASE)
_BASE_BEHIND = re.compile(
    rf"(?<![\w.])(\d+)\s*,?\s*\(?\s*(?:in\s+)?base[\s-]+(\d+|{'|'.join(_UNITS)})\b\s*\)?", re.IGNORECASE
)
_DEGREES = re.compile(
    r"(\d+(?:\.\d+)?)\s*(?:deg|degrees?)\s*(?:and\s+)?(\d+(?:\.\d+)?)\s*(?:\^\s*\{?\s*\\prime\s*\}?|\\prime|'(?!')|minutes?)(?:\s*(?:and\s+)?(\d+(?:\.\d+)?)\s*(?:''|\"|seconds?|\^\s*\{?\s*\\prime\s*\\prime\s*\}?))?"
)
_DOTTED_CYCLE = re.compile(r"(?<!\d)(\d{0,12})\.(\d{0,30})\\dot\s*\{?(\d)\}?(\d{0,30})\\dot\s*\{?(\d)\}?")
_CYCLE = re.compile(r"(?<!\d)(\d{0,12})\.(\d{0,30})\\(?:overline|bar|dot|dddot|widehat)\s*\{?\s*(\d{1,40})\s*\}?")
_RUNNING_ON = re.compile(rf"(?<![\d.])(\d{{0,12}})\.(\d{{2,40}}){_DOTS}")
_BRACKETED_CYCLE = re.compile(r"(\d{0,12})\.(\d{0,30})\((\d{1,20})\)")


def plain_numbers(text: str) -> str:
    """Numbers in words and in other countries' groups of digits as plain numerals; only where nothing else can be meant."""
    if _RUN.search(text):
        text = _SAID_TWICE.sub(r"\1", _RUN.sub(_number_of_words, text))
    text = _AND_A_PART.sub(_with_part, text)
    text = _GERMAN.sub(lambda match: match[1].replace(".", "") + "." + match[2], text)
    for pattern in _GROUPS:
        text = pattern.sub(lambda match: re.sub(r"[.',]", "", match[0]), text)
    text = _BASE_IN_WORDS.sub(lambda match: f"_{{{_UNITS[match[1].lower()]}}}", _BRACKETED_BASE.sub(r"\1_", text))
    text = _BASE_BEHIND.sub(lambda match: f"{match[1]}_{{{_UNITS.get(match[2].lower(), match[2])}}}", text)
    text = _DEGREES.sub(_degrees, text)
    return _TIMES_TEN.sub(r" \\times ", text)


def braced_comma(text: str) -> str:
    """``3{,}75`` as 3.75, unless it groups thousands."""
    return _BRACED_COMMA.sub(_decimal_or_group, text)


def repeating(text: str) -> str:
    r"""``0.\overline{27}``, ``0.\dot2\dot7`` and ``0.2727\ldots`` as fractions."""
    text = _DOTTED_CYCLE.sub(lambda match: _fraction(match[1], match[2], match[3] + match[4] + match[5]), text)
    text = _CYCLE.sub(lambda match: _fraction(match[1], match[2], match[3]), text)
    return _RUNNING_ON.sub(_runs_on, text)


def other_numbers(text: str) -> list[str]:
    """Second readings of a text that is one number: ``0,75`` and ``0.(27)``, ``4 and 1/10``."""
    text = text.strip()
    found = []
    if _ONE_DECIMAL_COMMA.fullmatch(text) or _LIST_OF_DECIMAL_COMMAS.fullmatch(text):
        found.append(re.sub(r"(?<=\d),(?=\d)", ".", text))
    if re.fullmatch(r"[-+]?\d{1,3}(?:[. ]\d{3})+,\d+", text):
        found.append(re.sub(r"[. ]", "", text).replace(",", "."))
    cycle = re.fullmatch(r"([-+]?)" + _BRACKETED_CYCLE.pattern, text)
    if cycle:
        found.append(cycle[1] + _fraction(cycle[2], cycle[3], cycle[4]))
    chosen = re.fullmatch(r"C\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)", text)
    if chosen:
        found.append(f"\\binom{{{chosen[1]}}}{{{chosen[2]}}}")
    mixed = re.fullmatch(r"([-+]?)(\d+) and (?:a |an )?(\d+)\s*/\s*(\d+)", text) or re.fullmatch(
        r"([-+]?)(\d+) and \\frac\s*\{(\d+)\}\s*\{(\d+)\}", text
    )
    if mixed and int(mixed[3]) < int(mixed[4]):
        found.append(f"{mixed[1]}({mixed[2]}+{mixed[3]}/{mixed[4]})")
    return found


def _with_part(match: re.Match[str]) -> str:
    word = match[1].lower()
    whole = word if word.isdigit() else str({**_UNITS, **_TENS}[word])
    return whole + _PARTS[(match[2] or match[3]).lower()]


def _number_of_words(match: re.Match[str]) -> str:
    total, part = 0, 0
    last = None
    for word in re.split(r"[\s-]+", match[0].lower()):
        if word == "and":
            continue
        if word in _SCALES:
            total, part = total + (part or 1) * _SCALES[word], 0
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in _TENS:
            if last in _UNITS or last in _TENS:
                return match[0]  # "two twenty": two numbers
            part += _TENS[word]
        elif last in _UNITS or (last in _TENS and not 1 <= _UNITS[word] <= 9):
            return match[0]  # "one two three"
        else:
            part += _UNITS[word]
        last = word
    return str(total + part)


def _degrees(match: re.Match[str]) -> str:
    """``32 deg 36'`` as degrees alone."""
    seconds = f"+{match[3]}/3600" if match[3] else ""
    return f"({match[1]}+{match[2]}/60{seconds}) deg"


def _decimal_or_group(match: re.Match[str]) -> str:
    is_group = len(match[2]) == 3 and len(match[1]) <= 3 and not match[1].startswith("0")
    return match[1] + ("," if is_group else ".") + match[2]


def _fraction(whole: str, fixed: str, cycle: str) -> str:
    scale = 10 ** len(fixed)
    value = Fraction(int((whole or "0") + fixed), scale) + Fraction(int(cycle), scale * (10 ** len(cycle) - 1))
    return f"({value.numerator}/{value.denominator})"


def _runs_on(match: re.Match[str]) -> str:
    r"""``0.1666\ldots``: the shortest period that has been said twice (three times, if it is one digit)."""
    digits = match[2]
    for length in range(1, len(digits) // 2 + 1):
        times = 3 if length == 1 else 2
        cycle = digits[-length:]
        if digits.endswith(cycle * times):
            start = len(digits)
            while start >= length and digits[start - length : start] == cycle:
                start -= length
            return _fraction(match[1], digits[:start], cycle)
    return f"{match[1]}.{digits}"

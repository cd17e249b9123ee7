"""Shares in words and abbreviations: per cent, pct, half a percent, per mille, basis points."""

import re
from fractions import Fraction

_NAMES = r"(?:per\s?cents?|pct\b\.?|p\.\s?c\.|por\s?ciento|pour\s?cent|prozent|procent)(?![a-z])"
_BEHIND = re.compile(rf"(?<=[\d}})])\s*{_NAMES}", re.IGNORECASE)
_BEHIND_WORD = re.compile(
    r"\b(zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    rf"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\s+{_NAMES}",
    re.IGNORECASE,
)
_PARTS = {"half": "0.5", "quarter": "0.25", "tenth": "0.1", "fifth": "0.2"}
_PART_OF = re.compile(
    rf"\b(?:(?:a|one)[\s-]+)?({'|'.join(_PARTS)})[\s-]+(?:of[\s-]+)?(?:a|one|1)\s*(?:%|{_NAMES})", re.IGNORECASE
)
_THREE_QUARTERS = re.compile(rf"\bthree[\s-]+quarters[\s-]+of[\s-]+(?:a|one|1)\s*(?:%|{_NAMES})", re.IGNORECASE)
_SMALLER = re.compile(
    r"(?<![\d.,])(\d+(?:\.\d+)?)\s*(?:(‰|per\s?mil(?:le)?\b|permil(?:le)?\b)|basis\s+points?\b|bps?\b)", re.IGNORECASE
)
_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen".split()
    )
} | {word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}

_LONGEST = 200
"""Characters of a number that is worked out."""


def plain_percents(text: str) -> str:
    """Every share with a percent sign behind its number."""
    text = _PART_OF.sub(lambda found: f"{_PARTS[found[1].lower()]}%", _THREE_QUARTERS.sub("0.75%", text))
    text = _BEHIND.sub("%", text)
    text = _BEHIND_WORD.sub(lambda found: f"{_WORDS[found[1].lower()]}%", text)
    return _SMALLER.sub(_as_percent, text)


def _as_percent(found: re.Match[str]) -> str:
    if len(found[1]) > _LONGEST:
        return found[0]  # no float holds it, and no share is so large
    value = Fraction(found[1]) / (10 if found[2] else 100)
    return f"{float(value):.12g}%"

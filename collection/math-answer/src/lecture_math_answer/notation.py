r"""Notations that say the same in other signs, before a text is read: arrows, derivatives, feet and inches, prices.

Each is rewritten by its meaning: :math:`\overrightarrow{AB}` is B less A, and ``5'7"`` five feet and seven inches.
"""

import re
import unicodedata

_THEREFORE = re.compile(r"^[\s*]*(?:∴|\\therefore(?![a-zA-Z])|⇒|\\(?:Rightarrow|implies)(?![a-zA-Z]))\s*")
_BOLD_LETTER = re.compile(r"\\mathbb\s*\{?\s*([EP])\s*\}?(?=\s*(?:\\left)?[(\[])|\\(P)r(?![a-zA-Z])")
_ARROW = re.compile(r"\\(?:overrightarrow|vec)\s*\{\s*([A-Z])\s*([A-Z])\s*\}")
_ARROW_NAME = re.compile(r"^[\s$]*\\(?:overrightarrow|vec)\s*\{[^{}]*\}\s*=(?=.*\\(?:overrightarrow|vec))", re.DOTALL)
_SECOND_DERIVATIVE = re.compile(r"\\d?frac\s*\{\s*d\^\{?2\}?\s*([a-z])\s*\}\s*\{\s*d\s*[a-z]\s*\^\s*\{?2\}?\s*\}")
_FIRST_DERIVATIVE = re.compile(r"\\d?frac\s*\{\s*d\s*([a-z])\s*\}\s*\{\s*d\s*[a-z]\s*\}")
_MULTINOMIAL = re.compile(r"\\[dt]?binom\s*\{\s*(\w+)\s*\}\s*\{\s*(\w+(?:\s*,\s*\w+)+)\s*\}")
_FEET = re.compile(r"(?<![\w'])(\d+)\s*['′’]\s*(\d+(?:\.\d+)?)\s*(?:\"|″|”|''|′′)")
_PRICE = re.compile(
    r"\\?\$\s*(\d[\d,]*(?:\.\d+)?)(\s*\}?\s*(?:\\text\s*\{\s*)?)(?:/|\bper\b|\bfor each\b)\s*(?=[A-Za-z\\])(?!cent)"
)
_CENTS = re.compile(r"(?<![\w.])(\d+)\s*(?:cents?|¢)\s*(?:/|\bper\b)\s*")
_QUOTIENT_OF_WORDS = re.compile(
    r"(?<=\d)[\s\\,;]*\\d?frac\s*\{\s*\\(?:text|mathrm)\s*\{\s*([A-Za-z]{3,})\s*\}\s*\}\s*\{\s*\\(?:text|mathrm)\s*\{\s*([A-Za-z]+)\s*\}\s*(\^\s*\{?\s*\d\s*\}?)?\s*\}"
)
_PROSE_SET = re.compile(r"(?<![$\w\\^_}\]])\{(\s*-?\w+(?:\s*,\s*-?\w+)+\s*)\}(?!\s*\$)")
_SAME_NAMES = re.compile(r"^([\s$]*)([a-z])_\{?\d\}?(?:\s*=\s*\2_\{?\d\}?)+\s*=")
_GROWTH = re.compile(r"^([\s$]*)(?:\\sim|∼|~|\\approx|≈)(?![a-zA-Z])\s*")
_LIMIT_REMARK = re.compile(
    r"(?<![\s,\\;])(?:[\s,\\;]|\\text\s*\{)*\b(?:as|when|for|where)\s*\}?\s*\$?\s*[a-z]\s*(?:\\to|→|\\rightarrow)(?![a-zA-Z])\s*\+?\s*(?:\\infty|∞)\s*(?=[$\s.}]*$)"
)
_CONSTANT_BEFORE_E = re.compile(r"(?<![A-Za-z\\])([A-DK])e(?=\s*\^)")
_MARKED_LETTER = re.compile(r"(?<!\w)(?:[âêîôûŷẑĉĝĥĵŝŵāēīōūȳ]|[a-zA-Z][\u0302\u0304\u0305\u20d7])(?!\w)")
_ARRANGED = re.compile(r"(?:\{\}|(?<![\w)}]))_\{?(\d+)\}?\s*\\?P_\{?(\d+)\}?")
_DIFFERENTIAL = re.compile(r"^[\s$]*(?:\\mathrm\s*\{\s*d\s*\}|d)\s*[a-z]\s*=(?=.*d\s*\}?\s*[a-z]\b)")
_SIGNED_PAIR = re.compile(
    r"^[\s$]*x\s*=\s*([^,=]+?)\s*,(?:\s|\\[,;: ]|\\quad)*y\s*=\s*([^,=]*?\\pm[^,=]*?|\\pm[^,=]*?)[\s$.]*$"
)
_NAMED_PAIR = re.compile(r"^[\s$]*\(\s*[a-z]\s*,\s*[a-z]\s*\)\s*=(?=.*\\pm)")
_VECTOR = r"\\(?:vec|mathbf|overrightarrow|boldsymbol)\s*(?:\{\s*[a-zA-Z]\s*\}|[a-zA-Z](?![a-zA-Z]))"
_CROSS = re.compile(rf"({_VECTOR})\s*\\times(?![a-zA-Z])")
_PLANE = re.compile(
    r"^[\s$]*\\(?:vec|mathbf|boldsymbol)\s*\{?\s*r\s*\}?\s*\\cdot\s*(?:\((?P<row>[^(),]+,[^(),]+,[^(),]+)\)"
    r"|\\begin\{[pb]matrix\}(?P<column>.*?)\\end\{[pb]matrix\}|\((?P<units>[^()]*)\))\s*(?==)"
)
_ANGLE = re.compile(r"(?:\\text\s*\{\s*)?(?<!\\)\b[Aa]ngle\s*\}?\s*([A-Z]{1,3})\b")
_LINES_IN_WORDS = re.compile(r"\b([A-Z]{2})\s+is\s+(perpendicular|parallel)\s+to\s+([A-Z]{2})\b", re.IGNORECASE)
_EMPTY_SET = re.compile(r"^[\s$]*\\?\{\s*\\?\}[\s$.]*$")
_BINARY = re.compile(r"(?<!\w)0b([01]+)(?!\w)")
_UNITS_IN_FULL = {
    "kg": "kilograms", "g": "grams", "km": "kilometers", "m": "meters", "cm": "centimeters", "mm": "millimeters",
    "L": "liters", "l": "liters", "mL": "milliliters", "ml": "milliliters",
    "h": "hours", "min": "minutes", "s": "seconds",
}  # fmt: skip
_ONE_UNIT = "|".join(sorted(_UNITS_IN_FULL, key=len, reverse=True))
_GAP = r"((?:[\s,}~]|\\[,;: ]|\band\b|\\(?:text|mathrm)\s*\{)*)"
_TWO_UNITS = re.compile(
    rf"(?<![\w.])(\d+){_GAP}({_ONE_UNIT}){_GAP}(?<![A-Za-z])(\d+(?:\.\d+)?){_GAP}({_ONE_UNIT})(?![A-Za-z])"
)
_STARTS_QUANTIFIED = re.compile(r"[\s$]*(?:\\(?:exists|forall)(?![a-zA-Z])|[∃∀])")
_NO_SIGN = r"(?:\s|\\[,;: ]|~){0,6}"
_QUANTIFIED = re.compile(
    r"((?:\\(?:exists|forall)(?![a-zA-Z])|[∃∀])\s*[a-zA-Z](?![a-zA-Z])"
    r"(?:\s*(?:\\in(?![a-zA-Z])|∈)\s*(?:\\mathbb\s*\{?[A-Z]\}?|[A-Zℝℤℕℚℂ]))?)"
    rf"{_NO_SIGN}(?:[:,.|]|\\(?:mid|colon)(?![a-zA-Z])|\\text\s*\{{\s*(?:such that|s\.t\.)\s*\}})?{_NO_SIGN}"
    r"(?=[A-Za-z(¬∃∀\\])(?!\\(?:in|le|ge|ne|lt|gt)q?(?![a-zA-Z]))"
)
"""``\\exists x\\, P(x)``: what separates a quantifier and its formula has no meaning."""
_SIGN_OF_MONEY = re.compile(r"\\(?:text|mathrm|textrm)\s*\{\s*(?:\\?(?P<sign>[$€£]))\s*\}")
_PREFIXES = {"": "", "k": "kilo", "M": "mega", "G": "giga", "h": "hecto"}
_UNIT_SIGN = re.compile(
    r"(?<=\d)((?:[\s~]|\\[,;: ]|\\(?:text|mathrm)\s*\{)*)(?P<prefix>[kMGh]?)(?P<unit>Wh|Pa|J|W|Hz|eV)(?=[}\s.$]*$)"
)
_UNIT_WORDS = {
    "Wh": "watthours", "Pa": "pascals", "J": "joules", "W": "watts", "Hz": "hertz", "eV": "electronvolts",
}  # fmt: skip
_WATT_HOURS = re.compile(r"watt[\s-]+hour(s?)", re.IGNORECASE)


def plain_notation(text: str) -> str:
    """The text with these notations rewritten; nothing else is changed."""
    text = _QUANTIFIED.sub(r"\1: ", text) if _STARTS_QUANTIFIED.match(text) else text
    text = _MARKED_LETTER.sub(_bare_letter, re.sub(r"\\displaystyle(?![a-zA-Z])", " ", text))
    if text.count("**") == 1:
        text = re.sub(r"\*\*\.?$", "", text)
    text = _LINES_IN_WORDS.sub(_lines_in_words, _ANGLE.sub(r"\\angle \1", text))
    text = _BINARY.sub(r"\1_{2}", _EMPTY_SET.sub(r"\\emptyset", text))
    text = _LIMIT_REMARK.sub("", _GROWTH.sub(r"\1", _THEREFORE.sub("", text)))
    text = _BOLD_LETTER.sub(lambda one: one[1] or one[2], text)
    text = _with_arrows(text)
    if _SECOND_DERIVATIVE.search(text):
        text = _FIRST_DERIVATIVE.sub(r"\1'", _SECOND_DERIVATIVE.sub(r"\1''", text))
    text = _CONSTANT_BEFORE_E.sub(r"\1 e", text)
    text = _ARRANGED.sub(r"\\frac{\1!}{(\1-\2)!}", _DIFFERENTIAL.sub("", text))
    text = _SIGNED_PAIR.sub(r"(\1, \2)", _NAMED_PAIR.sub("", text))
    text = _CROSS.sub(r"\1 \\cdot X_{cross} \\cdot ", _PLANE.sub(_plane, text))
    text = _TWO_UNITS.sub(_two_units, _SIGN_OF_MONEY.sub(_bare_sign, text))
    text = _MULTINOMIAL.sub(_multinomial, text)
    text = _FEET.sub(r"\1 ft \2 inch", text)
    text = _CENTS.sub(_in_dollars, _PRICE.sub(r"\1 \2dollars per ", text))
    text = _QUOTIENT_OF_WORDS.sub(lambda one: f" {one[1]} per {one[2]}{one[3] or ''}", text)
    text = _UNIT_SIGN.sub(_unit_in_words, _WATT_HOURS.sub(r"watthour\1", text))
    return _SAME_NAMES.sub(r"\1\2=", _PROSE_SET.sub(r"\\{\1\\}", text))


def _lines_in_words(match: re.Match[str]) -> str:
    return f"{match[1]} {'⊥' if match[2].lower() == 'perpendicular' else '∥'} {match[3]}"


def _bare_letter(match: re.Match[str]) -> str:
    """``ŷ`` as y: an estimate is named as what it estimates, as in LaTeX."""
    return unicodedata.normalize("NFD", match[0])[0]


def _with_arrows(text: str) -> str:
    r"""``\overrightarrow{AB}`` as B - A, where arrows are added up and not named."""
    if re.search(r"\\(?:overrightarrow|vec)[^=]*=[^=]*$", text) and not _ARROW_NAME.search(text):
        return text
    return _ARROW.sub(r"(\2_{at}-\1_{at})", _ARROW_NAME.sub("", text))


def _plane(match: re.Match[str]) -> str:
    r"""``\vec{r} \cdot (1, 2, 3)`` as x + 2 y + 3 z."""
    if match["units"] is not None:
        summed = match["units"]
        for unit, letter in zip("ijk", "xyz", strict=True):
            summed = re.sub(rf"\\(?:vec|mathbf|hat)\s*\{{?\s*(?:\\[ij]math|{unit})\s*\}}?", f" {letter} ", summed)
        return summed
    parts = match["row"].split(",") if match["row"] else re.split(r"\\\\", match["column"])
    if len(parts) != 3:
        return match[0]
    return " + ".join(f"({part.strip()}) {letter}" for part, letter in zip(parts, "xyz", strict=True))


def _bare_sign(match: re.Match[str]) -> str:
    r"""``\text{\$}`` as ``\$``."""
    return "\\$" if match["sign"] == "$" else match["sign"]


def _two_units(match: re.Match[str]) -> str:
    first, second = _UNITS_IN_FULL[match[3]], _UNITS_IN_FULL[match[7]]
    return f"{match[1]}{match[2]} {first}{match[4]}{match[5]}{match[6]} {second}"


def _multinomial(match: re.Match[str]) -> str:
    below = "".join(f"({part.strip()})!" for part in match[2].split(","))
    return rf"\frac{{({match[1]})!}}{{{below}}}"


def _in_dollars(match: re.Match[str]) -> str:
    return f"{int(match[1]) / 100:.2f} dollars per "


def _unit_in_words(match: re.Match[str]) -> str:
    return f"{match[1]} {_PREFIXES[match['prefix']]}{_UNIT_WORDS[match['unit']]}"

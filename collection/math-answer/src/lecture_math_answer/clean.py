"""From what people type (LaTeX, Unicode, HTML, Markdown) to one plain notation that the tokeniser reads."""
# ruff: noqa: E501 -- word lists and patterns read better whole

import html
import re
import unicodedata
from functools import lru_cache

from lecture_math_answer import garbled, macros, percents, spelling

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₙ", "0123456789n")

_CHARACTERS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "×": r" \times ", "·": r" \cdot ", "⋅": r" \cdot ", "∙": r" \cdot ", "÷": "/", "⁄": "/",
    "√": r"\sqrt ", "π": r"\pi ", "∞": r"\infty ", "≤": r" \le ", "≥": r" \ge ", "⩽": r" \le ", "⩾": r" \ge ", "≠": r" \ne ",
    "≈": r" \approx ", "≅": r" \approx ", "∪": r" \cup ", "∩": r" \cap ", "∈": r" \in ", "∉": r" \notin ", "±": r" \pm ", "∓": r" \mp ",
    "°": r"^\circ ", "º": r"^\circ ", "∅": r"\emptyset ", "ℝ": r"\mathbb{R} ", "ℤ": r"\mathbb{Z} ", "ℕ": r"\mathbb{N} ", "ℚ": r"\mathbb{Q} ",
    "ℂ": r"\mathbb{C} ", "∀": r"\forall ", "∃": r"\exists ", "→": r"\to ", "↦": r"\mapsto ", "⇒": r"\implies ", "′": "'", "’": "'", "‘": "'",
    "“": '"', "”": '"', "⟨": "(", "⟩": ")", "〈": "(", "〉": ")", "∶": ":", "：": ":", "，": ",", "、": ",", "；": ";", "。": ". ", "∖": r"\setminus ",
    "∧": r" \land ", "∨": r" \lor ", "△": r"\triangle ", "∠": r"\angle ", "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ",
    "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u200b": "", "\ufeff": "", "€": "€", "£": "£",
    "α": r"\alpha ", "β": r"\beta ", "γ": r"\gamma ", "δ": r"\delta ", "θ": r"\theta ", "λ": r"\lambda ", "μ": r"\mu ", "φ": r"\varphi ",
    "ω": r"\omega ", "σ": r"\sigma ", "τ": r"\tau ", "ρ": r"\rho ", "Δ": r"\Delta ", "Ω": r"\Omega ", "ε": r"\varepsilon ", "∛": r"\sqrt[3] ",
}  # fmt: skip

_KNOWN = (
    r"frac|dfrac|tfrac|cfrac|nicefrac|sfrac|left|right|boxed|fbox|sqrt|pi|cdot|times|text|mathrm|mathbb|infty|cup|cap|leq?|geq?|neq?|approx|pm|circ|sin|cos|tan|"
    r"log|ln|binom|quad|in|begin|end|theta|alpha|beta|operatorname|overline|lfloor|rfloor|lceil|rceil|div|ldots|dots|angle|triangle"
)
_SIZES = re.compile(
    r"\\(?:left|right|middle|bigl|bigr|Bigl|Bigr|biggl|biggr|Biggl|Biggr|bigg|Bigg|big|Big)(?![a-zA-Z])\s*\.?(?=\s|[^a-zA-Z.]|$)"
)
_SPACES = re.compile(
    r"(?<!\\)\\(?:[,;:!> ]|(?:thinspace|medspace|enspace|displaystyle|textstyle|limits|nolimits|hfill|noindent|par|blacksquare|hspace\*?\{[^{}]*\}|vspace\*?\{[^{}]*\}|phantom\{[^{}]*\})(?![a-zA-Z]))"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{(?:align|aligned|equation|gather|gathered|split|multline|center)\*?\}")
_MATRIX = re.compile(r"\\begin\s*\{(?:[pbvB]?matrix|smallmatrix|array|cases)\}")
_DEGREE = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ)|\\degree(?![a-zA-Z])|\^\s*\{?\s*o\s*\}?(?=\s*$)")
_BOLD_SET = re.compile(r"(?:(?<=^)|(?<=\\in)|(?<=\\in ))\\mathbf\s*\{?\s*([RZQ])(?![a-zA-Z])\s*\}?")
_MAPPING = re.compile(r"\b([a-zA-Z])\s*:\s*([a-zA-Z])\s*\\mapsto(?![a-zA-Z])")
_DERIVATIVE = re.compile(
    r"\\frac\s*\{\s*d\s*\}\s*\{\s*d\s*([a-z])\s*\}\s*\(?\s*([a-zA-Z])\s*\(\s*\1\s*\)\s*\)?(?=\s*=)"
)
_PARTIAL = re.compile(r"\\frac\s*\{\s*\\partial\s*([a-zA-Z])\s*\}\s*\{\s*\\partial\s*([a-z])\s*\}")
_GRADIENT = re.compile(r"\\nabla\s*([a-zA-Z])(?![a-zA-Z])")
"""Names of what stands behind the equals sign."""
_DANGLING_POWER = re.compile(r"\^\s*(?=$|[,;)\]])")

LIMIT = 4_000
"""Characters of one answer that are looked at."""


def unescape(text: str) -> str:
    r"""Undo a doubled escape (``\\frac`` or a written-out ``\n``), as it comes from JSON printed twice."""
    if not _MATRIX.search(text):
        text = re.sub(r"\\\\(?=(?:" + _KNOWN + r")(?![a-zA-Z]))", r"\\", text)
        text = re.sub(r"\\\\(?=[()\[\]])", r"\\", text)
    return re.sub(r"\\n(?![a-zA-Z])", "\n", text)


_SYMBOLS = {"W": "watts", "Pa": "pascals", "J": "joules", "Hz": "hertz", "N": "newtons", "V": "volts"}
_SYMBOL_OF_UNIT = re.compile(rf"^\s*(-?\d[\d.,]*)\s+(k?)({'|'.join(_SYMBOLS)})\s*\.?\s*$")
"""A number and the symbol of a unit, and nothing else: it would be read as a product of letters."""


_FUNCTION_IN_CAPITALS = re.compile(r"\b(?:GCD|LCM|HCF|GCF|MAX|MIN)(?=\s*\()")
_INCH = re.compile(r"(?<=\d)\s+in(?=\s*\^|\s*\.?\s*$)")
"""Behind a number and with nothing after it but a power, ``in`` is no preposition."""


_SIGNED_INFINITY = re.compile(r"\b(positive|plus|negative|minus)\s+infinity\b", re.IGNORECASE)
_BRACKETED_DOMAIN = re.compile(
    r",?\s*(?:\\(?:q?quad(?![a-zA-Z])|[ ,;:])\s*)*\(\s*([a-z])\s*\\in\s*(\\mathbb\s*(?:\{\s*[A-Z]\s*\}|[A-Z]))\s*\)(?=[\s$}.]*$)"
)
"""``x = 2k\\pi  (k \\in \\mathbb{Z})``: a remark on the letter, and no factor."""
_COORDINATE = r"\s*(-?(?:\d+(?:\.\d+)?(?:/\d+)?|\\[dt]?frac\s*(?:\{\d+\}\s*\{\d+\}|\d\d)))\s*"
_TEXTBOOK_POINT = re.compile(
    rf"\({_COORDINATE}(?:\\mid(?![a-zA-Z])|\|){_COORDINATE}(?:(?:\\mid(?![a-zA-Z])|\|){_COORDINATE})?\)"
)
"""``P(5 | -6)``, as points are written in German textbooks; in space ``P(5 | -6 | 2)``."""


def _infinity(match: re.Match[str]) -> str:
    return r" \infty " if match[1].lower() in ("positive", "plus") else r" -\infty "


def _unit_in_words(match: re.Match[str]) -> str:
    return f"{match[1]} {'kilo' if match[2] else ''}{_SYMBOLS[match[3]]}"


@lru_cache(maxsize=512)
def clean(text: str) -> str:
    """One answer in plain notation: no delimiters, fonts or spacing commands; words of ``\\text`` set free."""
    text = unescape(garbled.without_controls(text[:LIMIT]))
    text = re.sub(r"(?<=\d),\\!\s*(?=\d{3})", ",", text)
    text = _money(_markup(text)).replace("‰", " per mille ")
    text = re.sub(r"\b([ap])\.m\.", r"\1m", text, flags=re.IGNORECASE)
    text = _characters(text)
    text = _TEXTBOOK_POINT.sub(
        lambda one: f"({', '.join(part for part in one.groups() if part)})",
        _BRACKETED_DOMAIN.sub(r", \1 \\in \2", _SIGNED_INFINITY.sub(_infinity, text)),
    )
    text = _SYMBOL_OF_UNIT.sub(_unit_in_words, text)
    text = re.sub(
        r"\\\$\s*(\d[\d,]*(?:\{,\}\d{3})*(?:\.\d+)?)(?![\d%]|\.\d|\s*(?:\\text\{)?\s*(?:dollar|million|billion|thousand|per|each))",
        r"\1 dollars ",
        text,
    )
    text = (
        spelling.braced_comma(re.sub(r"(?<=\d),\\!\s*(?=\d{3})", ",", text))
        .replace("{,}", ",")
        .replace("{:}", ":")
        .replace("{.}", ".")
        .replace("\\$", " ")
        .replace("$", " ")
    )
    text = _ALIGNED.sub(_aligned, text)
    text = re.sub(r"\\[()\[\]]", " ", _ENVIRONMENT.sub(" ", text)) if not _MATRIX.search(text) else text
    text = re.sub(r"\\\\\[[^\]]*\]", r"\\\\ ", text)
    text = re.sub(r"\.\.\.+|\u2026", r" \\dots ", text)
    text = (
        text.replace("\\|", "|")
        .replace("\\%", "%")
        .replace("\\#", "#")
        .replace("\\&", " and ")
        .replace("\\_", "_")
        .replace("~", " ")
    )
    text = _SIZES.sub("", text)
    text = macros.infix(macros.unwrap(_BOLD_SET.sub(r"\\mathbb{\1}", text)))
    text = _SYMBOL_OF_UNIT.sub(_unit_in_words, text)
    text = _SPACES.sub(" ", re.sub(r"\\q?quad", " ", text))
    text = _DEGREE.sub(" deg ", text)
    text = re.sub(r"(?<=\d)\s*(?:h|hr|hrs)\s+(\d+)\s*(?:min|mins|m)(?![a-zA-Z])", r" hours \1 minutes", text)
    text = re.sub(r"(?<=\d)\s*mins?(?![a-zA-Z(])", " minutes", text)
    text = _FUNCTION_IN_CAPITALS.sub(lambda one: {"hcf": "gcd", "gcf": "gcd"}.get(one[0].lower(), one[0].lower()), text)
    text = _INCH.sub(" inch", text)
    text = _DANGLING_POWER.sub(" ", text)
    text = re.sub(r"(?<=\d)\s*\\ldotp\s*(?=\d)", ".", text)
    text = re.sub(r"\\(?:dfrac|tfrac|cfrac|nicefrac|sfrac)(?![a-zA-Z])", r"\\frac", text)
    text = re.sub(r"\^\s*(?:\\prime(?![a-zA-Z])|\{\s*\\prime\s*\})", "'", text)
    text = _GRADIENT.sub(r"G_{nabla \1}", _PARTIAL.sub(r"\1_{\2}", text))
    text = _DERIVATIVE.sub(r"\2'(\1)", text)
    text = re.sub(r"\b([fg])\s*\^\s*\{?\s*-\s*1\s*\}?\s*(?=\([a-z]\))", r"\1_{inv}", text)
    text = macros.turned_brackets(percents.plain_percents(spelling.plain_numbers(text)))
    text = _COUNT.sub(r"\\binom{\1}{\2}", _MAPPING.sub(r"\1(\2)=", text))
    text = re.sub(r"\.\s*(?=\\end\s*\{)", " ", text)
    text = re.sub(
        r"\+\s*const(?:ant)?\b\.?", "+ C", re.sub(r"\^\s*\{?\s*(?:\\top|\\intercal|\\mathsf\s*T)\s*\}?", "^T", text)
    )
    return re.sub(r"[ \t]+", " ", text).strip()


_CURRENCIES = {"€": "euros", "£": "sterling", "¥": "yen", "₹": "rupees"}
_COUNT = re.compile(r"(?:\{\}|(?<![\w)}]))\s*[_^]\s*\{?\s*(\w+)\s*\}?\s*\\?C\s*_\s*\{?\s*(\w+)\s*\}?")


_ALIGNED = re.compile(
    r"(?P<brace>(?:\\left\s*)?\\\{\s*)?\\begin\s*\{(?P<name>align\*?|aligned|alignedat|gathered|split|array)\}(?:\s*\{[lcr\d| ]*\})?(?P<body>.*?)\\end\s*\{(?P=name)\}",
    re.DOTALL,
)


def _aligned(match: re.Match[str]) -> str:
    """Lines of equations as a list, or as the chain that they are; behind a brace, and in one column, a system."""
    body = match["body"]
    if match["name"] == "array" and not (match["brace"] or "&" not in body):
        return match[0]
    if match["name"] == "array" and "&" in body:
        return rf"\begin{{cases}}{body}\end{{cases}}"
    body = re.sub(r"\\\\\s*&?\s*(?==|\\approx|\\le|\\ge|<|>)", " ", body).replace("&", " ")
    return rf"\begin{{cases}}{body}\end{{cases}}" if "=" in body and "\\\\" in body else f" {body} "


def _money(text: str) -> str:
    """Currency signs and codes as words behind the amount."""
    text = re.sub(r"\bUSD\s*\\?\$?\s*(\d[\d.,]*\d|\d)", r"\1 dollars", re.sub(r"\bUS\s*(?=\\?\$\s*\d)", "", text))
    for sign, word in _CURRENCIES.items():
        if sign in text:
            text = re.sub(rf"{sign}\s*(\d[\d.,]*\d|\d)|(\d)\s*{sign}", rf"\1\2 {word} ", text)
    return text


def _markup(text: str) -> str:
    """HTML scripts and entities, Markdown emphasis and code marks."""
    text = re.sub(r"<sup>(.*?)</sup>", r"^{\1}", text, flags=re.DOTALL | re.IGNORECASE)
    text = re.sub(r"<sub>(.*?)</sub>", r"_{\1}", text, flags=re.DOTALL | re.IGNORECASE)
    text = re.sub(r"</?(?:b|i|em|strong|p|br|span|div|code)\s*/?>", " ", text, flags=re.IGNORECASE)
    text = html.unescape(text)
    text = re.sub(r"(?<!\*)\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\*)", _emphasis, text, flags=re.DOTALL)
    text = re.sub(r"(?<![\w*])__(?=\S)(.+?)(?<=\S)__(?![\w*])", r"\1", text, flags=re.DOTALL)
    return re.sub(r"~~[^~]+~~|`+", " ", text)


def _emphasis(match: re.Match[str]) -> str:
    """Bold, unless the stars are powers: ``2**3 + 2**4`` keeps them."""
    before = match.string[: match.start()].rstrip()
    return match[0] if before[-1:].isalnum() or before[-1:] in (")", "]") else match[1]


def _characters(text: str) -> str:
    text = re.sub(r"[①②③④⑤⑥⑦⑧⑨]+", lambda m: " " + ", ".join(str(ord(c) - 0x245F) for c in m[0]) + " ", text)
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+", lambda m: "^{" + m[0].translate(_SUPERSCRIPTS) + "}", text)
    text = re.sub(r"[₀₁₂₃₄₅₆₇₈₉ₙ]+", lambda m: "_{" + m[0].translate(_SUBSCRIPTS) + "}", text)
    text = re.sub(r"(?<=\d)([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])", r" \1", text)
    text = "".join(_CHARACTERS.get(character, character) for character in text)
    text = unicodedata.normalize("NFKC", text)
    return "".join(_CHARACTERS.get(character, character) for character in text)

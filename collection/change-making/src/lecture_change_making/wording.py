"""Markup, LaTeX, special characters and number words, all brought to plain digits and slashes."""

import re
import unicodedata

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
CARDINALS = {word: value for value, word in enumerate(ONES.split())} | {
    word: 10 * (place + 2) for place, word in enumerate(TENS.split())
}
PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "twentieth": 20, "fiftieth": 50, "hundredth": 100,
}  # fmt: skip

LATEX_FRACTION = re.compile(
    r"(?P<sign>(?<=[{$=(])[-−]\s*|(?<![\d)}%\w])(?<![\d)}%\w] )[-−])?\\[dtc]?frac"
    r"\s*(?:\{\s*([^{}]*?)\s*\}\s*\{\s*([^{}]*?)\s*\}|(\d)\s*(\d))"
)
"""With its sign, unless that takes away from what stands before it: 2 -\\frac{1}{2}."""
SMALL_DIGITS = {small: str(place % 10) for place, small in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉")}
LATEX_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|textbf|mbox)\s*\{([^{}]*)\}")
LATEX_NOISE = re.compile(r"\\[\[\]()$,!; ]|\\(?:left|right|quad|qquad|displaystyle)\b")
EMPHASIS = re.compile(r"\*\*|__|`|(?<![\d\s)])\*|\*(?![\d\s(])")
CARDINAL = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(TENS.split())})(?:[\s-](?P<ones>{'|'.join(ONES.split()[1:10])}))?"
    rf"|(?P<small>{'|'.join(ONES.split())}))\b"
)
SPOKEN_PART = re.compile(rf"\b(?P<count>\d{{1,3}}|an?)[\s-](?P<part>{'|'.join(PARTS)})s?\b")
LONE_HALF = re.compile(r"\bhalf(?= (?:a |of a |of one |the |one )?dollar)")
OVER = re.compile(r"(?<![\w.])(\d{1,9})\s*(?:\\over|\bover)\b\s*(\d{1,9})(?![\w.])")
HYPHENATED = re.compile(r"(?<![\w./-])(\d{1,9})-(\d{1,3}/\d{1,3})(?![\d/])")
WHOLE_AND_PART = re.compile(
    r"(?<![\w./])(\d{1,9}) dollars?,? (?:and )?(\d{1,3}/\d{1,3})(?: of (?:a|one) dollar| dollars?)?(?![\d/])"
)
SIGN_WORD = re.compile(r"(?:\bnegative|(?<![\d)%a-z])(?<![\d)%a-z] )\bminus)\s+(?=[$\d])")
ASIDE = re.compile(
    r" ?\((?:or |i\.e\.,? |that is,? )?(?:about|around|approximately|approx\.?|roughly|≈|~)[^()]*\)"
    r"|,? or (?:about|approximately|roughly) \$?[\d.]+(?: cents| dollars)?"
)
"""A second, rounded way to say the amount: 1/3 (about 33 cents)."""
WITH_CENTS = re.compile(r"(?:\$\s?(\d{1,9})|\b(\d{1,9}) dollars?),? (?:and )?(\d{1,2}) ?(?:cents?\b|¢)")


def normalise(text):
    """``text`` in lowercase without markup, words and LaTeX as digits: ``\\frac{3}{4}`` and three quarters are 3/4."""
    text = open_characters(text.replace("\\$", "$").replace("\\%", "%").replace("{,}", ","))
    text = LATEX_TEXT.sub(r" \1 ", re.sub(r"\\approx\b", " ≈ ", re.sub(r"\\neq?\b", " ≠ ", text)))
    text = LATEX_FRACTION.sub(lambda f: f" {'-' if f[1] else ''}{f[2] or f[4]}/{f[3] or f[5]} ", text)
    text = OVER.sub(r" \1/\2 ", text)
    text = EMPHASIS.sub("", LATEX_NOISE.sub(" ", text)).lower().replace("whole dollar", "dollar")
    text = re.sub(r"(\d)\s+/\s+(\d)", r"\1/\2", re.sub(r"[ \t]+", " ", text))
    text = SIGN_WORD.sub("-", OVER.sub(r"\1/\2", ASIDE.sub("", speak_digits(text))))
    return join_dollars_and_cents(HYPHENATED.sub(r"\1 \2", WHOLE_AND_PART.sub(r"\1 \2 dollars", text)))


def open_characters(text):
    """Fractions that are one character (¾) and other ways to write slash, minus and spaces, in plain characters."""
    opened = []
    for place, character in enumerate(text):
        if unicodedata.category(character) == "No" and "⁄" in (plain := unicodedata.normalize("NFKC", character)):
            gap = " " if place and text[place - 1].isdigit() else ""
            opened.append(gap + plain.replace("⁄", "/"))
        else:
            opened.append(
                {"⁄": "/", **SMALL_DIGITS, "∕": "/", "−": "-", "\u00a0": " ", "\u202f": " "}.get(character, character)
            )
    return "".join(opened)


def speak_digits(text):
    """Number words as digits: fifty cents -> 50 cents, one and a half -> 1 and 1/2, 3 quarters -> 3/4."""
    text = re.sub(r"\btwenty[\s-]fifths?\b", "25th-part", text)
    text = CARDINAL.sub(cardinal, text)
    text = re.sub(r"\b(\d{1,3}|an?)[\s-]25th-part\b", lambda f: f"{1 if f[1].startswith('a') else f[1]}/25", text)
    text = SPOKEN_PART.sub(
        lambda f: f"{1 if f['count'].startswith('a') else f['count']}/{PARTS[f['part'].removesuffix('s')]}", text
    )
    return LONE_HALF.sub("1/2", text)


def cardinal(found):
    if found["small"]:
        return str(CARDINALS[found["small"]])
    return str(CARDINALS[found["tens"]] + CARDINALS.get(found["ones"] or "zero", 0))


def join_dollars_and_cents(text):
    """1 dollar and 75 cents -> $1.75."""
    return WITH_CENTS.sub(lambda f: f"${f[1] or f[2]}.{int(f[3]):02d}", text)
